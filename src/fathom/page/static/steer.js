/** What somebody may tell a session while it goes on: to leave a part out, to go deeper into one, to write now. */

import { html, useLayoutEffect, useRef, useState } from "/assets/vendor/preact.js";
import { cancel } from "/assets/api.js";
import { Confirm } from "/assets/parts.js";
import { t } from "/assets/words.js";

const COMMANDS = ["skip", "deeper"];

/** The menu of a part, where there is something to tell: a button, and below it what can be chosen, by arrows too. */
export function PartMenu({ node, steering }) {
  const { subtask_id: id, status, description } = node;
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState(null);
  const button = useRef(null);
  const list = useRef(null);
  const wish = steering.steered.get(id);
  const wanted = COMMANDS.filter((command) => command !== wish && (command === "skip" || (wish !== "skip" && node.children.length === 0)));
  const goesOn = steering.canSteer && (status === "pending" || status === "researching");
  const can = goesOn && wanted.length > 0;
  useLayoutEffect(() => {
    if (open) list.current?.querySelector("button").focus();
  }, [open]);

  const close = (back = true) => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  const choose = (command) => () => {
    close();
    setProblem(null);
    // where there is nothing left to choose, the button is gone
    const keepFocus = () => document.activeElement === document.body && document.getElementById("question").focus({ preventScroll: true });
    steering.instruct(command, id).then(() => requestAnimationFrame(keepFocus), setProblem);
  };
  const pressed = (event) => {
    if (!open) {
      if (event.key !== "ArrowDown") return undefined;
      event.preventDefault();
      return setOpen(true);
    }
    const items = [...list.current.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    if (to === undefined) return undefined;
    event.preventDefault();
    return items.at(to % items.length).focus();
  };
  if (!can && !problem) return null;
  return html`${can &&
    html`<div class="menu" onKeyDown=${pressed} onFocusOut=${(event) => !event.currentTarget.contains(event.relatedTarget) && close(false)}>
    <button
      ref=${button}
      type="button"
      class="icon"
      aria-haspopup="menu"
      aria-expanded=${open ? "true" : "false"}
      aria-label=${t("steer.menu", { what: description })}
      onClick=${() => setOpen(!open)}
    >⋯</button>
    ${open &&
    html`<div ref=${list} role="menu" aria-label=${t("steer.menu", { what: description })}>
      ${wanted.map((command) => html`<button type="button" role="menuitem" tabindex="-1" onClick=${choose(command)}>${t(`steer.${command}`)}</button>`)}
    </div>`}
  </div>`}
    <${Late} problem=${problem} />`;
}

/** Stops a session, once that is confirmed; then does `after`. */
export function Stop({ id, disabled, word = "stop", after }) {
  const [asking, setAsking] = useState(false);
  return html`<button type="button" class="quiet" disabled=${disabled} onClick=${() => setAsking(true)}>${t(word)}</button>
    <${Confirm} open=${asking} close=${() => setAsking(false)} title=${t("stop.title")} text=${t("stop.text")} word=${t("stop")} act=${() => cancel(id).then(after)} />`;
}

/** Why something was not heard: mostly because it came too late. */
export function Late({ problem }) {
  if (!problem) return null;
  const isLate = problem.status === 409 || problem.status === 404;
  return html`<p class="wrong" role="alert">${t(isLate ? "steer.late" : `problem.${problem.name}`)}</p>`;
}
