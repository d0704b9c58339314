/* Before anything is drawn: the colours that were chosen, where they are not those of the system. */

try {
  const chosen = localStorage.getItem("fathom.theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // the browser remembers nothing
}
