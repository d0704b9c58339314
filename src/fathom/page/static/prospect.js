/** What research would be like: the plan, what it would take, and what would leave the machine. */

import { html } from "/assets/vendor/preact.js";
import { count, listed, money, roughly } from "/assets/format.js";
import { Line } from "/assets/parts.js";
import { Wishes } from "/assets/wishes.js";
import { t } from "/assets/words.js";

const range = (low, high, shown = count) => (shown(low) === shown(high) ? shown(low) : `${shown(low)}–${shown(high)}`);

/** The subtasks of a plan, each with those that it waits for. */
export function Plan({ plan }) {
  const places = new Map(plan.subtasks.map(({ subtask_id }, place) => [subtask_id, place + 1]));
  return html`<${Wishes} of=${plan.preferences} />
  <ol class="plan">
    ${plan.subtasks.map(
      ({ subtask_id, description, dependencies }) => html`<li key=${subtask_id}>
        ${description}
        ${dependencies.length > 0 && html`<span class="soft"> ${t("plan.after", { n: dependencies.length, which: listed(dependencies.map((id) => places.get(id) ?? id)) })}</span>`}
      </li>`,
    )}
  </ol>`;
}

const about = (seconds) => (seconds < 55 ? t("about.seconds", { n: seconds < 10 ? Math.max(1, Math.round(seconds)) : Math.round(seconds / 10) * 10 }) : t("about.minutes", { n: Math.round(seconds / 60) }));

/** One typical figure, and the most that it can be; a range where nobody has said what is typical. */
const figure = (typical, low, high, shown = count) => (typical ? html`${t("takes.about", { what: shown(typical) })} <span class="soft">${t("takes.most", { what: shown(high) })}</span>` : range(low, high, shown));

/** What it would take: in a sentence, and as a list of figures. */
export function Takes({ estimate }) {
  const { calls_typical: calls, seconds_typical: seconds } = estimate;
  const figures = calls ? [] : [["takes.calls", range(estimate.calls_low, estimate.calls_high)]];
  if (estimate.model_calls_high) figures.push(["takes.model_calls", figure(estimate.model_calls_typical, estimate.model_calls_low, estimate.model_calls_high)]);
  if (estimate.tokens_high) figures.push(["takes.tokens", figure(estimate.tokens_typical, estimate.tokens_low, estimate.tokens_high, roughly)]);
  if (estimate.searches_high) figures.push(["takes.searches", range(estimate.searches_low, estimate.searches_high)]);
  if (estimate.pages_high) figures.push(["takes.pages", range(estimate.pages_low, estimate.pages_high)]);
  figures.push(["takes.cost", estimate.cost_usd_high ? figure(estimate.cost_usd_typical, estimate.cost_usd_low, estimate.cost_usd_high, money) : t("takes.nothing")]);
  return html`${calls > 0 && html`<p class="typical">${t("takes.typical", { n: calls, time: about(seconds), most: estimate.calls_high })}</p>`}
    <dl class="figures">
      ${figures.map(([key, value]) => html`<div><dt>${t(key)}</dt><dd>${value}</dd></div>`)}
    </dl>`;
}

/** Who would be sent what. */
function Leaves({ destinations }) {
  const away = destinations.filter((each) => !each.is_local);
  if (away.length === 0) return html`<p>${t("leaves.nothing")}</p>`;
  return html`<ul class="plain">
    ${away.map(
      ({ host, what, names, unpriced = [] }) => html`<li>
        <strong>${host}</strong> <${Line} class="soft" line=${what} />${names.length > 0 && html`<span class="soft"> · ${listed(names)}</span>`}
        ${unpriced.length > 0 && html`<span class="soft"> ${t("leaves.unpriced")}</span>`}
      </li>`,
    )}
  </ul>`;
}

/** All of it; when it `isOld`, the question or an option is another by now, and `#old` says so. */
export function Prospect({ prospect, language, isOld }) {
  const { plan, estimate, destinations } = prospect;
  return html`<section class=${isOld ? "prospect is-old" : "prospect"} aria-labelledby="prospect" aria-describedby=${isOld ? "old" : undefined}>
    <h2 id="prospect" tabindex="-1">${t("prospect")}</h2>
    <div lang=${language}><${Plan} plan=${plan} /></div>
    <h3>${t("takes")}</h3>
    <${Takes} estimate=${estimate} />
    <h3>${t("leaves")}</h3>
    <${Leaves} destinations=${destinations} />
  </section>`;
}
