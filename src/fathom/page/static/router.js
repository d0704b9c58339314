/** Addresses of the page: where one is, and how one gets elsewhere. */

import { useEffect } from "/assets/vendor/preact.js";

const GONE = "fathom:gone";

/** Show another address of the page. */
export function go(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new CustomEvent(GONE));
}

/** Calls `moved(back)` whenever the address has changed; `back` says whether by the browser's own buttons. */
export function watch(moved) {
  const gone = () => moved(false);
  const back = () => moved(true);
  addEventListener(GONE, gone);
  addEventListener("popstate", back);
  document.addEventListener("click", followed);
  return () => {
    removeEventListener(GONE, gone);
    removeEventListener("popstate", back);
    document.removeEventListener("click", followed);
  };
}

const OURS = /^\/($|s\/|check$|history$|library$)/;

/** A plain click on a link within the page needs no new document. */
function followed(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
  const there = new URL(link.href);
  if (there.origin !== location.origin || !OURS.test(there.pathname)) return;
  if (there.hash && there.pathname === location.pathname) return;
  event.preventDefault();
  if (there.href !== location.href) go(there.pathname + there.search);
}

/** The title of the document while a view is shown. */
export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · Fathom` : "Fathom";
  }, [title]);
}
