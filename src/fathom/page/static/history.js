/** What was asked before: what is pinned, then the newest first, day by day. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "/assets/vendor/preact.js";
import { forget, label, offer as offered, resume, sessions as ask } from "/assets/api.js";
import { Bases } from "/assets/bases.js";
import { ChooseFiles, DropZone, Uploads, useUploads } from "/assets/files.js";
import { clock, day, listed, moment } from "/assets/format.js";
import { came, Confirm, Dialog, Failure, Mark, Menu } from "/assets/parts.js";
import { go, useTitle } from "/assets/router.js";
import { t } from "/assets/words.js";

const STATUSES = ["running", "queued", "planned", "completed", "partial", "failed"];
const STOPPED = ["max_calls", "max_tokens", "max_cost", "max_time", "max_subtasks", "cancelled", "written_early", "unavailable"];
const PAUSE = 250;
const AGAIN = 4_000;
const PAGE = 20;
const MOST = 200; // of one request
const BUNDLES = { documents: [], data: [], bundles: [".zip"] };

/** What was shown last, and how far down: who comes back finds it so. */
let kept = { of: null, page: null, scroll: 0 };

/** `back`: whether somebody comes back to it. */
export function History({ back }) {
  const [filter, setFilter] = useState(() => {
    const told = new URLSearchParams(location.search);
    return { text: told.get("q") ?? "", status: told.get("status") ?? "", kb: told.get("kb") ?? "" };
  });
  const { text, status, kb } = filter;
  const [offer, setOffer] = useState(null);
  useEffect(() => {
    offered().then(setOffer, setProblem);
  }, []);
  const bundles = useUploads({ uploads: { ...offer?.uploads, ...BUNDLES } }, kb, () => load());
  const of = JSON.stringify(filter);
  const [page, setPage] = useState(kept.of === of ? kept.page : null); // pinned, sessions, next
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState(null);
  const [naming, setNaming] = useState(null);
  const asked = useRef(0);
  useTitle(t("nav.history"));

  const load = async (before) => {
    const number = (asked.current += 1);
    const same = { text: text.trim(), statuses: status ? [status] : [], kb };
    setBusy(true);
    try {
      const most = before ? PAGE : Math.min(MOST, Math.max(PAGE, kept.of === of ? kept.page.sessions.length : 0));
      const [told, pinned] = await Promise.all([ask({ ...same, before, limit: most, pinned: false }), before ? null : ask({ ...same, limit: MOST, pinned: true })]);
      if (number !== asked.current) return; // another filter was chosen meanwhile
      setProblem(null);
      setPage((known) => (before ? { ...known, sessions: [...known.sessions, ...told.sessions], next: told.next } : { ...told, pinned: pinned.sessions }));
    } catch (error) {
      if (number === asked.current) setProblem(error);
    } finally {
      if (number === asked.current) setBusy(false);
    }
  };
  useEffect(() => {
    const wanted = new URLSearchParams({ ...(text && { q: text }), ...(status && { status }), ...(kb && { kb }) }).toString();
    history.replaceState(history.state, "", wanted ? `?${wanted}` : location.pathname);
    const timer = setTimeout(load, asked.current === 0 ? 0 : PAUSE);
    return () => clearTimeout(timer);
  }, [of]);
  useEffect(() => {
    if (page) kept = { ...kept, of, page };
  }, [page]);
  useLayoutEffect(() => {
    if (back && page) scrollTo(0, kept.scroll);
    const scrolled = () => (kept.scroll = scrollY);
    addEventListener("scroll", scrolled, { passive: true });
    return () => removeEventListener("scroll", scrolled);
  }, []);
  const all = page ? [...page.pinned, ...page.sessions] : [];
  const moves = all.some((each) => each.status === "running" || each.status === "queued");
  useEffect(() => {
    if (!moves) return undefined;
    const timer = setInterval(() => document.hidden || load(), AGAIN);
    return () => clearInterval(timer);
  }, [moves, of]);

  const remove = async () => {
    await forget(leaving.id);
    const others = (sessions) => sessions.filter(({ id }) => id !== leaving.id);
    setPage((known) => ({ ...known, pinned: others(known.pinned), sessions: others(known.sessions) }));
    document.querySelector("main h1")?.focus();
  };
  const attempt = async (work) => {
    setBusy(true);
    try {
      await work();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const start = (id) =>
    attempt(async () => {
      await resume(id);
      go(`/s/${id}`);
    });
  const pin = ({ id, pinned }) =>
    attempt(async () => {
      await label(id, { pinned: !pinned });
      await load();
    });
  const rows = (sessions, when) =>
    sessions.map(
      (each) => html`<${Row} key=${each.id} session=${each} bases=${offer?.knowledge_bases} when=${when} busy=${busy} start=${() => start(each.id)} pin=${() => pin(each)} rename=${() => setNaming(each)} leave=${() => setLeaving(each)} />`,
    );
  const filtered = text.trim() !== "" || status !== "" || kb !== "";
  return html`<section class=${page || problem ? "narrow" : "narrow is-loading"}>
    <h1 tabindex="-1">${t("nav.history")}</h1>
    <form class="row filter" role="search" onSubmit=${(event) => event.preventDefault()}>
      <input
        type="search"
        class="grow"
        aria-label=${t("history.search")}
        placeholder=${t("history.search")}
        value=${text}
        onInput=${(event) => setFilter({ ...filter, text: event.target.value })}
      />
      <select aria-label=${t("history.status")} value=${status} onChange=${(event) => setFilter({ ...filter, status: event.target.value })}>
        <option value="">${t("history.all")}</option>
        ${STATUSES.map((each) => html`<option value=${each}>${t(`status.${each}`)}</option>`)}
      </select>
      <${Bases} bases=${offer?.knowledge_bases ?? []} value=${kb} choose=${(name) => setFilter({ ...filter, kb: name })} all />
      <${ChooseFiles} add=${bundles.add} accept=${BUNDLES.bundles} title=${t("import.says")}>${t("import")}<//>
    </form>
    <${DropZone} add=${bundles.add} says=${t("import.drop")} />
    <${Uploads} ...${bundles} />
    <${Failure} problem=${problem} again=${() => load()} />
    ${page && all.length === 0 && html`<p class="soft">${t(filtered ? "history.nothing" : "history.empty")} ${!filtered && html`<a href="/">${t("nav.ask")}</a>`}</p>`}
    <div aria-busy=${busy ? "true" : "false"}>
      ${page?.pinned.length > 0 && html`<section><h2>${t("history.pinned")}</h2><ul class="rows">${rows(page.pinned, moment)}</ul></section>`}
      ${byDay(page?.sessions ?? []).map(([name, sessions]) => html`<section key=${name}><h2>${name}</h2><ul class="rows">${rows(sessions, clock)}</ul></section>`)}
    </div>
    ${page?.next && html`<p class="older"><button type="button" class="quiet" disabled=${busy} onClick=${() => load(page.next)}>${t("history.older")}</button></p>`}
    <${Naming} session=${naming} close=${() => setNaming(null)} named=${() => load()} />
    <${Confirm}
      open=${leaving !== null}
      close=${() => setLeaving(null)}
      title=${t("delete.title")}
      text=${leaving ? `${t("delete.text")} “${leaving.name || leaving.query}”` : ""}
      word=${t("delete")}
      danger
      act=${remove}
    />
  </section>`;
}

/** Sessions by the day of the reader's own clock: `[its name, sessions]`. */
function byDay(sessions) {
  const days = new Map();
  for (const each of sessions) {
    const name = day(each.created_at);
    days.set(name, [...(days.get(name) ?? []), each]);
  }
  return [...days];
}

/** Why a report is incomplete: in the page's words where it is one of what is known. */
const Stopped = ({ reason }) =>
  STOPPED.includes(reason) ? html`<span class="clip">${t(`stopped.${reason}`)}</span>` : html`<span class="clip" lang="en">${reason}</span>`;

function Row({ session, bases, when, busy, start, pin, rename, leave }) {
  const { id, query, name, language, status, created_at, title, failure, partial, pinned, waiting_for, follows, earlier, imported, kb } = session;
  const says = title && !query.startsWith(title.replace(/\s*…$/, "")); // else it is the question again
  const shown = name || query;
  const { state, words } = came(session);
  return html`<li>
    <div>
      <a class="question-link" href=${`/s/${id}`} lang=${name ? undefined : language}>${shown}</a>
      ${name ? html`<p class="soft clip" lang=${language}>${query}</p>` : says && html`<p class="soft clip" lang=${language}>${title}</p>`}
      <p class="facts">
        <span class=${`status is-${state}`}><${Mark} status=${state} /> ${words}</span>
        ${waiting_for.length > 0 && html`<span>${listed(waiting_for.map((each) => t(`waits.${each}`)))}</span>`}
        <time datetime=${created_at} title=${new Date(created_at).toLocaleString()}>${when(created_at)}</time>
        ${imported && html`<span title=${new Date(imported).toLocaleString()}>${t("history.imported")}</span>`}
        ${kb && !imported && bases && !bases.some(({ name }) => name === kb) && html`<span>${t("history.base_gone", { name: kb })}</span>`}
        ${(follows || earlier) && html`<span>${t(earlier ? "thread.again" : "history.follows")}</span>`}
        ${status === "failed" && state === "failed" ? html`<span class="clip">${t(`ended.${failure || "other"}`)}</span>` : partial && html`<${Stopped} reason=${partial} />`}
      </p>
    </div>
    ${waiting_for.length > 0 && html`<a class="answer" href=${`/s/${id}`} aria-label=${t("waits.answer.one", { what: query })}>${t("waits.answer")}</a>`}
    ${status === "planned" &&
    html`<button type="button" class="quiet" disabled=${busy} aria-label=${t("start.one", { what: query })} onClick=${start}>${t("start")}</button>`}
    <${Menu} label=${t("steer.menu", { what: shown })} items=${[[t(pinned ? "unpin" : "pin"), pin], [t("rename"), rename], [t("delete"), leave]]} />
  </li>`;
}

/** Calls a session by a name of one's own, or by its question again. */
function Naming({ session, close, named }) {
  const [problem, setProblem] = useState(null);
  const send = async (event) => {
    event.preventDefault();
    try {
      await label(session.id, { name: new FormData(event.target).get("name").trim() });
      setProblem(null);
      close();
      named();
    } catch (error) {
      setProblem(error);
    }
  };
  return html`<${Dialog} open=${session !== null} close=${close} title=${t("rename.title")}>
    <form onSubmit=${send}>
      <label class="field">${t("rename.name")}<input name="name" maxlength="200" defaultValue=${session?.name} placeholder=${session?.query} autofocus /></label>
      <p class="soft">${t("rename.says")}</p>
      <${Failure} problem=${problem} />
      <div class="row end">
        <button type="button" class="quiet" onClick=${close}>${t("never_mind")}</button>
        <button class="primary">${t("rename")}</button>
      </div>
    </form>
  <//>`;
}
