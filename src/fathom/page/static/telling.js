/** Tells outside of the page how research has ended: wanted by a click, and remembered in this browser. */

import { html, useState } from "/assets/vendor/preact.js";
import { session } from "/assets/api.js";
import { isActive } from "/assets/events.js";
import { keep, kept } from "/assets/kept.js";
import { outcome } from "/assets/progress.js";
import { go } from "/assets/router.js";
import { t } from "/assets/words.js";

const KEPT = "fathom.tell";
const AGAIN = 5_000;

/** "granted", "default" when the browser was not asked yet, or "denied": also where there are no notifications. */
const permission = () => globalThis.Notification?.permission ?? "denied";
const isWanted = () => permission() === "granted" && kept(KEPT) === "yes";

/** Whether somebody is looking at the page. */
export const isSeen = () => !document.hidden && document.hasFocus();

/** The choice; nothing at all where the browser allows no notifications. */
export function TellMe() {
  const [wanted, setWanted] = useState(isWanted);
  const [refused, setRefused] = useState(false);
  const choose = async ({ target: { checked } }) => {
    setWanted(checked);
    keep(KEPT, checked ? "yes" : "no");
    if (!checked || permission() === "granted") return;
    const answer = await Notification.requestPermission();
    setWanted(answer === "granted");
    setRefused(answer === "denied");
  };
  if (refused) return html`<p class="soft" role="status">${t("tell.refused")}</p>`;
  if (permission() === "denied") return null;
  return html`<label class="option tell"><input type="checkbox" checked=${wanted} onChange=${choose} /> ${t("tell")}</label>`;
}

/** Tell how a session has ended, or that it waits for its person, if that is wanted. */
export function tell(news) {
  if (!news || !isWanted()) return;
  try {
    const path = `/s/${news.id}`;
    const note = new Notification(outcome(news), { body: news.query, tag: news.id, renotify: true });
    note.onclick = () => {
      focus();
      note.close();
      if (location.pathname !== path) go(path);
    };
  } catch {
    return; // a phone shows none that a page has made
  }
}

const lookedAfter = new Map();

/** Keeps an eye on a session whose view was left, as long as the page is open, and tells how it ends, or that it waits. */
export function lookAfter(id, waits = false) {
  if (!isWanted() || lookedAfter.has(id)) return;
  let waited = waits; // whether that was told, or seen
  const look = async () => {
    try {
      const told = await session(id);
      const waits = told.waiting_for.length > 0;
      if (waits && !waited) tell(told);
      waited = waits;
      if (isActive(told.status) || !lookedAfter.has(id)) return;
      tell(told);
      leaveAlone(id);
    } catch (problem) {
      if (problem.status === 404) leaveAlone(id); // else it is away for a moment
    }
  };
  lookedAfter.set(id, setInterval(look, AGAIN));
}

/** Somebody follows it again. */
export function leaveAlone(id) {
  clearInterval(lookedAfter.get(id));
  lookedAfter.delete(id);
}
