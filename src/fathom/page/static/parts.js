/** Small things that several views show. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { now } from "/assets/api.js";
import { duration, moment } from "/assets/format.js";
import { t } from "/assets/words.js";

const SHAPES = {
  pending: html`<circle cx="8" cy="8" r="5.25" fill="none" stroke-width="1.5" stroke-dasharray="2 2.1" />`,
  researching: html`<circle cx="8" cy="8" r="5.25" fill="none" stroke-width="1.5" /><circle class="pulse" cx="8" cy="8" r="2.5" stroke="none" />`,
  completed: html`<path d="M3.2 8.6 6.4 11.8 12.8 4.6" fill="none" stroke-width="1.9" />`,
  partial: html`<circle cx="8" cy="8" r="5.25" fill="none" stroke-width="1.5" /><path d="M8 2.75a5.25 5.25 0 0 1 0 10.5Z" stroke="none" />`,
  failed: html`<path d="M4 4l8 8M12 4l-8 8" fill="none" stroke-width="1.9" />`,
  waiting: html`<path d="M5.5 4v8M10.5 4v8" fill="none" stroke-width="1.9" />`,
  skipped: html`<path d="M3.5 8h9" fill="none" stroke-width="1.9" />`,
};
const SHAPE_OF = { queued: "pending", planned: "pending", running: "researching", removed: "skipped", nothing: "skipped" };

/** How a session stands: one that is under way may wait for its person, one that is completed may have found nothing. */
export const standing = (session) => (session.waiting_for.length > 0 ? "waiting" : session.standing === "nothing found" ? "nothing" : session.status);

/** A status as a shape; the word beside it says the same. */
export function Mark({ status }) {
  const shape = SHAPE_OF[status] ?? status;
  return html`<svg class=${`mark mark-${shape}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="currentColor" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">${SHAPES[shape] ?? SHAPES.pending}</svg>`;
}

/** A status as shape, word and colour. */
export function Status({ status }) {
  return html`<span class="status"><${Mark} status=${status} /> ${t(`status.${status}`)}</span>`;
}

/** A failure in words, with the service's own line, and a way to try again where that makes sense; offline, by itself. */
export function Failure({ problem, again }) {
  const isOffline = problem?.name === "offline";
  useEffect(() => {
    if (!isOffline || !again) return undefined;
    const back = () => again();
    addEventListener("online", back);
    return () => removeEventListener("online", back);
  }, [isOffline, again]);
  if (!problem || (isOffline && again)) return null; // the banner says it, and it is tried again with the line
  const told = problem.errors?.map(({ loc = [], msg }) => `${loc.slice(1).join(".")}: ${msg}`) ?? [];
  return html`<div class="failure" role="alert">
    <p><strong>${t(`problem.${problem.name}`)}</strong>${problem.wait ? ` ${t("problem.wait", { n: problem.wait })}` : ""}</p>
    ${problem.detail && problem.name !== "not_found" && html`<p lang="en">${problem.detail}</p>`}
    ${told.length > 0 && html`<ul lang="en">${told.slice(0, 5).map((line) => html`<li>${line}</li>`)}</ul>`}
    ${again && html`<p><button type="button" class="quiet" onClick=${again}>${t("try_again")}</button></p>`}
  </div>`;
}

/** The browser's own dialog, shown while `open`. Escape and a click beside it close it. */
export function Dialog({ open, close, title, children }) {
  const ref = useRef(null);
  useEffect(() => {
    if (open && !ref.current.open) ref.current.showModal();
    if (!open && ref.current.open) ref.current.close();
  }, [open]);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${close} onClick=${(event) => event.target === ref.current && close?.()}>
    <div class="dialog"><h2>${title}</h2>${open && children}</div>
  </dialog>`;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ open, close, title, text, word, act, danger = false }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const sure = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await act();
      close();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} open=${open} close=${close} title=${title}>
    <p>${text}</p>
    <${Failure} problem=${problem} />
    <div class="row end">
      <button type="button" class="quiet" onClick=${close}>${t("never_mind")}</button>
      <button type="button" class=${danger ? "danger" : "primary"} disabled=${busy} onClick=${sure}>${word}</button>
    </div>
  <//>`;
}

const ticking = new Set();
setInterval(() => ticking.forEach((tick) => tick()), 1_000);

/** Draws again every second while `runs`, all at the same moment. */
export function useTick(runs) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!runs) return undefined;
    const again = () => tick((number) => number + 1);
    ticking.add(again);
    return () => ticking.delete(again);
  }, [runs]);
}

/** How long something has taken: counts on while it has not ended. Times in milliseconds. */
export function Elapsed({ since, until = null }) {
  useTick(until === null && since !== null);
  if (since === null) return null;
  return html`<span class="figure">${duration(((until ?? now()) - since) / 1_000)}</span>`;
}

export const Moment = ({ at }) => html`<time datetime=${at} title=${new Date(at).toLocaleString()}>${moment(at)}</time>`;

/** The first `most` of a list, and the rest when asked for. */
export function Capped({ items, most, each, class: name, tag = "ul" }) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, most);
  return html`<${tag} class=${name}>${shown.map(each)}<//>
    ${items.length > shown.length &&
    html`<p><button type="button" class="link" onClick=${() => setAll(true)}>${t("show_all", { n: items.length })}</button></p>`}`;
}
