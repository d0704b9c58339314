/** How a question is to be answered: effort, sources, budget, method; and the request that this amounts to. */

import { html } from "/assets/vendor/preact.js";
import { count } from "/assets/format.js";
import { t } from "/assets/words.js";

export const EFFORTS = ["quick", "standard", "deep"];
const MODES = ["auto", "simple", "hierarchical"];

/** What is chosen before anybody has chosen. */
export const UNCHOSEN = {
  query: "",
  effort: null, // the one of the service
  mode: "auto",
  kb: null, // the first that there is
  documents: true,
  only: false, // keep to the documents that were added here
  web: false,
  allow: "",
  deny: "",
  datasets: [],
  minutes: "",
  calls: "",
  dollars: "",
  tokens: "",
  extractive: false,
};

const hosts = (text) => text.split(/[\s,;]+/).filter(Boolean);

/** The request of the API; `added` are the ids of the documents that were added here. */
export function requestOf(chosen, added = []) {
  const limits = {};
  if (chosen.minutes) limits.max_time = Number(chosen.minutes) * 60;
  if (chosen.calls) limits.max_calls = Number(chosen.calls);
  if (chosen.dollars) limits.max_cost = Number(chosen.dollars);
  if (chosen.tokens) limits.max_tokens = Number(chosen.tokens);
  const config = { effort: chosen.effort, mode: chosen.mode };
  if (Object.keys(limits).length) config.limits = limits;
  if (chosen.datasets.length) config.datasets = chosen.datasets;
  // with datasets a knowledge base is asked only when it is named
  if (chosen.documents && chosen.kb && (chosen.kbs > 1 || chosen.datasets.length)) config.kb = chosen.kb;
  if (chosen.only && added.length && chosen.documents) config.documents = added;
  if (chosen.web) {
    const [allow, deny] = [hosts(chosen.allow), hosts(chosen.deny)];
    config.web = allow.length || deny.length ? { allow, deny } : true;
  }
  if (chosen.extractive) config.reasoner = "extractive";
  return { query: chosen.query.trim(), config };
}

/** The rows under the question. */
export function Choices({ chosen, choose, offer, added }) {
  const set = (name) => (event) => choose({ [name]: event.target.type === "checkbox" ? event.target.checked : event.target.value });
  return html`<div class="choices">
    <fieldset class="choice">
      <legend>${t("effort")}</legend>
      <div class="efforts">
        ${EFFORTS.map(
          (effort) => html`<label class="effort">
            <input type="radio" name="effort" value=${effort} checked=${chosen.effort === effort} onChange=${set("effort")} />
            <span class="term">${t(`effort.${effort}`)}</span>
            <span class="soft">${t(`effort.${effort}.says`)}</span>
          </label>`,
        )}
      </div>
    </fieldset>
    <${Sources} ...${{ chosen, choose, offer, added, set }} />
    <${Budget} ...${{ chosen, offer, set }} />
    <details class="choice">
      <summary>${t("method")}</summary>
      <div class="stack">
        ${MODES.map(
          (mode) => html`<label class="option">
            <input type="radio" name="mode" value=${mode} checked=${chosen.mode === mode} onChange=${set("mode")} />
            <span><span class="term">${t(`mode.${mode}`)}</span> <span class="soft">${t(`mode.${mode}.says`)}</span></span>
          </label>`,
        )}
        ${offer.model &&
        html`<label class="option">
          <input type="checkbox" checked=${chosen.extractive} onChange=${set("extractive")} />
          <span><span class="term">${t("extractive")}</span> <span class="soft">${t("extractive.says", { model: offer.model })}</span></span>
        </label>`}
      </div>
    </details>
  </div>`;
}

function Sources({ chosen, choose, offer, added, set }) {
  const bases = offer.knowledge_bases;
  const base = bases.find(({ name }) => name === chosen.kb);
  const toggle = (name) => (event) =>
    choose({ datasets: event.target.checked ? [...chosen.datasets, name] : chosen.datasets.filter((each) => each !== name), ...(event.target.checked || chosen.datasets.length > 1 ? {} : { documents: true }) });
  return html`<fieldset class="choice">
    <legend>${t("sources")}</legend>
    <div class="stack">
      <div class="option">
        <label class="option">
          <input type="checkbox" checked=${chosen.documents} disabled=${chosen.datasets.length === 0} onChange=${set("documents")} />
          <span><span class="term">${t("sources.documents")}</span> ${bases.length < 2 && html`<span class="soft">${t("sources.count", { n: base?.documents ?? 0 })}</span>`}</span>
        </label>
        ${bases.length > 1 &&
        html`<select aria-label=${t("kb")} value=${chosen.kb} onChange=${set("kb")}>
          ${bases.map(({ name, documents }) => html`<option value=${name}>${name} (${count(documents)})</option>`)}
        </select>`}
      </div>
      ${added.length > 0 &&
      html`<label class="option under">
        <input type="checkbox" checked=${chosen.only} onChange=${set("only")} />
        <span>${t("sources.only", { n: added.length })}</span>
      </label>`}
      ${offer.datasets.map(
        ({ name, kind }) => html`<label class="option" key=${name}>
          <input type="checkbox" checked=${chosen.datasets.includes(name)} onChange=${toggle(name)} />
          <span><span class="term">${name}</span> <span class="soft">${t(kind === "server" ? "sources.server" : "sources.dataset")}</span></span>
        </label>`,
      )}
      ${offer.web &&
      html`<label class="option">
          <input type="checkbox" checked=${chosen.web} onChange=${set("web")} />
          <span><span class="term">${t("sources.web")}</span> ${offer.search.length > 0 && html`<span class="soft">${t("sources.by", { names: offer.search.join(", ") })}</span>`}</span>
        </label>
        ${chosen.web &&
        html`<details class="under">
          <summary>${t("web.hosts")}</summary>
          <div class="pair">
            <label class="field">${t("web.allow")}<input type="text" value=${chosen.allow} onInput=${set("allow")} placeholder="example.org, docs.example.com" inputmode="url" autocapitalize="none" spellcheck=${false} /></label>
            <label class="field">${t("web.deny")}<input type="text" value=${chosen.deny} onInput=${set("deny")} inputmode="url" autocapitalize="none" spellcheck=${false} /></label>
          </div>
        </details>`}`}
    </div>
  </fieldset>`;
}

function Budget({ chosen, offer, set }) {
  const field = (name, step, min) => html`<label class="amount">
    <span>${t(`budget.${name}`)}</span>
    <input type="number" inputmode="decimal" min=${min} step=${step} value=${chosen[name]} onInput=${set(name)} placeholder=${t("budget.none")} />
  </label>`;
  return html`<fieldset class="choice">
    <legend>${t("budget")}</legend>
    <div class="amounts">
      ${field("minutes", "any", "0.1")} ${field("calls", "1", "1")}
      ${offer.model && !chosen.extractive && html`${field("dollars", "any", "0.001")} ${field("tokens", "1000", "1")}`}
    </div>
  </fieldset>`;
}
