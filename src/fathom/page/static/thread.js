/** The thread of a session: where it stands in it, its report, what was asked after it, and the box to ask on. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { askOn, because, newKey, threadOf } from "/assets/api.js";
import { PlanCard, Proposal, Settled, useApprovals } from "/assets/approve.js";
import { Clarify } from "/assets/clarify.js";
import { Changes } from "/assets/changes.js";
import { follow, isActive } from "/assets/events.js";
import { came, Elapsed, Ended, Failure, Mark, standing, Status } from "/assets/parts.js";
import { stageTold, Stages } from "/assets/progress.js";
import { Report } from "/assets/report.js";
import { NEW, told } from "/assets/run.js";
import { Stop } from "/assets/steer.js";
import { isSeen, leaveAlone, lookAfter, tell } from "/assets/telling.js";
import { t } from "/assets/words.js";

const LIVE = 2; // a browser keeps few lines to a service: so many answers are watched at once
const hasReport = ({ status }) => status === "completed" || status === "partial";
const prefixOf = (id) => `${id}.`;

/** `isReported`: whether the session has a report; `follows` is told how what comes after it goes: "waiting", "running" or "". */
export function Thread({ session, isReported, follows }) {
  const [sessions, setSessions] = useState(null);
  const [problem, setProblem] = useState(null);
  const { id } = session;
  const refresh = () =>
    threadOf(id).then(({ sessions: all }) => {
      setProblem(null);
      setSessions(all);
      return all;
    }, setProblem);
  useEffect(() => {
    refresh();
  }, [id, session.status]);

  const asks = async (to, asked, key = newKey()) => {
    try {
      const next = await askOn(to, asked, key);
      setSessions((known) => [...(known ?? []).filter((each) => each.id !== next.id), next]);
      return next.id;
    } catch (error) {
      throw await because(to, error);
    }
  };
  const further = (to) => async (about, query) => `#${await asks(to, { about, query })}`;
  const below = behind(sessions ?? [], id);
  const watched = below.filter(({ status }) => isActive(status)).slice(0, LIVE);
  const goes = below.some(({ waiting_for }) => waiting_for.length > 0) ? "waiting" : watched.length > 0 ? "running" : "";
  useEffect(() => follows(goes), [goes]);
  const last = below.filter(hasReport).at(-1) ?? session;
  return html`
    <${Place} session=${session} sessions=${sessions ?? []} below=${below} isComing=${sessions === null && problem === null} />
    ${isReported &&
    html`<div id="report" tabindex="-1">
      ${session.earlier && html`<${Changes} key=${session.attempt} id=${id} />`}
      <${Report} key=${session.attempt} id=${id} further=${session.imported ? null : further(id)} />
      <${Failure} problem=${problem} again=${refresh} />
      ${below.map(
        (each, at) => html`<${FollowUp}
          key=${each.id}
          session=${each}
          before=${at ? below[at - 1].id : id}
          of=${sessions.find((one) => one.id === each.follows) ?? session}
          shown=${each.follows === id ? "" : prefixOf(each.follows)}
          isWatched=${watched.includes(each)}
          refresh=${refresh}
          further=${further(each.id)}
          most=${session.limits.max_subtasks}
        />`,
      )}
      ${session.imported ? html`<p class="soft">${t("report.imported")}</p>` : html`<${AskOn} to=${last.id} waits=${below.some(({ status }) => isActive(status))} asks=${asks} />`}
    </div>`}
  `;
}

/** Those of a thread that follow a session, or what follows it, oldest first as they are. */
function behind(sessions, id) {
  const known = new Set([id]);
  return sessions.filter((each) => known.has(each.follows) && known.add(each.id));
}

/** The questions of the thread in order, and which of them is shown; and whether a session is an earlier one again. */
function Place({ session, sessions, below, isComing }) {
  const at = sessions.findIndex(({ id }) => id === session.id);
  if (isComing) return html`<div class="thread is-coming"></div>`;
  if (sessions.length < 2 && !session.earlier) return null;
  const here = new Set(below.map(({ id }) => id));
  return html`<nav class="thread" aria-labelledby="thread">
    ${sessions.length > 1 &&
    html`<h2 id="thread">${t("thread")} <span class="soft figure">${t("thread.at", { at: at + 1, all: sessions.length })}</span></h2>
      <ol>
        ${sessions.map((each) => {
          const { id, query, language, earlier } = each;
          const isHere = id === session.id;
          return html`<li key=${id}>
            <a class="clip" href=${here.has(id) ? `#${id}` : `/s/${id}`} aria-current=${isHere ? "page" : undefined} lang=${language}>${query}</a>
            ${earlier && html`<span class="soft">${t("thread.again")}</span>`}
            ${!isHere && html`<span class="soft"><${Status} session=${each} /></span>`}
          </li>`;
        })}
      </ol>`}
    ${session.earlier && html`<p class="soft"><a id=${sessions.length > 1 ? undefined : "thread"} href=${`/s/${session.earlier}`}>${t("thread.earlier")}</a></p>`}
  </nav>`;
}

const CARDS = { plan: PlanCard, question: Clarify }; // of a follow-up as a whole

/** A question that was asked after what is shown above it: as it is researched, then its report. */
function FollowUp({ session, before, of, shown, isWatched, refresh, further, most }) {
  const { id, query, language, about, follows, status } = session;
  const [run, setRun] = useState(NEW);
  const [understood, setUnderstood] = useState("");
  useEffect(() => {
    if (!isWatched) return undefined;
    const take = (events) => {
      setRun((known) => told(known, events));
      for (const { event } of events) if (event.kind === "understood") setUnderstood(event.question);
    };
    const end = () => refresh().then((all) => isSeen() || tell(all?.find((each) => each.id === id)));
    return follow(id, { take, end, fail: refresh });
  }, [id, isWatched]);
  const active = isActive(status);
  const hasBegun = run.seq > 0;
  const { open, settled, say } = useApprovals(id, active && isWatched, run.turns);
  const waits = open.length > 0;
  const goesOn = useRef(false);
  goesOn.current = active ? { waits } : null;
  useEffect(() => {
    leaveAlone(id);
    return () => goesOn.current && lookAfter(id, goesOn.current.waits);
  }, [id]);
  useEffect(() => {
    if (hasBegun && active) refresh(); // the list at the top says it, too
    if (waits && !isSeen()) tell({ ...session, waiting_for: open.map(({ about }) => about) });
  }, [hasBegun, waits]);
  const now = waits ? "waiting" : hasBegun && active ? "running" : "";
  const { state, words } = now ? { state: now, words: t(`status.${now}`) } : came(session);
  const phase = !hasBegun && status === "queued" ? t("queued.says") : t(`phase.${run.step.name}`, run.step.values);
  return html`<article class="follow-up" id=${id} aria-labelledby=${`${id}-asked`}>
    ${(about || follows !== before) &&
    html`<p class="soft">${t(about ? "thread.about" : "thread.follows")} <a href=${`#${about ? shown + about : follows}`} lang=${of.language}>${of.query}</a></p>`}
    <div class="bar">
      <h2 id=${`${id}-asked`} tabindex="-1" lang=${language}>${query}</h2>
      ${active && html`<${Stop} id=${id} disabled=${run.step.name === "stopping"} word=${run.step.name === "stopping" ? "stopping" : "stop"} after=${refresh} />`}
      <a class="soft" href=${`/s/${id}`}>${t("thread.alone")}</a>
    </div>
    ${(!hasReport(session) || state !== "completed") &&
    html`<p class="state">
      <span class=${`status is-${state}`}><${Mark} status=${state} /> ${words}</span>
      ${active && run.started !== null && html`<span class="soft"><${Elapsed} since=${Date.parse(run.started)} /></span>`}
    </p>`}
    ${active && understood && html`<p class="soft">${t("thread.understood")} <span lang=${language}>${understood}</span></p>`}
    ${active && isWatched && html`<${Stages} stage=${run.stage} phase=${phase} />`}
    <${Settled} settled=${settled} given=${run.given} />
    ${open.map(
      (approval) =>
        html`<${CARDS[approval.about] ?? Proposal} key=${approval.at} approval=${approval} most=${most} subtasks=${run.subtasks} language=${language} say=${say} />`,
    )}
    ${status === "failed" && html`<${Ended} session=${session} />`}
    <p class="unseen" role="status">${active ? run.stage && stageTold(run.stage) : t(`status.${standing(session)}`)}</p>
    ${hasReport(session) && html`<${Report} key=${session.attempt} id=${id} prefix=${prefixOf(id)} further=${further} />`}
  </article>`;
}

/** Asks on: what follows the last report that is shown. */
function AskOn({ to, waits, asks }) {
  const [query, setQuery] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const key = useRef({ of: "", key: "" });
  const field = useRef(null);
  const send = async (event) => {
    event.preventDefault();
    const asked = query.trim();
    if (!asked) field.current.focus();
    if (!asked) setProblem({ name: "blank" });
    if (!asked || busy || waits) return;
    if (key.current.of !== to + asked) key.current = { of: to + asked, key: newKey() }; // twice the same is one question
    setBusy(true);
    setProblem(null);
    try {
      const id = await asks(to, { query: asked }, key.current.key);
      setQuery("");
      requestAnimationFrame(() => document.getElementById(`${id}-asked`)?.focus());
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const typed = (event) => event.key === "Enter" && (event.metaKey || event.ctrlKey) && send(event);
  return html`<form class="ask-on" onSubmit=${send}>
    <h2><label for="ask-on">${t("ask_on")}</label></h2>
    <div class="box">
      <textarea id="ask-on" ref=${field} rows="2" placeholder=${t("ask_on.placeholder")} value=${query} onInput=${(event) => setQuery(event.target.value)} onKeyDown=${typed}></textarea>
      <div class="row">
        <span class="soft grow" role="status">${waits ? t("ask_on.waits") : ""}</span>
        <button class="primary" disabled=${busy || waits}>${t(busy ? "starting" : "ask_on.send")}</button>
      </div>
    </div>
    <${Failure} problem=${problem?.name === "blank" && query.trim() ? null : problem} />
  </form>`;
}
