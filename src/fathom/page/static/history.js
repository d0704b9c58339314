/** What was asked before, newest first. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { forget, resume, sessions as ask } from "/assets/api.js";
import { Confirm, Failure, Moment, standing, Status } from "/assets/parts.js";
import { go, useTitle } from "/assets/router.js";
import { t } from "/assets/words.js";

const STATUSES = ["running", "queued", "planned", "completed", "partial", "failed"];
const STOPPED = ["max_calls", "max_tokens", "max_cost", "max_time", "max_subtasks", "cancelled", "written_early", "unavailable"];
const PAUSE = 250;
const AGAIN = 4_000;

export function History() {
  const [page, setPage] = useState(null);
  const [problem, setProblem] = useState(null);
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState(null);
  const asked = useRef(0);
  useTitle(t("nav.history"));

  const load = async (before) => {
    const number = (asked.current += 1);
    setBusy(true);
    try {
      const told = await ask({ text: text.trim(), statuses: status ? [status] : [], before });
      if (number !== asked.current) return; // another filter was chosen meanwhile
      setProblem(null);
      setPage((known) => (before ? { sessions: [...known.sessions, ...told.sessions], next: told.next } : told));
    } catch (error) {
      if (number === asked.current) setProblem(error);
    } finally {
      if (number === asked.current) setBusy(false);
    }
  };
  useEffect(() => {
    const timer = setTimeout(load, page === null ? 0 : PAUSE);
    return () => clearTimeout(timer);
  }, [text, status]);
  const moves = page?.sessions.some((each) => each.status === "running" || each.status === "queued");
  useEffect(() => {
    if (!moves) return undefined;
    const timer = setInterval(() => document.hidden || page.sessions.length > 20 || load(), AGAIN);
    return () => clearInterval(timer);
  }, [moves, text, status, page?.sessions.length]);

  const remove = async () => {
    await forget(leaving.id);
    setPage((known) => ({ ...known, sessions: known.sessions.filter(({ id }) => id !== leaving.id) }));
    document.querySelector("main h1")?.focus();
  };
  const start = async (id) => {
    setBusy(true);
    try {
      await resume(id);
      go(`/s/${id}`);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  const filtered = text.trim() !== "" || status !== "";
  return html`<section class=${page || problem ? "narrow" : "narrow is-loading"}>
    <h1 tabindex="-1">${t("nav.history")}</h1>
    <form class="row filter" role="search" onSubmit=${(event) => event.preventDefault()}>
      <input
        type="search"
        class="grow"
        aria-label=${t("history.search")}
        placeholder=${t("history.search")}
        value=${text}
        onInput=${(event) => setText(event.target.value)}
      />
      <select aria-label=${t("history.status")} value=${status} onChange=${(event) => setStatus(event.target.value)}>
        <option value="">${t("history.all")}</option>
        ${STATUSES.map((each) => html`<option value=${each}>${t(`status.${each}`)}</option>`)}
      </select>
    </form>
    <${Failure} problem=${problem} again=${() => load()} />
    ${page?.sessions.length === 0 &&
    html`<p class="soft">${t(filtered ? "history.nothing" : "history.empty")} ${!filtered && html`<a href="/">${t("nav.ask")}</a>`}</p>`}
    <ul class="rows" aria-busy=${busy ? "true" : "false"}>
      ${page?.sessions.map(
        (each) => html`<${Row} key=${each.id} session=${each} busy=${busy} start=${() => start(each.id)} leave=${() => setLeaving(each)} />`,
      )}
    </ul>
    ${page?.next && html`<p><button type="button" class="quiet" disabled=${busy} onClick=${() => load(page.next)}>${t("history.older")}</button></p>`}
    <${Confirm}
      open=${leaving !== null}
      close=${() => setLeaving(null)}
      title=${t("delete.title")}
      text=${leaving ? `${t("delete.text")} “${leaving.query}”` : ""}
      word=${t("delete")}
      danger
      act=${remove}
    />
  </section>`;
}

/** Why a report is incomplete: in the page's words where it is one of what is known. */
const Stopped = ({ reason }) =>
  STOPPED.includes(reason) ? html`<span class="clip">${t(`stopped.${reason}`)}</span>` : html`<span class="clip" lang="en">${reason}</span>`;

function Row({ session, busy, start, leave }) {
  const { id, query, language, status, created_at, title, error, partial, follows, earlier } = session;
  const says = title && !query.startsWith(title.replace(/\s*…$/, "")); // else it is the question again
  return html`<li>
    <div>
      <a class="question-link" href=${`/s/${id}`} lang=${language}>${query}</a>
      ${says && html`<p class="soft clip" lang=${language}>${title}</p>`}
      <p class="facts">
        <span class=${`is-${status}`}><${Status} status=${standing(session)} /></span>
        <${Moment} at=${created_at} />
        ${(follows || earlier) && html`<span>${t(earlier ? "thread.again" : "history.follows")}</span>`}
        ${error ? html`<span class="clip" lang="en">${error}</span>` : partial && html`<${Stopped} reason=${partial} />`}
      </p>
    </div>
    ${status === "planned" &&
    html`<button type="button" class="quiet" disabled=${busy} aria-label=${t("start.one", { what: query })} onClick=${start}>${t("start")}</button>`}
    <button type="button" class="icon" aria-label=${t("delete.one", { what: query })} onClick=${leave}>×</button>
  </li>`;
}
