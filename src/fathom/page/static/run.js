/** How research goes: the tree of subtasks, what is found, what is written, and what went wrong on the way. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { Proposal } from "/assets/approve.js";
import { count } from "/assets/format.js";
import { Capped, Elapsed, Line, Mark } from "/assets/parts.js";
import { parts } from "/assets/progress.js";
import { PartMenu } from "/assets/steer.js";
import { Wishes } from "/assets/wishes.js";
import { t } from "/assets/words.js";

const FINDINGS_SHOWN = 8;
const PER_SUBTASK = 8;
const ROWS_SHOWN = 60;
const TROUBLES_SHOWN = 20;
const CALM = 15_000; // between two times that what was read is counted aloud

/** A run of which nothing is known yet. */
export const NEW = { seq: 0, step: { name: "starting" }, stage: null, started: null, spent: null, pages: 0, datasets: 0, records: 0, read: 0, sources: [], subtasks: {}, findings: new Map(), sections: new Map(), troubles: [], revisions: [], turns: 0, given: new Map(), steered: new Map() };

/** The run after more of its events: how far it is, the service tells beside them. */
export function told(run, events) {
  const next = { ...run, seq: events.at(-1).seq };
  for (const name of ["findings", "sections", "given", "steered"]) next[name] = new Map(run[name]);
  for (const name of ["troubles", "revisions"]) next[name] = [...run[name]];
  for (const { event } of events) TAKE[event.kind]?.(next, event);
  return next;
}

const trouble = ({ troubles }, event) => troubles.push(event);
const TAKE = {
  progress: (next, { whole, subtasks, sources, ...far }) =>
    Object.assign(next, far, { sources: sources ?? next.sources, subtasks: whole ? subtasks : { ...next.subtasks, ...subtasks } }),
  planned: (next, { plan }) => Object.assign(next, { wishes: plan.preferences }),
  run_started({ sections, steered }) {
    sections.clear();
    steered.delete("write"); // that was an earlier attempt
  },
  approval_asked: (next) => (next.turns += 1),
  approval_given(next, event) {
    next.turns += 1;
    next.given.set(event.approval_id, event);
  },
  steered: ({ steered }, { command, subtask_id }) => steered.set(subtask_id ?? "write", command),
  drilled_down: ({ steered }, { subtask_id }) => steered.delete(subtask_id),
  subtask_ended: ({ steered }, { subtask_id }) => steered.delete(subtask_id),
  extracted({ findings }, { subtask_id, shown = [] }) {
    for (const each of shown) if (!findings.has(each.finding_id)) findings.set(each.finding_id, { ...each, subtask_id });
  },
  section_drafted({ sections }, { heading, text }) {
    const before = sections.get(heading);
    sections.set(heading, { text: before && !before.written ? `${before.text} ${text}` : text, written: false });
  },
  section_written: ({ sections }, { heading, text }) => sections.set(heading, { text: text || sections.get(heading)?.text || "", written: true }),
  plan_revised: ({ revisions }, event) => revisions.push(event),
  page_left_out: trouble,
  stood_in: trouble,
  left_out: trouble,
  call_failed: trouble,
};

/** The run when it is told to do something, until its events say that it has: of one part, or `write`. */
export const asked = (run, command, part = "write") => ({ ...run, steered: new Map(run.steered).set(part, command) });

/** The subtasks as a tree: each with its `children`, in the order of their ids. */
export function tree(subtasks) {
  const sorted = Object.values(subtasks).sort((one, other) => one.subtask_id.localeCompare(other.subtask_id, "en", { numeric: true }));
  const under = (id) => sorted.filter(({ parent_id }) => (parent_id in subtasks ? parent_id : null) === id).map((each) => ({ ...each, children: under(each.subtask_id) }));
  return under(null);
}

/** All of it; while it goes on it can be steered where the parts stand (see `approve.js` and `steer.js`). */
export function Run({ run, language, live, steering }) {
  const rows = tree(run.subtasks);
  const findings = [...run.findings.values()].reverse();
  const { done, n } = parts(run);
  return html`<div class=${live ? "run is-live" : "run"}>
    <section class="tree" aria-labelledby="subtasks">
      <h2 id="subtasks">${t("subtasks")} ${n > 0 && html`<span class="soft figure">${t("of", { done, all: n })}</span>`}</h2>
      <${Wishes} of=${run.wishes} />
      ${rows.length === 0 && html`<p class="soft">${t(run.stage === null ? "subtasks.later" : "subtasks.none")}</p>`}
      <${Branch} ...${{ nodes: rows, findings, language, steering }} />
    </section>
    <${Read} run=${run} live=${live} />
    <section class="found" aria-labelledby="found">
      <h2 id="found">${t("findings")}</h2>
      ${findings.length === 0
        ? html`<p class="soft">${t(live ? "findings.none" : "status.nothing")}</p>`
        : html`<${Capped} items=${findings} most=${FINDINGS_SHOWN} class="findings" each=${(finding) => html`<${Finding} key=${finding.finding_id} finding=${finding} language=${language} />`} />`}
    </section>
    ${run.sections.size > 0 && html`<${Draft} run=${run} language=${language} />`}
    ${(run.revisions.length > 0 || run.troubles.length > 0) && html`<div class="asides"><${Revisions} revisions=${run.revisions} /><${Troubles} troubles=${run.troubles} /></div>`}
  </div>`;
}

function Branch({ nodes, ...rest }) {
  if (nodes.length === 0) return null;
  return html`<${Capped} items=${nodes} most=${ROWS_SHOWN} class="branch" each=${(node) => html`<${Subtask} key=${node.subtask_id} node=${node} ...${rest} />`} />`;
}

function Subtask({ node, findings, language, steering }) {
  const [open, setOpen] = useState(false);
  const { name, values } = node.step;
  const state = node.status === "completed" && node.findings === 0 && node.children.length === 0 ? "nothing" : node.status;
  const wish = steering?.steered.get(node.subtask_id);
  const because = values.reason === "skipped" ? !wish && node.status !== "skipped" && t("subtask.skipped") : html`<${Line} line=${values.reason} />`;
  const doing = name === "because" ? because : t(`doing.${name}`, values);
  const row = html`<span class="subtask">
    <${Mark} status=${state} />
    <span class="text" lang=${language}>${node.description}</span>
    <span class="facts">
      <span class=${`is-${state}`}>${t(`subtask.${state}`)}</span>
      ${doing && html`<span>${doing}</span>`}
      ${wish && html`<span class="wish">${t(`wish.${wish}`)}</span>`}
      ${node.findings > 0 && html`<span>${t("count.findings", { n: node.findings })}</span>`}
      ${node.started !== null && html`<${Elapsed} since=${Date.parse(node.started)} until=${node.ended && Date.parse(node.ended)} />`}
    </span>
  </span>`;
  return html`<li>
    <div class="part-row">
      ${node.findings > 0
      ? html`<details onToggle=${(event) => setOpen(event.target.open)}>
          <summary>${row}</summary>
          ${open && html`<${Own} node=${node} findings=${findings} language=${language} />`}
        </details>`
      : row}
      ${steering && html`<${PartMenu} node=${node} steering=${steering} />`}
    </div>
    ${steering?.open
      .filter(({ about, subtask_id }) => about !== "plan" && subtask_id === node.subtask_id)
      .map((approval) => html`<${Proposal} key=${approval.id} approval=${approval} subtasks=${steering.subtasks} language=${language} say=${steering.say} />`)}
    <${Branch} ...${{ nodes: node.children, findings, language, steering }} />
  </li>`;
}

function Own({ node, findings, language }) {
  const own = findings.filter((finding) => finding.subtask_id === node.subtask_id);
  if (own.length === 0) return html`<p class="soft under">${t("findings.below")}</p>`;
  return html`<div class="under">${node.children.length === 0 && own.length < node.findings && html`<p class="soft">${t("findings.some", { done: own.length, n: node.findings })}</p>`}<${Capped} items=${own} most=${PER_SUBTASK} class="findings" each=${(finding) => html`<${Finding} key=${finding.finding_id} finding=${finding} language=${language} />`} /></div>`;
}

const Finding = ({ finding, language }) => html`<li>
  <p lang=${language}>${finding.claim}</p>
  <p class="soft">${finding.title || finding.uri}</p>
</li>`;

/** What was read last. It is counted aloud now and then: each one would be too much to listen to. */
function Read({ run, live }) {
  const counted = useCalm(live && run.read > 0 ? t("read.counted", { n: run.read }) : "");
  return html`<section class="read" aria-labelledby="read">
    <h2 id="read">${t("read")} ${run.read > 0 && html`<span class="soft figure">${count(run.read)}</span>`}</h2>
    ${run.sources.length === 0 && html`<p class="soft">${t(live ? "read.none" : "sources.none")}</p>`}
    <ul>
      ${run.sources.map(
        ({ number, kind, title, host, records, findings }) => html`<li key=${number}>
          <span class="clip" title=${title}>${title}</span>
          <span class="soft facts">
            <span class="clip">${host || t(`kind.${kind}`)}</span>
            ${records > 0 && html`<span>${t("count.records", { n: records })}</span>`}
            ${findings > 0 && html`<span>${t("count.findings", { n: findings })}</span>`}
          </span>
        </li>`,
      )}
    </ul>
    <p class="unseen" role="status">${counted}</p>
  </section>`;
}

/** What `text` was a while ago: it changes once in `CALM` milliseconds at most. */
function useCalm(text) {
  const [told, setTold] = useState("");
  const at = useRef(Date.now());
  useEffect(() => {
    if (text === told) return undefined;
    const timer = setTimeout(() => {
      at.current = Date.now();
      setTold(text);
    }, at.current + CALM - Date.now());
    return () => clearTimeout(timer);
  }, [text, told]);
  return told;
}

/** The report as it is being written. */
function Draft({ run, language }) {
  const written = [...run.sections.values()].filter((section) => section.written).length;
  return html`<section class="draft" aria-labelledby="draft">
    <h2 id="draft">${t("draft")} ${written > 0 && html`<span class="soft">${t("draft.sections", { n: written })}</span>`}</h2>
    <p class="soft">${t("draft.unchecked")}</p>
    <div class="prose" lang=${language}>
      ${[...run.sections].map(([heading, { text, written: stands }]) => html`<section key=${heading} class=${stands ? "" : "is-coming"}><h3>${heading}</h3><p>${text}</p></section>`)}
    </div>
  </section>`;
}

function Revisions({ revisions }) {
  if (revisions.length === 0) return null;
  return html`<details>
    <summary>${t("revisions", { n: revisions.length })}</summary>
    <ul class="plain">
      ${revisions.map(
        ({ accepted, reason, added, removed }) => html`<li>
          <p><strong>${t(accepted ? "revision.accepted" : "revision.declined")}</strong> <${Line} line=${reason} /></p>
          ${added.length > 0 && html`<ul>${added.map((each) => html`<li>${t("revision.added", { what: each.description })}</li>`)}</ul>`}
          ${removed.length > 0 && html`<p>${t("revision.removed", { n: removed.length })}</p>`}
        </li>`,
      )}
    </ul>
  </details>`;
}

function Troubles({ troubles }) {
  if (troubles.length === 0) return null;
  return html`<details>
    <summary>${t("troubles", { n: troubles.length })}</summary>
    <${Capped}
      items=${troubles}
      most=${TROUBLES_SHOWN}
      class="plain"
      each=${({ kind, call, count, url, reason, error }) => html`<li>
        ${t(`trouble.${kind}`, { n: count, call: call?.replaceAll("_", " ") })}
        ${url && html` <span class="address">${url}</span>`}
        ${(reason ?? error) && html` <${Line} class="soft" line=${reason ?? error} />`}
      </li>`}
    />
  </details>`;
}
