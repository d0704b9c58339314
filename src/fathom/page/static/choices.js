/** How a question is to be answered: effort, sources, budget, method; and the request that this amounts to. */

import { html, useState } from "/assets/vendor/preact.js";
import { Bases, chooseBase } from "/assets/bases.js";
import { t } from "/assets/words.js";

const EFFORTS = ["quick", "standard", "deep"];
const MODES = ["auto", "simple", "hierarchical"];

/** What is chosen before anybody has chosen. */
export const UNCHOSEN = {
  query: "",
  model: null, // the one in force
  effort: null, // the one of the service
  mode: "auto",
  kb: null, // the first that there is
  documents: true,
  only: false, // keep to the documents of `added`
  added: [], // ids of documents that were added here, or that an earlier session has kept to
  web: false,
  allow: "",
  deny: "",
  datasets: [],
  minutes: "",
  calls: "",
  dollars: "",
  tokens: "",
  extractive: false,
  clarify: false, // whether it asks first what the question means
  approve: [], // what waits until somebody has approved it
  limits: null, // of the session that is asked again: they tell its effort
  again: null, // that session, and how it was set up
};

/** What was chosen for a session. */
export function chosenFor({ id, query, mode, reasoner, model, sources, limits }) {
  const { kb, documents, web, datasets } = sources;
  const chosen = {
    ...UNCHOSEN,
    query,
    model,
    mode,
    kb,
    documents: kb !== null,
    only: documents.length > 0,
    added: documents,
    web: web !== null,
    allow: web?.allow.join(", ") ?? "",
    deny: web?.deny.join(", ") ?? "",
    datasets,
    minutes: limits.max_time === null ? "" : limits.max_time / 60,
    calls: limits.max_calls ?? "",
    dollars: limits.max_cost ?? "",
    tokens: limits.max_tokens ?? "",
    extractive: reasoner.startsWith("extractive"),
    clarify: limits.clarify ?? false,
    approve: limits.approve ?? [],
    limits,
  };
  return { ...chosen, again: { id, settings: settingsOf(chosen) } };
}

const settingsOf = ({ query, again, minutes, calls, dollars, tokens, ...settings }) => JSON.stringify(settings);

/** What may be spent; null where nothing is said. */
function budgetOf({ minutes, calls, dollars, tokens }) {
  const given = (amount, unit = 1) => (amount === "" ? null : Number(amount) * unit);
  return { max_time: given(minutes, 60), max_calls: given(calls), max_cost: given(dollars), max_tokens: given(tokens) };
}

/** The session that is asked again, with its question and its budget; null when there is none, or more of it is changed. */
export function rerunOf(chosen) {
  if (chosen.again?.settings !== settingsOf(chosen)) return null;
  return { id: chosen.again.id, changes: { question: chosen.query.trim(), limits: budgetOf(chosen) } };
}

/** The effort whose limits are most like those; the one of the service without any. */
export function effortLike(limits, offer) {
  if (!limits || !offer) return offer?.effort ?? null;
  const differing = (effort) => Object.entries(offer.efforts[effort]).filter(([name, value]) => limits[name] !== value).length;
  return EFFORTS.reduce((best, effort) => (differing(effort) < differing(best) ? effort : best));
}

/** What changes of what is chosen when the service gives this: something may be gone meanwhile. */
export function stillOffered(chosen, { datasets, knowledge_bases, web, models }) {
  return settled(chosen, {
    model: models.includes(chosen.model) ? chosen.model : null,
    kb: knowledge_bases.some(({ name }) => name === chosen.kb) ? chosen.kb : null,
    datasets: chosen.datasets.filter((name) => datasets.some((each) => each.name === name)),
    web: chosen.web && web,
  });
}

const asksOnlyDocuments = ({ web, datasets }) => !web && datasets.length === 0;

/** `changes`, and the documents with them when nothing else would be asked any more. */
const settled = (chosen, changes) => (asksOnlyDocuments({ ...chosen, ...changes }) ? { ...changes, documents: true } : changes);

const hosts = (text) => text.split(/[\s,;]+/).filter(Boolean);

/** The request of the API. */
export function requestOf(chosen) {
  const limits = Object.fromEntries(Object.entries(budgetOf(chosen)).filter(([, amount]) => amount));
  if (chosen.clarify) limits.clarify = true;
  if (chosen.approve.length) limits.approve = chosen.approve;
  const config = { effort: chosen.effort, mode: chosen.mode };
  if (Object.keys(limits).length) config.limits = limits;
  if (chosen.datasets.length) config.datasets = chosen.datasets;
  if (!chosen.documents) config.knowledge = false;
  // it belongs to one, also if that is not asked; and with datasets one is asked only when it is named
  if (chosen.kb && (chosen.kbs > 1 || (chosen.documents && chosen.datasets.length))) config.kb = chosen.kb;
  if (chosen.documents && chosen.only && chosen.added.length) config.documents = chosen.added;
  if (chosen.web) {
    const [allow, deny] = [hosts(chosen.allow), hosts(chosen.deny)];
    config.web = allow.length || deny.length ? { allow, deny } : true;
  }
  if (chosen.extractive) config.reasoner = "extractive";
  else if (chosen.model) config.model = chosen.model;
  return { query: chosen.query.trim(), config };
}

/** The rows under the question. */
export function Choices({ chosen, choose, offer }) {
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
    <${Sources} ...${{ chosen, choose, offer, set }} />
    <${Budget} ...${{ chosen, offer, set }} />
    <${Approval} chosen=${chosen} choose=${choose} />
    <details class="choice">
      <summary>${t("method")}</summary>
      <div class="stack">
        ${MODES.map(
          (mode) => html`<${Option}
            type="radio"
            group="mode"
            value=${mode}
            name=${t(`mode.${mode}`)}
            says=${t(`mode.${mode}.says`)}
            checked=${chosen.mode === mode}
            change=${set("mode")}
          />`,
        )}
        ${offer.models.length > 1 &&
        !chosen.extractive &&
        html`<label class="field">${t("model")}<select value=${chosen.model ?? offer.model} onChange=${set("model")}>${offer.models.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`}
        ${offer.model &&
        html`<${Option}
          name=${t("extractive")}
          says=${t("extractive.says", { model: chosen.model ?? offer.model })}
          checked=${chosen.extractive}
          change=${set("extractive")}
        />`}
      </div>
    </details>
  </div>`;
}

function Sources({ chosen, choose, offer, set }) {
  const { knowledge_bases: bases, datasets, search, web } = offer;
  const base = bases.find(({ name }) => name === chosen.kb);
  const ask = (changes) => choose(settled(chosen, changes));
  const change = (kb) => {
    chooseBase(kb); // what was chosen of another does not belong to it
    ask({ kb, added: [], datasets: chosen.datasets.filter((name) => datasets.some((each) => each.name === name && each.kb === null)) });
  };
  const toggle = (name) => (event) =>
    ask({ datasets: event.target.checked ? [...chosen.datasets, name] : chosen.datasets.filter((each) => each !== name) });
  return html`<fieldset class="choice">
    <legend>${t("sources")}</legend>
    <div class="stack">
      <div class="option">
        <${Option}
          name=${t("sources.documents")}
          says=${bases.length < 2 && t("sources.count", { n: base?.documents ?? 0 })}
          checked=${chosen.documents}
          disabled=${asksOnlyDocuments(chosen)}
          change=${set("documents")}
        />
        <${Bases} bases=${bases} value=${chosen.kb} choose=${change} />
      </div>
      ${datasets.filter(({ kb }) => kb === null || kb === chosen.kb).map(
        ({ name, kind }) => html`<${Option}
          key=${name}
          name=${name}
          says=${t(kind === "server" ? "sources.server" : "sources.dataset")}
          checked=${chosen.datasets.includes(name)}
          change=${toggle(name)}
        />`,
      )}
      ${web &&
      html`<${Option}
          name=${t("sources.web")}
          says=${search.length > 0 && t("sources.by", { names: search.join(", ") })}
          checked=${chosen.web}
          change=${(event) => ask({ web: event.target.checked })}
        />
        ${chosen.web && html`<${Hosts} chosen=${chosen} set=${set} />`}`}
    </div>
  </fieldset>`;
}

/** A line that is chosen or not, with a word on what it means. */
const Option = ({ type = "checkbox", group, value, name, says, checked, disabled = false, change }) => html`<label class="option">
  <input type=${type} name=${group} value=${value} checked=${checked} disabled=${disabled} onChange=${change} />
  <span><span class="term">${name}</span> ${says && html`<span class="soft">${says}</span>`}</span>
</label>`;

/** What the session is to wait with. */
function Approval({ chosen, choose }) {
  const { approve } = chosen;
  const option = (about) => html`<${Option}
    name=${t(`choose.${about}`)}
    says=${t(`choose.${about}.says`)}
    checked=${approve.includes(about)}
    change=${(event) => choose({ approve: event.target.checked ? [...approve, about] : approve.filter((each) => each !== about) })}
  />`;
  const [open] = useState(approve.some((about) => about !== "plan")); // from then on it is opened and closed by hand
  return html`<fieldset class="choice">
    <legend>${t("choose")}</legend>
    <div class="stack">
      <${Option} name=${t("choose.question")} says=${t("choose.question.says")} checked=${chosen.clarify} change=${(event) => choose({ clarify: event.target.checked })} />
      ${option("plan")}
      <details class="under" open=${open}>
        <summary>${t("choose.more")}</summary>
        <div class="stack more">${option("drilldown")} ${option("revision")}</div>
      </details>
    </div>
  </fieldset>`;
}

function Hosts({ chosen, set }) {
  const field = (name, example) => html`<label class="field">
    ${t(`web.${name}`)}
    <input type="text" inputmode="url" autocapitalize="none" spellcheck=${false} placeholder=${example} value=${chosen[name]} onInput=${set(name)} />
  </label>`;
  const [open] = useState(Boolean(chosen.allow || chosen.deny)); // from then on it is opened and closed by hand
  return html`<details class="under" open=${open}>
    <summary>${t("web.hosts")}</summary>
    <div class="pair">${field("allow", "example.org, docs.example.com")} ${field("deny")}</div>
  </details>`;
}

/** How much of something may be spent; nothing stands for as much as it takes. Calls and tokens are whole. */
export function Amount({ of, ...rest }) {
  const least = of === "calls" || of === "tokens" ? { min: "1", step: "1" } : { min: "0.001", step: "any" };
  return html`<label class="amount">
    <span>${t(`budget.${of}`)}</span>
    <input type="number" inputmode="decimal" placeholder=${t("budget.none")} ...${least} ...${rest} />
  </label>`;
}

function Budget({ chosen, offer, set }) {
  const field = (name) => html`<${Amount} of=${name} value=${chosen[name]} onInput=${set(name)} />`;
  return html`<fieldset class="choice">
    <legend>${t("budget")}</legend>
    <div class="amounts">
      ${field("minutes")} ${field("calls")}
      ${offer.model && !chosen.extractive && html`${field("dollars")} ${field("tokens")}`}
    </div>
  </fieldset>`;
}
