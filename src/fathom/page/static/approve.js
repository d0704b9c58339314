/** What a session waits for its person to approve: its plan, which can be edited, and what it would change on the way. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "/assets/vendor/preact.js";
import { answer, approvals, expected, now } from "/assets/api.js";
import { duration, listed, moment, share } from "/assets/format.js";
import { Failure, useTick } from "/assets/parts.js";
import { Takes } from "/assets/prospect.js";
import { t } from "/assets/words.js";

const AGAIN = 4_000;
const SOON = 300; // seconds before it goes on by itself from which they are counted
const LONGEST = 2_000; // characters of a part, and of a remark

/**
 * What a session waits for, by its own word: asked for again when its events say that this may have changed.
 *
 * @returns `open`, the approvals; `settled`, those that have gone without an answer from here; and `say`, which answers
 */
export function useApprovals(id, active, turns) {
  const [open, setOpen] = useState([]);
  const [settled, setSettled] = useState([]);
  const seen = useRef(new Map()); // those that stand here without an answer from here
  const answered = useRef(new Set()); // from here: the run may take a moment to hear it
  const show = (all) => {
    const told = all.filter((each) => !answered.current.has(each.id));
    const ids = new Set(told.map((each) => each.id));
    const gone = [...seen.current.values()].filter((each) => !ids.has(each.id));
    seen.current = new Map(told.map((each) => [each.id, each]));
    setOpen(told.map((each) => ({ ...each, of: id, at: `approval-${each.id}-${id}` })));
    if (gone.length) setSettled((known) => [...known, ...gone]);
  };
  const look = () => approvals(id).then((told) => show(told.approvals));
  useEffect(() => {
    if (!active) return show([]);
    let timer = null;
    let stopped = false;
    const again = () => {
      if (!stopped) timer = setTimeout(follow, AGAIN);
    };
    // while nothing is open, an event says when that changes; and the line says when it is broken
    const follow = () => (stopped ? undefined : look().then(() => seen.current.size && again(), again));
    follow();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [id, active, turns]);
  const say = async (approval, said) => {
    try {
      await answer(id, approval.id, said);
    } catch (problem) {
      if (problem.status !== 409 && problem.status !== 404) throw problem;
      return look(); // somebody else was faster, or the time was up: it is told as settled
    }
    answered.current.add(approval.id);
    seen.current.delete(approval.id);
    setOpen((known) => known.filter((each) => each.id !== approval.id));
    setSettled([]);
    const asked = document.getElementById(`${id}-asked`) ?? document.getElementById("question");
    asked?.focus({ preventScroll: true });
    if (!approval.subtask_id) asked?.closest(".follow-up, body").scrollIntoView({ block: "start" }); // where it goes on
  };
  return { open, settled, say };
}

/** Tells of what was open here that somebody else has answered it, or the clock. */
export function Settled({ settled, given }) {
  const told = settled.map(({ id }) => given.get(id)).filter(Boolean);
  return html`<div role="status">
    ${told.map(({ about, by, decision }) => {
      const what = t(`waits.${about}`);
      return html`<p class="note">${by === "time" ? t("settled.time", { what }) : t("settled.person", { what, how: t(`settled.${decision}`) })}</p>`;
    })}
  </div>`;
}

/** What happens when nobody answers, and when. */
export function ByItself({ until, about }) {
  const left = until === null ? Infinity : (Date.parse(until) - now()) / 1_000;
  useTick(left !== Infinity);
  if (left === Infinity) return html`<p class="soft">${t("until.answered")}</p>`;
  return html`<p class="soft">
    ${left < SOON ? t(`until.soon.${about}`, { time: duration(left) }) : t(`until.${about}`, { time: moment(until) })}
  </p>`;
}

/** Does `work` once at a time; what fails is kept. */
export function useWork() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const attempt = async (work) => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    await work()
      .catch(setProblem)
      .finally(() => setBusy(false));
  };
  return { busy, problem, attempt };
}

/** A drill-down or a revision, at the part that it concerns. */
export function Proposal({ approval, subtasks, language, say }) {
  const { at, about, subtask_id, proposed, removed, reason, until } = approval;
  const where = subtasks[subtask_id]?.description ?? "";
  const { busy, problem, attempt } = useWork();
  const decide = (decision) => () => attempt(() => say(approval, { decision }));
  return html`<section class="proposal" id=${at} tabindex="-1" aria-label=${`${t(`approve.${about}`)} ${where}`}>
    <h3>${t(`approve.${about}`)}</h3>
    ${reason && html`<p class="soft" lang=${language}>${reason}</p>`}
    ${proposed.length > 0 &&
    html`<p class="soft">${t("approve.added")}</p>
      <ul class="dots" lang=${language}>${proposed.map((each) => html`<li>${each.description}</li>`)}</ul>`}
    ${removed.length > 0 &&
    html`<p class="soft">${t("approve.removed")}</p>
      <ul class="dots" lang=${language}>${removed.map((each) => html`<li>${subtasks[each]?.description ?? each}</li>`)}</ul>`}
    <${ByItself} until=${until ?? null} about=${about} />
    <${Failure} problem=${problem} />
    <div class="row">
      <button type="button" class="primary" disabled=${busy} onClick=${decide("accept")}>${t(`approve.${about}.yes`)}</button>
      <button type="button" class="quiet" disabled=${busy} onClick=${decide("reject")}>${t(`approve.${about}.no`)}</button>
    </div>
  </section>`;
}

const partOf = ({ subtask_id, description, dependencies, estimated_importance }) => ({ id: subtask_id, text: description, after: dependencies, importance: estimated_importance });
const numberOf = (id) => Number(id.slice("task_".length));

/** The parts that wait for each other in a circle, by their ids. */
export function circle(parts) {
  const left = new Map(parts.map(({ id, after }) => [id, after]));
  const isNeeded = (id) => [...left.values()].some((after) => after.includes(id));
  const isFree = ([id, after]) => !after.some((each) => left.has(each)) || !isNeeded(id);
  for (let free; (free = [...left].find(isFree)); ) left.delete(free[0]);
  return new Set(left.keys());
}

/** The plan that a session waits with: to be accepted, edited, or made again. At most `most` parts. */
export function PlanCard({ approval, most, language, say }) {
  const proposed = approval.proposed.map(partOf);
  const [parts, setParts] = useState(proposed);
  const [taken, setTaken] = useState({ of: proposed, estimate: approval.estimate }); // what which parts would take
  const [tried, setTried] = useState(false);
  const [moved, setMoved] = useState("");
  const { busy, problem, attempt } = useWork();
  const named = (what, part) => `${what}-${approval.at}-${part}`; // in the document
  const fresh = useRef(Math.max(0, ...proposed.map(({ id }) => numberOf(id))));
  const target = useRef(null); // what has the focus next: ids, the first that can
  useLayoutEffect(() => {
    // before the next key: one that is held down moves a part on
    const next = target.current?.map((id) => document.getElementById(id)).find((each) => each && !each.disabled);
    target.current = null;
    next?.focus();
  }, [parts]);

  const isSame = (others) => JSON.stringify(parts) === JSON.stringify(others);
  const changed = !isSame(proposed);
  const isOld = !isSame(taken.of);
  const inCircle = circle(parts);
  const places = new Map(parts.map(({ id }, place) => [id, place + 1]));
  const which = listed([...inCircle].map((id) => places.get(id)).sort((one, other) => one - other));
  const wrong = ({ id, text }, place) => {
    const told = problem?.errors?.find(({ loc }) => loc[1] === "parts" && loc[2] === place)?.msg;
    return (tried && !text.trim() && t("plan.empty")) || (inCircle.has(id) && t("plan.circle", { which })) || told;
  };

  const change = (id, changes) => setParts(parts.map((part) => (part.id === id ? { ...part, ...changes } : part)));
  const move = (place, by, from) => {
    const to = place + by;
    if (to < 0 || to >= parts.length) return;
    const next = [...parts];
    next.splice(to, 0, ...next.splice(place, 1));
    const { id } = parts[place];
    const way = (up) => named(up ? "up" : "down", id);
    target.current = from === "text" ? [named("text", id)] : [way(by < 0), way(by > 0)];
    setMoved(t("plan.moved", { from: place + 1, to: to + 1 }));
    setParts(next);
  };
  const drop = (place) => {
    const { id } = parts[place];
    const next = parts.filter((part) => part.id !== id).map((part) => ({ ...part, after: part.after.filter((each) => each !== id) }));
    target.current = [next[Math.min(place, next.length - 1)]].map((part) => named("text", part.id));
    setMoved(t("plan.dropped", { place: place + 1 }));
    setParts(next);
  };
  const add = () => {
    const id = `task_${(fresh.current += 1)}`;
    target.current = [named("text", id)];
    setTried(false);
    setParts([...parts, { id, text: "", after: [], importance: 1 }]);
  };
  const edited = () => parts.map(({ id, text, after, importance }) => ({ subtask_id: id, description: text.trim(), dependencies: after, estimated_importance: importance }));
  /** Does `work` with the plan as it stands here, when it can be carried out. */
  const withPlan = (work) => {
    setTried(true);
    const first = parts.find((part) => !part.text.trim() || inCircle.has(part.id));
    if (first) return document.getElementById(named("text", first.id)).focus();
    return attempt(() => work(changed ? { decision: "edit", parts: edited() } : { decision: "accept" }));
  };
  const send = (event) => {
    event.preventDefault();
    withPlan((said) => say(approval, said));
  };
  const look = () =>
    withPlan(async (said) => {
      setTaken({ of: parts, estimate: await expected(approval.of, approval.id, said) });
      document.getElementById(named("takes", "all"))?.focus({ preventScroll: true });
    });

  const part = (each, place) => html`<${Part} key=${each.id} ...${{ part: each, place, parts, language, named, change, move, drop }} wrong=${wrong(each, place)} />`;
  return html`<section class="plan-card" aria-labelledby=${`${approval.at} ${approval.of}-asked`}>
    <form onSubmit=${send} novalidate>
      <h2 id=${approval.at} tabindex="-1">${t("approve.plan")}</h2>
      <p class="soft">${t("approve.plan.says")}</p>
      ${approval.reason && html`<details class="soft" open=${approval.id !== "plan_1"}><summary>${t("approve.plan.why")}</summary><p lang=${language}>${approval.reason}</p></details>`}
      <ol class="editable">${parts.map(part)}</ol>
      <div class="row">
        <button type="button" class="quiet" disabled=${parts.length >= most} onClick=${add}>${t("plan.add")}</button>
        ${parts.length >= most && html`<span class="soft">${t("plan.most", { n: most })}</span>`}
        ${changed && html`<button type="button" class="link" onClick=${() => setParts(proposed)}>${t("plan.undo")}</button>`}
      </div>
      ${taken.estimate &&
      html`<div class=${isOld ? "prospect is-old" : "prospect"}>
        <h3 id=${named("takes", "all")} tabindex="-1">${t(isOld ? "takes.before" : "takes")}</h3>
        <${Takes} estimate=${taken.estimate} />
      </div>`}
      <${ByItself} until=${approval.until ?? null} about="plan" />
      <${Failure} problem=${problem} />
      <div class=${isOld ? "row begin is-old" : "row begin"}>
        <button class="primary" disabled=${busy}>${t(busy ? "starting" : changed ? "start.edited" : "start.plan")}</button>
        <button type="button" class="quiet" disabled=${busy} onClick=${() => attempt(() => say(approval, { decision: "reject" }))}>${t("approve.plan.no")}</button>
        ${taken.estimate && html`<button type="button" class="quiet again" disabled=${busy} onClick=${look}>${t("estimate.again")}</button>`}
      </div>
      <p class="unseen" role="status">${moved}</p>
    </form>
    <${Again} again=${(remark) => say(approval, { decision: "again", remark })} />
  </section>`;
}

function Part({ part, place, parts, language, wrong, named, change, move, drop }) {
  const { id, text, after, importance } = part;
  const n = place + 1;
  const typed = (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (event.key === "Enter") {
      event.preventDefault(); // a part has no lines
      if (event.metaKey || event.ctrlKey) event.target.form.requestSubmit();
    } else if (by && event.altKey) {
      event.preventDefault();
      move(place, by, "text");
    }
  };
  const wait = (other) => (event) => change(id, { after: event.target.checked ? [...after, other] : after.filter((each) => each !== other) });
  const numbers = parts.flatMap((each, at) => (after.includes(each.id) ? [at + 1] : []));
  const facts = [numbers.length ? t("plan.waits", { n: numbers.length, which: listed(numbers) }) : t("plan.waits.not"), importance < 1 && `${t("plan.importance")} ${share(importance)}`];
  return html`<li>
    <div class="part-row">
      <textarea
        id=${named("text", id)}
        rows="1"
        maxlength=${LONGEST}
        aria-label=${t("plan.part", { n })}
        aria-invalid=${wrong ? "true" : undefined}
        aria-describedby=${wrong ? named("wrong", id) : undefined}
        lang=${language}
        value=${text}
        onInput=${(event) => change(id, { text: event.target.value.replace(/\s*\n\s*/g, " ") })}
        onKeyDown=${typed}
      ></textarea>
      <span class="moves">
        <button type="button" class="icon" id=${named("up", id)} aria-label=${t("plan.up", { n })} disabled=${place === 0} onClick=${() => move(place, -1)}>↑</button>
        <button type="button" class="icon" id=${named("down", id)} aria-label=${t("plan.down", { n })} disabled=${place === parts.length - 1} onClick=${() => move(place, 1)}>↓</button>
        <button type="button" class="icon" aria-label=${t("plan.drop", { n })} disabled=${parts.length === 1} onClick=${() => drop(place)}>×</button>
      </span>
    </div>
    ${wrong && html`<p class="wrong" id=${named("wrong", id)} role="alert">${wrong}</p>`}
    <details>
      <summary class="soft">${facts.filter(Boolean).join(" · ")}</summary>
      ${parts.length > 1 &&
      html`<fieldset>
        <legend class="soft">${t("plan.waits.for")}</legend>
        ${parts.map(
          (each, at) =>
            each.id !== id &&
            html`<label class="option" key=${each.id}>
              <input type="checkbox" checked=${after.includes(each.id)} onChange=${wait(each.id)} />
              <span class="clip">${at + 1}. <span lang=${language}>${each.text}</span></span>
            </label>`,
        )}
      </fieldset>`}
      <label class="option importance">
        <span class="soft">${t("plan.importance")}</span>
        <input type="range" min="0.1" max="1" step="0.05" value=${importance} aria-valuetext=${share(importance)} onInput=${(event) => change(id, { importance: Number(event.target.value) })} />
        <span class="figure">${share(importance)}</span>
      </label>
    </details>
  </li>`;
}

/** Has the plan made again, with a remark. */
function Again({ again }) {
  const { busy, problem, attempt } = useWork();
  const [remark, setRemark] = useState("");
  const send = (event) => {
    event.preventDefault();
    if (remark.trim()) attempt(() => again(remark.trim()));
    else event.target.elements.remark.focus();
  };
  return html`<form class="again-but" onSubmit=${send}>
    <label class="field">${t("plan.again.but")}
      <input name="remark" maxlength=${LONGEST} placeholder=${t("plan.again.example")} value=${remark} onInput=${(event) => setRemark(event.target.value)} />
    </label>
    <button class="quiet" disabled=${busy}>${t(busy ? "plan.again.busy" : "plan.again")}</button>
    <${Failure} problem=${problem} />
  </form>`;
}
