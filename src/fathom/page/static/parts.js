/** Small things that several views show. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { BACK, now } from "/assets/api.js";
import { duration, moment } from "/assets/format.js";
import { t, told } from "/assets/words.js";

const SHAPES = {
  pending: html`<circle cx="8" cy="8" r="5.25" fill="none" stroke-width="1.5" stroke-dasharray="2 2.1" />`,
  researching: html`<circle cx="8" cy="8" r="5.25" fill="none" stroke-width="1.5" /><circle class="pulse" cx="8" cy="8" r="2.5" stroke="none" />`,
  completed: html`<path d="M3.2 8.6 6.4 11.8 12.8 4.6" fill="none" stroke-width="1.9" />`,
  partial: html`<circle cx="8" cy="8" r="5.25" fill="none" stroke-width="1.5" /><path d="M8 2.75a5.25 5.25 0 0 1 0 10.5Z" stroke="none" />`,
  failed: html`<path d="M4 4l8 8M12 4l-8 8" fill="none" stroke-width="1.9" />`,
  waiting: html`<path d="M5.5 4v8M10.5 4v8" fill="none" stroke-width="1.9" />`,
  skipped: html`<path d="M3.5 8h9" fill="none" stroke-width="1.9" />`,
};
const SHAPE_OF = { queued: "pending", planned: "pending", running: "researching", removed: "skipped", nothing: "skipped", declined: "skipped", cancelled: "skipped" };

const WANTED = ["declined", "cancelled"]; // an end without a report that its person wanted

/** How a session stands: one that is under way may wait for its person, one that has ended may have found nothing, or was not wanted. */
export function standing({ waiting_for, standing: outcome, status, failure }) {
  if (waiting_for.length > 0) return "waiting";
  if (status === "failed" && WANTED.includes(failure)) return failure;
  return outcome === "nothing found" ? "nothing" : status;
}

const CAME = { answered: "all", nothing: "none", closest: "unclear", parts: "some", unsupported: "weak", disagreement: "disagree" };

/** What came of a session: `{state, words}`, as the service decides it, in the words of the page. */
export function came({ outcome: { state, remarks } }) {
  const remarked = ({ name, count, of }) =>
    CAME[name] ? t(`came.${CAME[name]}`, name === "parts" ? { done: count, n: of } : { n: count }) : t(`status.${name}`);
  return { state, words: remarks.map(remarked).join(" · ") };
}

/** A status as a shape; the word beside it says the same. */
export function Mark({ status }) {
  const shape = SHAPE_OF[status] ?? status;
  return html`<svg class=${`mark mark-${shape}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="currentColor" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">${SHAPES[shape] ?? SHAPES.pending}</svg>`;
}

/** What came of a session as shape, words and colour. */
export function Status({ session }) {
  const { state, words } = came(session);
  return html`<span class=${`status is-${state}`}><${Mark} status=${state} /> ${words}</span>`;
}

/** What can be done with something, behind one button: `items` are words with what they do. */
export function Menu({ label, items }) {
  const menu = useRef(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!open) return undefined;
    const away = (event) => {
      const isKey = event.type === "keydown";
      if (isKey ? event.key !== "Escape" : menu.current.contains(event.target)) return;
      menu.current.open = false;
      if (isKey) menu.current.firstElementChild.focus();
    };
    addEventListener("click", away);
    addEventListener("keydown", away);
    return () => {
      removeEventListener("click", away);
      removeEventListener("keydown", away);
    };
  }, [open]);
  const does = (act) => () => {
    menu.current.open = false;
    act();
  };
  return html`<details class="menu" ref=${menu} onToggle=${() => setOpen(menu.current?.open ?? false)}>
    <summary class="icon" aria-label=${label} title=${label}>⋯</summary>
    <ul>${items.map(([word, act]) => html`<li><button type="button" class="link" onClick=${does(act)}>${word}</button></li>`)}</ul>
  </details>`;
}

const RETURNS = { offline: "online", unreachable: BACK };

/** A failure in words, with the service's own line, and a way to try again where that makes sense; by itself once the service can be reached. */
export function Failure({ problem, again }) {
  const isOffline = problem?.name === "offline";
  const returns = again && RETURNS[problem?.name];
  useEffect(() => {
    if (!returns) return undefined;
    const back = () => again();
    addEventListener(returns, back);
    return () => removeEventListener(returns, back);
  }, [returns, again]);
  if (!problem || (isOffline && again)) return null; // the banner says it, and it is tried again with the line
  const line = problem.name === "not_found" ? "" : problem.detail;
  return html`<div class="failure" role="alert">
    <p><strong>${t(`problem.${problem.name}`)}</strong>${problem.wait ? ` ${t("problem.wait", { n: problem.wait })}` : returns === BACK && ` ${t("problem.returns")}`}</p>
    ${line && (told(line) ? html`<p><${Line} line=${line} /></p>` : html`<${Behind} line=${line} />`)}
    ${again && html`<p><button type="button" class="quiet" onClick=${again}>${t("try_again")}</button></p>`}
  </div>`;
}

/** A line of the service as it is, for who wants it. */
const Behind = ({ line }) => html`<details><summary class="soft">${t("ended.more")}</summary><p lang="en">${line}</p></details>`;

/** A line of the service in the words of the page, or as it is. */
export const Line = ({ line, class: name }) => html`<span class=${name} lang=${(told(line) || line) === line ? "en" : undefined}>${told(line) || line}</span>`;

/** Why a session has no report, in the page's own words; the service's line for who wants it; and what mends it. */
export function Ended({ session: { failure, error }, children }) {
  const wanted = WANTED.includes(failure);
  return html`<div class=${wanted ? "note" : "failure"}>
    <p>${t(`ended.${failure || "other"}`)}</p>
    ${!wanted && error && html`<${Behind} line=${error} />`}
    ${children && html`<p class="row">${children}</p>`}
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
