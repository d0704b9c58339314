/** The first view: a question, how it is to be answered, what that would take, and the start. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { createSession, documents as documentsOf, estimate, forget, forgetDataset, forgetDocument, fork, newKey, offer as offered, Problem, resume, session as load } from "/assets/api.js";
import { currentBase } from "/assets/bases.js";
import { chosenFor, Choices, effortLike, requestOf, rerunOf, stillOffered, UNCHOSEN } from "/assets/choices.js";
import { ChooseFiles, DropZone, Uploads, useUploads } from "/assets/files.js";
import { Failure } from "/assets/parts.js";
import { Prospect } from "/assets/prospect.js";
import { go, useTitle } from "/assets/router.js";
import { language, t } from "/assets/words.js";

/** What was chosen, as long as the page is open: a look at the library loses nothing. */
let kept = { ...UNCHOSEN };

const NOTHING = { name: "nothing" }; // there is nothing that could be asked

/** The session that keeps the plan of the last estimate. */
let planned = null;

/** Ask again what a session was asked, in the way it was asked. */
export function askAgain(session) {
  kept = chosenFor(session);
  go("/");
}

export function Ask() {
  const [offer, setOffer] = useState(null);
  const [problem, setProblem] = useState(null);
  const [chosen, setChosen] = useState(kept);
  useTitle("");
  const choose = (changes) => {
    kept = { ...kept, ...changes };
    setChosen(kept);
  };
  const reload = () => {
    setProblem(null);
    offered().then((told) => {
      choose(stillOffered(kept, told));
      setOffer(told);
    }, setProblem);
  };
  useEffect(reload, []);
  return html`<section class=${offer || problem ? "ask" : "ask is-loading"}>
    <h1 tabindex="-1" id="ask">${t("ask.title")}</h1>
    ${problem ? html`<${Failure} problem=${problem} again=${reload} />` : html`<${Question} ...${{ offer, chosen, choose, reload }} />`}
  </section>`;
}

function Question({ offer, chosen, choose, reload }) {
  const [busy, setBusy] = useState(null);
  const [problem, setProblem] = useState(null);
  const [prospect, setProspect] = useState(null);
  const key = useRef({ of: "", key: "" });
  const field = useRef(null);
  const bases = offer?.knowledge_bases ?? [];
  const choices = { ...chosen, effort: chosen.effort ?? effortLike(chosen.limits, offer), kb: chosen.kb ?? (offer && currentBase(bases)), kbs: bases.length };

  const uploads = useUploads(offer, choices.kb ?? "default", ({ kind, id, name }) => {
    if (kind === "data") choose({ datasets: [...new Set([...kept.datasets, id ?? name])] });
    else choose({ added: [...new Set([...kept.added, id])], documents: true, only: true });
    setProblem(null);
    reload();
  });
  /** Takes a file away again: off the question, and out of the library when it has come there by this. */
  const takeAway = async ({ key, kind, id, name, state }) => {
    const named = id ?? name;
    if (kind === "data") choose({ datasets: kept.datasets.filter((each) => each !== named) });
    else choose({ added: kept.added.filter((each) => each !== id) });
    uploads.drop({ key });
    if (state !== "added") return;
    try {
      await (kind === "data" ? forgetDataset(named) : forgetDocument(choices.kb ?? "default", id));
      reload();
    } catch (error) {
      if (error.status !== 404) setProblem(error); // else it is gone already
    }
  };
  const isEmpty = offer && choices.added.length === 0 && !choices.web && choices.datasets.length === 0 && !bases.find(({ name }) => name === choices.kb)?.documents;
  const request = requestOf(choices);
  const wanted = JSON.stringify(request);
  const isOld = prospect !== null && prospect.of !== wanted;
  const plan = prospect === null || isOld ? null : prospect.told.session; // as it was shown
  const sending = uploads.files.some(({ state }) => state === "sending" || state === "waiting");

  const attempt = async (name, work) => {
    if (busy) return;
    if (!request.query) {
      field.current.focus();
      setProblem({ name: "blank" });
      return;
    }
    if (isEmpty) {
      setProblem(NOTHING);
      return;
    }
    setBusy(name);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(null);
    }
  };
  const look = (focus) =>
    attempt("estimate", async () => {
      const told = await estimate(request);
      setProspect({ of: wanted, told });
      requestAnimationFrame(() => document.getElementById("prospect")?.focus(focus));
      await replacePlan(told.session);
    });
  const start = () =>
    attempt("start", async () => {
      if (key.current.of !== wanted) key.current = { of: wanted, key: newKey() };
      const session = plan ? await begin(plan) : await create(request, key.current.key, rerunOf(chosen));
      key.current = { of: "", key: "" };
      if (session.id === planned) planned = null;
      kept = { ...kept, query: "", again: null };
      if (field.current) go(`/s/${session.id}`); // else somebody has gone elsewhere meanwhile
    });
  const typed = (event) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      start();
    }
  };
  const send = (event) => {
    event.preventDefault();
    start();
  };
  const allowWeb = () => {
    setProblem(null);
    choose({ web: true });
    field.current.focus();
  };
  const use = (query) => {
    choose({ query });
    field.current.focus();
  };
  const accept = offer ? [...offer.uploads.documents, ...offer.uploads.data] : [];
  const waits = busy !== null || sending;
  const begins = html`<button class="primary" disabled=${waits}>${busy === "start" ? t("starting") : t(plan ? "start.plan" : "start")}</button>`;

  return html`<form onSubmit=${send} class="question">
    <div class="box">
      <textarea
        ref=${field}
        aria-labelledby="ask"
        rows="3"
        autofocus
        placeholder=${t("ask.placeholder")}
        value=${chosen.query}
        onInput=${(event) => choose({ query: event.target.value })}
        onKeyDown=${typed}
      ></textarea>
      <div class="row">
        ${offer && html`<${ChooseFiles} add=${uploads.add} accept=${accept} class="quiet attach"><${Clip} /> ${t("files.add")}<//>`}
        <span class="grow"></span>
        <button type="button" class="quiet" disabled=${waits || !offer} onClick=${() => look()}>${t(busy === "estimate" ? "estimating" : "estimate")}</button>
        ${!prospect && begins}
      </div>
    </div>
    ${offer && html`<${DropZone} add=${uploads.add} />`}
    <${Uploads} files=${uploads.files} drop=${takeAway} word="take_away" />
    <div class="saved">
      ${choices.documents &&
      chosen.added.length > 0 &&
      html`<label class="option"><input type="checkbox" checked=${chosen.only} onChange=${(event) => choose({ only: event.target.checked })} /> ${t("sources.only", { n: chosen.added.length })}</label>`}
      ${uploads.files.some(({ id, state }) => id && state === "added") && html`<p class="soft">${t("files.saved")}</p>`}
    </div>
    ${problem === NOTHING
      ? html`<div class="failure" role="alert">
          <p>${t(offer.web ? "ask.empty.web" : "ask.empty")}</p>
          <p class="row">
            <${ChooseFiles} add=${uploads.add} accept=${accept}>${t("files.add")}<//>
            ${offer.web && html`<button type="button" class="quiet" onClick=${allowWeb}>${t("ask.empty.allow")}</button>`}
          </p>
        </div>`
      : html`<${Failure} problem=${problem?.name === "blank" && request.query ? null : problem} />`}
    ${prospect &&
    html`<${Prospect} prospect=${prospect.told} isOld=${isOld} />
      <div class=${isOld ? "row begin is-old" : "row begin"}>
        ${begins}
        <button type="button" class="quiet again" disabled=${waits} onClick=${() => look({ preventScroll: true })}>${t(busy === "estimate" ? "estimating" : "estimate.again")}</button>
      </div>
      <p class="soft old" id="old" role="status">${isOld && t("estimate.old")}</p>`}
    ${offer && !chosen.query && html`<${Welcome} offer=${offer} kb=${choices.kb} use=${use} />`}
    ${offer && html`<${Choices} chosen=${choices} choose=${choose} offer=${offer} />`}
  </form>`;
}

/** Keeps the plan of the newest estimate alone: one that nobody has started says nothing beside it. */
async function replacePlan(id) {
  const earlier = planned;
  planned = id;
  if (!earlier) return;
  try {
    if ((await load(earlier)).status === "planned") await forget(earlier);
  } catch (problem) {
    if (problem.status !== 404) throw problem; // it was deleted in the history
  }
}

/** Starts a plan that was kept; one that has started already, by a try whose answer got lost, is shown as it is. */
const begin = (id) =>
  resume(id).catch((problem) => {
    if (problem.status === 409) return { id };
    throw problem;
  });

/** A new session, or an earlier one again as it was set up. */
async function create(request, key, rerun) {
  if (rerun === null) return createSession(request, key);
  return fork(rerun.id, rerun.changes, key).catch((problem) => {
    if (problem.status !== 404) throw problem;
    return createSession(request, key); // it has been deleted
  });
}

const Clip = () =>
  html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round">
    <path d="m13 7.5-5.3 5.2a3.2 3.2 0 0 1-4.5-4.5l5.6-5.5a2.1 2.1 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5l4.9-4.7" />
  </svg>`;

/** What Fathom is, and two questions to begin with; or how to give it something to read. */
function Welcome({ offer, kb, use }) {
  const [titles, setTitles] = useState(null); // until they are known, their place is kept
  const some = offer.knowledge_bases.find(({ name }) => name === kb)?.documents ?? 0;
  useEffect(() => {
    if (!some) return;
    // examples are a nicety: without them the view is whole
    documentsOf(kb).then(({ documents }) => setTitles(readable(documents)), () => setTitles([]));
  }, [kb, some]);
  const [one, two] = titles ?? [];
  const questions = two ? [t("ask.example.one", { one }), t("ask.example.two", { one, two })] : [];
  return html`<div class="welcome">
    <p>${t("ask.about")} ${some === 0 && t(offer.web ? "ask.empty.web" : "ask.empty")}</p>
    ${some > 0 &&
    (titles === null || two) &&
    html`<ul class="examples">
      ${questions.map((question) => html`<li><button type="button" class="link" onClick=${() => use(question)}>${question}</button></li>`)}
    </ul>`}
  </div>`;
}

/** Two titles that read well in a sentence, from different places of the list; of the page's language, where it has two. */
function readable(documents) {
  const own = titlesOf(documents.filter((document) => document.language === language()));
  const titles = own.length < 2 ? titlesOf(documents) : own;
  return titles.length < 2 ? [] : [titles[Math.floor(titles.length / 3)], titles[Math.floor((titles.length * 2) / 3)]];
}

const titlesOf = (documents) => [...new Set(documents.map(({ title }) => title).filter((title) => title && title.length >= 4 && title.length <= 48))];
