// Runs before anything is painted, so that a theme chosen before does not flash. The rest is in settings.js.
try {
  const theme = JSON.parse(localStorage.getItem("wts-fast")).theme;
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Nothing is remembered.
}
