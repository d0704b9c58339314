/** A session: what it is doing while it runs, and its report when it has ended, on one view without a break. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "/assets/vendor/preact.js";
import { forget, now, planOf, resume, session as load, steer } from "/assets/api.js";
import { PlanCard, Settled, useApprovals } from "/assets/approve.js";
import { Clarify } from "/assets/clarify.js";
import { askAgain } from "/assets/ask.js";
import { Amount } from "/assets/choices.js";
import { follow, isActive } from "/assets/events.js";
import { count, duration, money } from "/assets/format.js";
import { came, Confirm, Elapsed, Ended, Failure, Mark, Moment, useTick } from "/assets/parts.js";
import { Plan, Takes } from "/assets/prospect.js";
import { stageTold, Stages, titleOf } from "/assets/progress.js";
import { go, useTitle } from "/assets/router.js";
import { asked, NEW, Run, told } from "/assets/run.js";
import { Late, Stop } from "/assets/steer.js";
import { isSeen, leaveAlone, lookAfter, tell, TellMe } from "/assets/telling.js";
import { Thread } from "/assets/thread.js";
import { t } from "/assets/words.js";

const LONG = 240; // letters from which a question is set like a text and not like a title
/** The stages in which it can be told to do otherwise. */
const CAN_STEER = ["plan", "read"];
/** The limits of which a session may be given more. */
const BUDGETS = ["max_time", "max_calls", "max_cost", "max_tokens"];

export function Session({ id }) {
  const [session, setSession] = useState(null);
  const [problem, setProblem] = useState(null);
  const [run, setRun] = useState(NEW);
  const [line, setLine] = useState("open");
  const [watched, setWatched] = useState(false); // whether the events are wanted
  const [justEnded, setJustEnded] = useState(false);
  const [arrived, setArrived] = useState(false); // whether a report has come that nobody has looked at
  const seq = useRef(0);
  const stays = useRef(false);
  const moved = useRef(false); // whether the focus was put on the heading before there was a question to put there
  const [news, setNews] = useState(false); // whether it has ended while nobody looked

  const refresh = () =>
    load(id).then((told) => {
      setProblem(null);
      setSession(told);
      return told;
    }, setProblem);
  useEffect(() => {
    refresh();
  }, [id]);
  useEffect(() => {
    if (moved.current && session !== null) document.getElementById("question").focus({ preventScroll: true });
    moved.current = false;
  }, [session === null]);

  const active = session !== null && isActive(session.status);
  const { open, settled, say } = useApprovals(id, active, run.turns);
  const [plan, question] = ["plan", "question"].map((what) => open.find(({ about }) => about === what));
  const goesOn = useRef(false);
  goesOn.current = active ? { waits: open.length > 0 } : null;
  useEffect(() => {
    leaveAlone(id);
    return () => goesOn.current && lookAfter(id, goesOn.current.waits);
  }, [id]);
  useEffect(() => {
    if (open.length > 0 && !isSeen()) tell({ ...session, waiting_for: open.map(({ about }) => about) });
  }, [open.length > 0]);
  const [below, setBelow] = useState(""); // how what was asked after it goes
  useTitle(session === null ? "" : titleOf(session, run, { active, waits: open.length > 0, news, below }));
  useEffect(() => {
    if (!news) return undefined;
    const looked = () => isSeen() && setNews(false);
    const moments = ["focus", "visibilitychange"];
    moments.forEach((moment) => addEventListener(moment, looked));
    return () => moments.forEach((moment) => removeEventListener(moment, looked));
  }, [news]);
  useEffect(() => {
    if (session === null || (!active && (!watched || seq.current >= session.last_event))) return undefined;
    return follow(id, {
      after: seq.current,
      take: (events) => {
        seq.current = events.at(-1).seq;
        setRun((known) => told(known, events));
      },
      line: setLine,
      end: () => {
        if (!active) return;
        stays.current = story.current !== null && reads();
        height.current = stays.current ? topOf(story) : 0;
        setJustEnded(true);
        setWatched(true);
        const unseen = !isSeen();
        setNews(unseen);
        refresh().then((ended) => ended && unseen && tell(ended));
      },
      fail: setProblem,
    });
  }, [id, active, watched && !active]);

  // a report that comes while somebody reads below it moves nothing under their eyes
  const hasReport = session?.status === "completed" || session?.status === "partial";
  const story = useRef(null);
  const height = useRef(0);
  useLayoutEffect(() => {
    if (!hasReport || !justEnded || !stays.current) return undefined;
    const move = (top) => scrollBy({ top, behavior: "instant" });
    move(topOf(story) - height.current);
    const report = document.getElementById("report");
    let tall = report.offsetHeight;
    const watching = new ResizeObserver(() => {
      if (report.getBoundingClientRect().top + tall < innerHeight) move(report.offsetHeight - tall);
      tall = report.offsetHeight;
    });
    watching.observe(report);
    setArrived(true);
    return () => watching.disconnect();
  }, [hasReport, justEnded]);
  useEffect(() => {
    if (!arrived) return undefined;
    const report = document.getElementById("report");
    const looked = ({ target }) => report.contains(target) && setArrived(false);
    const moments = ["focusin", "pointermove"]; // what comes to lie under a pointer at rest is not looked at
    moments.forEach((moment) => addEventListener(moment, looked));
    return () => moments.forEach((moment) => removeEventListener(moment, looked));
  }, [arrived]);

  if (session === null) {
    return html`<section class=${problem ? "session" : "session is-loading"}>
      <h1 tabindex="-1" onFocus=${() => (moved.current = true)}>${problem ? t(problem.status === 404 ? "session.gone" : `problem.${problem.name}`) : t("loading")}</h1>
      ${problem?.status === 404 ? html`<p><a href="/history">${t("nav.history")}</a></p>` : html`<${Failure} problem=${problem} again=${refresh} />`}
    </section>`;
  }
  const look = () => {
    setJustEnded(false);
    setArrived(false);
  };
  const goOn = async (limits) => {
    setSession({ ...(await resume(id, limits)), subtasks: session.subtasks, limits: session.limits });
    look();
    refresh();
  };
  const instruct = async (command, part) => {
    await steer(id, command, part);
    setRun((known) => asked(known, command, part));
  };
  const canSteer = active && CAN_STEER.includes(run.stage) && run.step.name !== "stopping" && !session.stop_requested;
  const steering = active ? { open, say, instruct, canSteer, steered: run.steered, subtasks: run.subtasks } : null;
  return html`<article class=${justEnded && stays.current ? "session is-steady" : "session"} aria-labelledby="question">
    <${Head} ...${{ session, run, line, active, open, steering, refresh, goOn }} />
    <${Settled} settled=${settled} given=${run.given} />
    ${question && html`<${Clarify} key=${question.id} approval=${question} language=${session.language} say=${say} />`}
    ${plan && html`<${PlanCard} key=${plan.id} approval=${plan} most=${session.limits.max_subtasks} language=${session.language} say=${say} />`}
    <${Failure} problem=${problem} again=${refresh} />
    ${session.status === "planned" && html`<${Planned} id=${id} goOn=${goOn} />`}
    <${Thread} session=${session} isReported=${hasReport} follows=${setBelow} />
    ${arrived && hasReport && html`<a class="arrived" href="#report" onClick=${look}>${t("report.ready")}</a>`}
    ${session.status !== "planned" &&
    !plan &&
    !question &&
    html`<details ref=${story} class=${active ? "story is-live" : "story"} open=${active || (stays.current && justEnded)} onToggle=${(event) => event.target.open && setWatched(true)}>
      <summary>${t("story")}</summary>
      ${hasReport && html`<${Spend} session=${session} run=${run} active=${false} />`}
      <${Run} run=${run} language=${session.language} live=${active} steering=${steering} />
    </details>`}
  </article>`;
}

/** Where on the screen the tree and all below it begin. */
const topOf = (story) => story.current.querySelector(".run").getBoundingClientRect().top;

/** Whether somebody is reading further down, so that nothing may be put away under their eyes. */
const reads = () => scrollY > 320 || document.querySelector(".run")?.contains(document.activeElement);

function Head({ session, run, line, active, open, steering, refresh, goOn }) {
  const [asking, setAsking] = useState(null);
  const [more, setMore] = useState(false);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const [late, setLate] = useState(null);
  const writes = run.steered.has("write");
  const here = open.filter(({ subtask_id }) => subtask_id);
  const stopping = session.stop_requested || run.step.name === "stopping";
  const waits = session.status === "queued" && run.seq === 0;
  const now = active && open.length > 0 ? "waiting" : active && !waits ? "running" : "";
  const { state, words } = now ? { state: now, words: t(`status.${now}`) } : came(session);
  const { id, query, language, status, failure } = session;
  const phase = t(`phase.${run.step.name}`, run.step.values);
  const canGoOn = status === "partial" || status === "failed";
  const isBound = BUDGETS.some((name) => session.limits[name] !== null);
  const further = async () => {
    if (isBound) return setMore(!more);
    setRefused(null);
    setBusy(true);
    return goOn()
      .catch(setRefused)
      .finally(() => setBusy(false));
  };
  const again = (word) => html`<button type="button" class="quiet" disabled=${busy} aria-expanded=${isBound ? String(more) : undefined} onClick=${further}>${t(word)}</button>`;
  return html`<header class="head">
    <div class="bar">
      <p class="state">
        <span class=${`status is-${state}`}><${Mark} status=${state} /> ${stopping && active ? t(writes ? "steer.writes" : "stopping") : words}</span>
        ${active && run.started !== null && html`<span class="soft"><${Elapsed} since=${Date.parse(run.started)} /></span>`}
        ${!active && html`<span class="soft"><${Moment} at=${session.created_at} /></span>`}
        ${!active && session.seconds >= 1 && html`<span class="soft figure">${t("took", { time: duration(session.seconds) })}</span>`}
        ${active && line === "broken" && html`<span class="status is-partial">${t("reconnecting")}</span>`}
      </p>
      <div class="row actions">
        ${steering?.canSteer &&
        run.stage === "read" &&
        html`<button type="button" class="quiet" disabled=${writes} onClick=${() => setAsking("write")}>${t(writes ? "steer.writes" : "steer.write")}</button>`}
        ${active && html`<${Stop} id=${id} disabled=${stopping} word=${stopping && !writes ? "stopping" : "stop"} after=${refresh} />`}
        ${status === "partial" && again("resume")}
        ${!active && html`<button type="button" class="quiet" onClick=${() => askAgain(session)}>${t("ask_again")}</button>`}
        ${!active && html`<button type="button" class="quiet" onClick=${() => setAsking("delete")}>${t("delete")}</button>`}
      </div>
    </div>
    <h1 tabindex=${query.length > LONG ? 0 : -1} id="question" class=${query.length > LONG ? "long" : ""} lang=${language}>${query}</h1>
    ${active && html`<${Stages} stage=${run.stage} phase=${waits ? t("queued.says") : phase}><${TellMe} /><//>`}
    <${Late} problem=${late} />
    ${here.length > 0 &&
    html`<p class="note">${t("waits.here", { n: here.length })} <button type="button" class="link" onClick=${() => document.getElementById(here[0].at)?.focus()}>${t("waits.show")}</button></p>`}
    ${status === "failed" && html`<${Ended} session=${session}>${again({ declined: "resume.declined", cancelled: "start" }[failure] ?? "try_again")}<//>`}
    ${(active || status === "failed") && html`<${Spend} session=${session} run=${run} active=${active} />`}
    <${Failure} problem=${refused} />
    ${canGoOn && more && html`<${GoOn} limits=${session.limits} goOn=${goOn} withModel=${Boolean(run.spent?.tokens ?? session.spent?.tokens)} />`}
    <p class="unseen" role="status">${words}${active && run.stage && ` · ${stageTold(run.stage)}`}</p>
    <${Confirm}
      open=${asking === "write" && Boolean(steering?.canSteer)}
      close=${() => setAsking(null)}
      title=${t("steer.write.title")}
      text=${t("steer.write.text")}
      word=${t("steer.write")}
      act=${() =>
        steering.instruct("write").catch((problem) => {
          if (problem.status !== 409) throw problem;
          setLate(problem);
        })}
    />
    <${Confirm}
      open=${asking === "delete"}
      close=${() => setAsking(null)}
      title=${t("delete.title")}
      text=${t("delete.text")}
      word=${t("delete")}
      danger
      act=${async () => {
        await forget(id);
        go("/history", { replace: true });
      }}
    />
  </header>`;
}

/** What has been spent, and against what: a bar only where there is a limit. */
function Spend({ session, run, active }) {
  const spent = run.spent ?? session.spent ?? (active ? { calls: 0, tokens: 0, cost_usd: 0 } : null);
  const limits = session.limits;
  if (spent === null) return null;
  const items = [["calls", spent.calls, limits.max_calls, count]];
  if (spent.tokens || limits.max_tokens) items.push(["tokens", spent.tokens, limits.max_tokens, count]);
  if (spent.cost_usd || limits.max_cost) items.push(["cost", spent.cost_usd, limits.max_cost, money]);
  return html`<dl class="figures spend">
    ${items.map(([name, used, limit, shown]) => html`<${Figure} key=${name} ...${{ name, used, limit, shown }} />`)}
    ${active && limits.max_time && run.started !== null && html`<${Clock} since=${Date.parse(run.started)} limit=${limits.max_time} />`}
    ${run.pages > 0 && html`<${Figure} name="pages" used=${run.pages} shown=${count} />`}
    ${run.datasets > 0 && html`<${Figure} name="datasets" used=${run.datasets} shown=${count} />`}
    ${run.datasets > 0 && html`<${Figure} name="records" used=${run.records} shown=${count} />`}
  </dl>`;
}

const Figure = ({ name, used, limit, shown }) => html`<div>
  <dt>${t(`spent.${name}`)}</dt>
  <dd>
    ${shown(used)}${limit &&
    html`<span class="soft"> / ${shown(limit)}</span>
      <progress class=${used >= limit ? "is-spent" : ""} max=${limit} value=${Math.min(used, limit)} aria-label=${t(`spent.${name}`)}></progress>`}
  </dd>
</div>`;

function Clock({ since, limit }) {
  useTick(true);
  return html`<${Figure} name="time" used=${(now() - since) / 1_000} limit=${limit} shown=${duration} />`;
}

/** The plan that was kept, and its start. */
function Planned({ id, goOn }) {
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    planOf(id).then(setTold, setProblem);
  }, [id]);
  const start = () => {
    setBusy(true);
    goOn().catch((error) => {
      setProblem(error);
      setBusy(false);
    });
  };
  return html`<section class="prospect">
    ${told?.plan && html`<h2>${t("prospect")}</h2><${Plan} plan=${told.plan} />`}
    ${told?.estimate && html`<h3>${t("takes")}</h3><${Takes} estimate=${told.estimate} />`}
    <${Failure} problem=${problem} />
    ${(told || problem) && html`<p class="begin"><button type="button" class="primary" disabled=${busy} onClick=${start}>${t(busy ? "starting" : "start.plan")}</button></p>`}
  </section>`;
}

/** Goes on, with more of what has run out when that is wanted. */
function GoOn({ limits, goOn, withModel }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const names = ["max_time", "max_calls", ...(withModel || limits.max_cost || limits.max_tokens ? ["max_cost", "max_tokens"] : [])];
  const words = { max_time: "minutes", max_calls: "calls", max_cost: "dollars", max_tokens: "tokens" };
  const send = async (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const changed = {};
    for (const name of names) {
      const value = given.get(name) === "" ? null : Number(given.get(name)) * (name === "max_time" ? 60 : 1);
      if (value !== limits[name]) changed[name] = value;
    }
    setBusy(true);
    try {
      await goOn(Object.keys(changed).length ? changed : undefined);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return html`<form class="go-on" onSubmit=${send}>
    <p class="soft">${t("resume.text")}</p>
    <div class="amounts">
      ${names.map((name) => {
        const known = limits[name] === null ? "" : name === "max_time" ? limits[name] / 60 : limits[name];
        return html`<${Amount} of=${words[name]} name=${name} defaultValue=${known} />`;
      })}
    </div>
    <${Failure} problem=${problem} />
    <p><button class="primary" disabled=${busy}>${t("resume")}</button></p>
  </form>`;
}
