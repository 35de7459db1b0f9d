// Adds a copy button to every code block. Without script the page is complete but for these.
for (const block of document.querySelectorAll(".code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const code = block.querySelector("code");
    let copied = true;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // No clipboard outside loopback and HTTPS: leave the text selected for the keyboard.
      getSelection().selectAllChildren(code);
      copied = false;
    }
    button.textContent = copied ? "Copied" : "Selected";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.before(button);
}
