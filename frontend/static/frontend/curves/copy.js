// Copies text, and says on the button that it did.

export async function copy(button, text) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  let word = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    word = "Not allowed here"; // no clipboard outside loopback and HTTPS
  }
  button.textContent = word;
  setTimeout(() => (button.textContent = label), 1500);
}
