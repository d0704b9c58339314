/** Which knowledge base is looked into and asked: one for the whole page, as it was chosen last. */

import { html } from "/assets/vendor/preact.js";
import { count } from "/assets/format.js";
import { keep, kept } from "/assets/kept.js";
import { t } from "/assets/words.js";

const KEY = "fathom.kb";

/** The one that was chosen last, as long as it is there; else the first. */
export function currentBase(bases) {
  const last = kept(KEY);
  return (bases.find(({ name }) => name === last) ?? bases[0])?.name ?? "default";
}

export const chooseBase = (name) => keep(KEY, name);

/** The control that chooses one; nothing where there is only one. With `all`, none may be chosen. */
export function Bases({ bases, value, choose, all = false }) {
  if (bases.length < 2) return null;
  return html`<select aria-label=${t("kb")} value=${value} onChange=${(event) => choose(event.target.value)}>
    ${all && html`<option value="">${t("kb.all")}</option>`}
    ${bases.map(({ name, documents, datasets }) => html`<option value=${name}>${name} (${count(documents + datasets)})</option>`)}
  </select>`;
}
