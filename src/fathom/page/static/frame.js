/** What stands on every view besides it: colours, language, and what the keyboard does. */

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { keep, kept } from "/assets/kept.js";
import { Dialog } from "/assets/parts.js";
import { go } from "/assets/router.js";
import { language, languages, t } from "/assets/words.js";

const THEMES = ["", "light", "dark"]; // "" is that of the system
const THEME = "fathom.theme";
const KEYS = "fathom.keys";
const PLACES = { a: "/", c: "/check", h: "/history", l: "/library" }; // behind a g: one key alone is soon pressed by mistake
const SOON = 1_000;
let wanted = kept(KEYS) !== "no";

function Theme() {
  const [chosen, setChosen] = useState(document.documentElement.dataset.theme ?? "");
  const choose = ({ target: { value } }) => {
    keep(THEME, value);
    if (value) document.documentElement.dataset.theme = value;
    else delete document.documentElement.dataset.theme;
    setChosen(value);
  };
  return html`<select aria-label=${t("theme")} value=${chosen} onChange=${choose}>
    ${THEMES.map((each) => html`<option value=${each}>${t(`theme.${each || "system"}`)}</option>`)}
  </select>`;
}

/** A list of what single keys do, and whether they do it: who speaks to the machine may not want that. */
function Keys() {
  const [open, setOpen] = useState(false);
  const [on, setOn] = useState(wanted);
  useEffect(() => {
    let going = 0; // when g was pressed
    const pressed = (event) => {
      const goes = event.timeStamp - going < SOON;
      going = 0;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.target.closest?.("input, textarea, select, [contenteditable], dialog:modal, [role=menu]")) return;
      if (event.key === "?") setOpen(true);
      else if (!wanted) return;
      else if (event.key === "/") document.querySelector("main :is(input[type=search], textarea)")?.focus();
      else if (event.key === "g") going = event.timeStamp;
      else if (goes && PLACES[event.key]) go(PLACES[event.key]);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  const choose = ({ target: { checked } }) => {
    wanted = checked;
    keep(KEYS, checked ? "yes" : "no");
    setOn(checked);
  };
  const rows = [...Object.entries(PLACES).map(([key, place]) => [`g ${key}`, `nav.${place.slice(1) || "ask"}`]), ["/", "keys.field"], ["Ctrl ⏎", "keys.send"], ["Esc", "close"], ["?", "keys"]];
  return html`<button type="button" class="link" onClick=${() => setOpen(true)}>${t("keys")}</button>
    <${Dialog} open=${open} close=${() => setOpen(false)} title=${t("keys")}>
      <dl class="keys">${rows.map(([key, word]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${t(word)}</dd></div>`)}</dl>
      <label class="option"><input type="checkbox" checked=${on} onChange=${choose} /> ${t("keys.on")}</label>
      <div class="row end"><button type="button" class="quiet" onClick=${() => setOpen(false)}>${t("close")}</button></div>
    <//>`;
}

export const Bottom = ({ speak }) => html`<footer class="bottom">
  <a href="/docs">API</a>
  <${Keys} />
  <${Theme} />
  ${Object.entries(languages).map(
    ([code, name]) => html`<button type="button" class="link" lang=${code} aria-pressed=${code === language() ? "true" : "false"} onClick=${() => speak(code)}>${name}</button>`,
  )}
</footer>`;
