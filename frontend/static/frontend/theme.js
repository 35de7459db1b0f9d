// Takes the colour scheme that was chosen in the web app, before anything is painted.
try {
  const theme = JSON.parse(localStorage.getItem("mlxsite.theme"));
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden: the system's scheme it is.
}
