/** What was heard in a question of how it wishes to be answered. */

import { html } from "/assets/vendor/preact.js";
import { locale, t } from "/assets/words.js";

/** In a line, where there is anything; `of` are the preferences of a plan. */
export function Wishes({ of }) {
  if (!of) return null;
  const heard = [
    of.form && t(`wish.form.${of.form}`),
    ...of.lengths.map(({ most, unit }) => t(`wish.most.${unit}`, { n: most })),
    ...["audience", "tone", "since", "region"].map((name) => of[name] && t(`wish.${name}`, { what: of[name] })),
    of.until && t("wish.until", { what: of.until }),
    of.language && t("wish.language", { what: new Intl.DisplayNames([locale()], { type: "language" }).of(of.language) }),
    ...of.exclusions.map((what) => t("wish.exclusion", { what })),
  ].filter(Boolean);
  return heard.length > 0 && html`<p class="soft wishes">${t("wishes")} ${heard.join(" · ")}</p>`;
}
