/** What was heard in a question of how it wishes to be answered. */

import { html } from "/assets/vendor/preact.js";
import { locale, t } from "/assets/words.js";

/** In a line, where there is anything; `of` are the preferences of a plan. */
export function Wishes({ of }) {
  if (!of) return null;
  const heard = [
    of.form && t(`wished.form.${of.form}`),
    ...of.lengths.map(({ most, unit }) => t(`wished.most.${unit}`, { n: most })),
    ...["audience", "tone", "since", "region"].map((name) => of[name] && t(`wished.${name}`, { what: of[name] })),
    of.until && t("wished.until", { what: of.until }),
    of.language && t("wished.language", { what: new Intl.DisplayNames([locale()], { type: "language" }).of(of.language) }),
    ...of.exclusions.map((what) => t("wished.exclusion", { what })),
  ].filter(Boolean);
  return heard.length > 0 && html`<p class="soft wishes">${t("wishes")} ${heard.join(" · ")}</p>`;
}
