// Takes the colour scheme that is chosen in the web app: before anything is painted, and whenever
// it changes there.
function takeTheme() {
  let theme = "auto";
  try {
    theme = JSON.parse(localStorage.getItem("mlxsite.theme"));
  } catch {
    // Storage may be forbidden: the system's scheme it is.
  }
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

takeTheme();
addEventListener("storage", takeTheme);
