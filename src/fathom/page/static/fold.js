/** Folds a run's events into what is shown of it. No page, no clock, no words: keys of words and their values. */

/** A run of which nothing is known yet. */
export function begin() {
  return {
    seq: 0,
    query: "",
    phase: { name: "starting" },
    strategy: null,
    rows: new Map(), // by subtask id
    findings: new Map(), // by finding id, oldest first
    sections: new Map(), // by heading, in the order of writing
    planned: 0, // sections of the outline
    title: "",
    pages: 0,
    datasets: new Map(), // by name: records, fields, scanned by subtask
    spent: null,
    checked: null,
    troubles: [],
    revisions: [],
    startedAt: null, // milliseconds
    at: null, // of the last event
    outcome: null, // "completed", "partial", "failed"
    error: null,
  };
}

/** The state after `events`; `state` itself stays as it is. An event that is known already changes nothing. */
export function fold(state, events) {
  let last = state.seq;
  const fresh = events.filter(({ seq }) => seq > last && (last = seq));
  if (fresh.length === 0) return state;
  const next = { ...state, rows: new Map(), troubles: [...state.troubles], revisions: [...state.revisions] };
  for (const [id, row] of state.rows) next.rows.set(id, { ...row });
  if (fresh.some(({ event }) => event.kind === "extracted")) next.findings = new Map(state.findings);
  if (fresh.some(({ event }) => TOLD_OF_SECTIONS.has(event.kind))) next.sections = new Map(state.sections);
  if (fresh.some(({ event }) => "dataset" in event)) next.datasets = new Map(state.datasets);
  for (const { seq, at, event } of fresh) {
    next.seq = seq;
    next.at = Date.parse(at);
    TAKE[event.kind]?.(next, event, next.at);
  }
  return next;
}

/** The rows as a tree: each with its `children`, in the order of their ids. */
export function tree(rows) {
  const nodes = new Map();
  const roots = [];
  for (const row of [...rows.values()].sort(byId)) {
    const node = { ...row, children: [] };
    nodes.set(row.subtask_id, node);
    (nodes.get(row.parent_id)?.children ?? roots).push(node);
  }
  return roots;
}

const numbers = (id) => id.replace("task_", "").split(".").map(Number);

function byId(one, other) {
  const [a, b] = [numbers(one.subtask_id), numbers(other.subtask_id)];
  for (let place = 0; place < Math.min(a.length, b.length); place += 1) {
    if (a[place] !== b[place]) return a[place] - b[place];
  }
  return a.length - b.length;
}

const doing = (name, values = {}) => ({ name, ...values });

function rowOf(next, id, description = "") {
  if (!next.rows.has(id)) {
    const depth = id.split(".").length - 1;
    next.rows.set(id, {
      subtask_id: id,
      parent_id: depth ? id.slice(0, id.lastIndexOf(".")) : null,
      depth,
      description,
      priority: 1,
      dependencies: [],
      status: "pending",
      doing: doing("waits"),
      passages: 0,
      findings: 0,
      started: null,
      ended: null,
    });
  }
  return next.rows.get(id);
}

function add(next, subtasks) {
  for (const { subtask_id, parent_id, depth, description, priority, dependencies } of subtasks) {
    Object.assign(rowOf(next, subtask_id, description), { parent_id, depth, priority, dependencies });
  }
}

function scan(next, name, change) {
  const known = next.datasets.get(name) ?? { records: null, fields: 0, scanned: {} };
  next.datasets.set(name, { ...known, ...change(known) });
}

const TOLD_OF_SECTIONS = new Set(["run_started", "outlined", "section_drafted", "section_written"]);

const TAKE = {
  run_started(next, { query }, at) {
    Object.assign(next, { query, phase: { name: "planning" }, error: null, outcome: null, pages: 0, startedAt: at });
    next.sections = new Map();
    // whoever takes the run up starts what its forerunner had under way
    for (const row of next.rows.values()) {
      if (row.status === "researching") Object.assign(row, { status: "pending", doing: doing("waits") });
    }
  },
  planned(next, { plan }) {
    next.rows = new Map();
    next.strategy = plan.overall_strategy || null;
    next.phase = { name: "researching" };
    add(next, plan.subtasks);
  },
  subtask_started(next, { subtask_id, description }, at) {
    const row = rowOf(next, subtask_id, description);
    Object.assign(row, { status: "researching", doing: doing("starts"), started: row.started ?? at });
  },
  allocated(next, { subtask_id, queries }) {
    rowOf(next, subtask_id).doing = doing("asks", { where: Object.keys(queries).join(", ") });
  },
  gathered(next, { subtask_id, passages }) {
    const row = rowOf(next, subtask_id);
    row.passages += passages;
    row.doing = doing("reads", { n: passages });
  },
  web_searched(next, { subtask_id, provider }) {
    if (subtask_id) rowOf(next, subtask_id).doing = doing("asks", { where: provider });
    else next.phase = { name: "asking", where: provider };
  },
  page_read(next) {
    next.pages += 1;
  },
  page_left_out(next, { url, reason }) {
    next.troubles.push({ name: "page", url, reason });
  },
  dataset_described(next, { dataset, records, fields }) {
    scan(next, dataset, () => ({ records, fields }));
  },
  turn_directed(next, { subtask_id, turn, agents, tools }) {
    rowOf(next, subtask_id).doing = doing("turns", { turn, what: [...agents, ...tools].join(", ") });
  },
  records_scanned(next, { subtask_id, dataset, scanned, matched }) {
    rowOf(next, subtask_id).doing = matched === null ? doing("scans", { n: scanned }) : doing("scans_of", { n: scanned, all: matched });
    scan(next, dataset, (known) => ({ scanned: { ...known.scanned, [subtask_id]: scanned } }));
  },
  extracted(next, { subtask_id, total, shown = [] }) {
    Object.assign(rowOf(next, subtask_id), { findings: total, doing: doing("judges") });
    for (const { finding_id, claim, title, uri } of shown) {
      if (!next.findings.has(finding_id)) next.findings.set(finding_id, { finding_id, subtask_id, claim, title, uri });
    }
  },
  assessed(next, { subtask_id, evaluation }) {
    rowOf(next, subtask_id).doing = doing(evaluation.depth_quality);
  },
  routed(next, { subtask_id, decision }) {
    if (subtask_id && DECISIONS[decision]) rowOf(next, subtask_id).doing = doing(DECISIONS[decision]);
  },
  drilled_down(next, { subtask_id, children }) {
    add(next, children);
    rowOf(next, subtask_id).doing = doing("waits_for", { n: children.length });
  },
  subtask_ended(next, { subtask_id, status, findings, reason }, at) {
    Object.assign(rowOf(next, subtask_id), { status, findings, ended: at, doing: reason ? doing("because", { reason }) : doing("nothing") });
  },
  plan_revised(next, { accepted, reason, added = [], removed = [], priority_changes = {} }) {
    add(next, added);
    for (const id of removed) Object.assign(rowOf(next, id), { status: "removed", doing: doing("nothing") });
    for (const [id, priority] of Object.entries(priority_changes)) rowOf(next, id).priority = priority;
    next.revisions.push({ accepted, reason, added: added.map((subtask) => subtask.description), removed: removed.length });
  },
  reflected(next, { weak }) {
    next.phase = { name: weak.length ? "researching_again" : "outlining" };
  },
  outlined(next, { title, sections }) {
    Object.assign(next, { title, planned: sections.length, phase: { name: "writing" } });
  },
  section_drafted(next, { heading, text }) {
    const before = next.sections.get(heading);
    const stood = before && !before.written ? `${before.text} ` : "";
    next.sections.set(heading, { text: stood + text, written: false });
    next.phase = { name: "writing_section", heading };
  },
  section_written(next, { heading, text, statements }) {
    next.sections.set(heading, { text: text || next.sections.get(heading)?.text || "", written: true, statements });
    next.phase = { name: "writing_section", heading };
  },
  checked(next, { quoted, supported, partial, unsupported, contradicted, unjudged }) {
    Object.assign(next, { checked: { quoted, supported, partial, unsupported, contradicted, unjudged }, phase: { name: "checking" } });
  },
  stood_in(next, { call, reason }) {
    next.troubles.push({ name: "stood_in", call, reason });
  },
  left_out(next, { call, count }) {
    next.troubles.push({ name: "left_out", call, n: count });
  },
  call_failed(next, { call, error }) {
    next.troubles.push({ name: "call_failed", call, reason: error });
  },
  spent(next, { calls, tokens, cost_usd }) {
    next.spent = { calls, tokens, cost_usd };
  },
  stopping(next, { reason }) {
    next.phase = { name: "stopping", reason };
  },
  finished(next, { partial, claims }) {
    next.outcome = partial ? "partial" : "completed";
    next.phase = { name: claims || partial ? next.outcome : "nothing" };
  },
  failed(next, { error }) {
    Object.assign(next, { outcome: "failed", error, phase: { name: "failed" } });
  },
};

const DECISIONS = { allocate: "asks_further", drill_down: "goes_deeper", synthesize: "sums_up" };
