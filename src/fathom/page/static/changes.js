/** What has changed in a report since the one that it is again. */

import { html, useEffect, useState } from "/assets/vendor/preact.js";
import { comparisonOf } from "/assets/api.js";
import { moment } from "/assets/format.js";
import { Capped, Failure } from "/assets/parts.js";
import { t } from "/assets/words.js";

const SHOWN = 8;
const STATES = ["changed", "new", "gone", "recited", "same", "moved"];

export function Changes({ id }) {
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  const load = () => {
    setProblem(null);
    comparisonOf(id).then(setTold, setProblem);
  };
  useEffect(load, [id]);
  if (problem?.status === 404) return html`<p class="changes soft">${t("changes.no_report")}</p>`;
  if (problem) return html`<div class="changes"><${Failure} problem=${problem} again=${load} /></div>`;
  if (told === null) return html`<div class="changes is-coming"></div>`;

  const { counts, sentences, unchanged, old } = told;
  const sources = told.sources.filter(({ state }) => state !== "same");
  const since = t("changes.since", { when: moment(old.created_at) });
  if (unchanged && sources.length === 0) return html`<p class="changes"><strong>${t("changes.nothing")}</strong> <span class="soft">${since}</span></p>`;
  const all = STATES.filter((state) => counts[state]).map((state) => t(`changes.count.${state}`, { n: counts[state] }));
  return html`<details class="changes" open=${told.new.query === old.query}>
    <summary><h2>${t("changes")}</h2> <span class="soft">${[since, ...all].join(" · ")}</span></summary>
    ${unchanged && html`<p>${t("changes.only_sources")}</p>`}
    ${STATES.slice(0, 4).map((state) => {
      const own = sentences.filter((pair) => pair.state === state);
      return own.length > 0 && html`<section key=${state}><h3>${t(`changes.${state}`)}</h3><${Capped} items=${own} most=${SHOWN} each=${(pair) => html`<${Sentence} pair=${pair} told=${told} />`} /></section>`;
    })}
    ${sources.length > 0 &&
    html`<section><h3>${t("sources")}</h3><${Capped} items=${sources} most=${SHOWN} each=${({ state, old: before, new: now }) => html`<li><span class="soft">${t(`changes.source.${state}`)}</span> ${(now ?? before).title || (now ?? before).uri}</li>`} /></section>`}
  </details>`;
}

/** A sentence with the words that differ; it leads to where it stands in the report. */
function Sentence({ pair, told }) {
  const { state, pieces } = pair;
  const side = pair.new ?? pair.old;
  const { language } = pair.new ? told.new : told.old;
  return html`<li>
    ${side.place && html`<span class="soft place" lang=${language}>${side.place}</span>`}
    <span lang=${language}>${state === "changed" ? pieces.map((piece) => html`<${Piece} ...${piece} />`) : side.text}</span>
    ${pair.new?.claim && html` <a class="soft" href=${`#${pair.new.claim}`}>${t("changes.show")}</a>`}
  </li>`;
}

const TAGS = { new: "ins", gone: "del" };

/** Words of one of the two reports, or of both; whoever hears them is told whose they are. */
function Piece({ state, text }) {
  if (state === "same") return text;
  return html`<${TAGS[state]}><span class="unseen"> [${t(`changes.heard.${state}`)} </span>${text}<span class="unseen">] </span><//>`;
}
