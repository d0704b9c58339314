/** What this browser remembers of its reader's choices; it may refuse to remember anything. */

export function kept(key) {
  try {
    return globalThis.localStorage?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    return; // it is then chosen anew next time
  }
}
