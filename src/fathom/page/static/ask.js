/** The first view: a question, how it is to be answered, what that would take, and the start. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { createSession, documents as documentsOf, estimate, newKey, offer as offered, Problem, resume } from "/assets/api.js";
import { Choices, requestOf, UNCHOSEN } from "/assets/choices.js";
import { ChooseFiles, DropZone, Uploads, useUploads } from "/assets/files.js";
import { Failure } from "/assets/parts.js";
import { Prospect } from "/assets/prospect.js";
import { go, useTitle } from "/assets/router.js";
import { t } from "/assets/words.js";

/** What was chosen, as long as the page is open: a look at the library loses nothing. */
let kept = { ...UNCHOSEN };

/** Ask again what was asked before. */
export function askAgain(query) {
  kept = { ...kept, query };
  go("/");
}

function forgetWhatIsGone({ datasets, knowledge_bases }) {
  if (!knowledge_bases.some(({ name }) => name === kept.kb)) kept.kb = null;
  const gone = kept.datasets.filter((name) => !datasets.some((each) => each.name === name));
  if (gone.length) kept.datasets = kept.datasets.filter((name) => !gone.includes(name));
}

export function Ask() {
  const [offer, setOffer] = useState(null);
  const [problem, setProblem] = useState(null);
  useTitle("");
  const load = () => {
    setProblem(null);
    offered().then((told) => {
      forgetWhatIsGone(told);
      setOffer(told);
    }, setProblem);
  };
  useEffect(load, []);
  return html`<section class=${offer || problem ? "ask" : "ask is-loading"}>
    <h1 tabindex="-1" id="ask">${t("ask.title")}</h1>
    ${problem ? html`<${Failure} problem=${problem} again=${load} />` : html`<${Question} offer=${offer} reload=${load} />`}
  </section>`;
}

function Question({ offer, reload }) {
  const [chosen, setChosen] = useState(kept);
  const [added, setAdded] = useState([]);
  const [busy, setBusy] = useState(null);
  const [problem, setProblem] = useState(null);
  const [prospect, setProspect] = useState(null);
  const key = useRef({ of: "", key: "" });
  const field = useRef(null);
  const bases = offer?.knowledge_bases ?? [];
  const choices = { ...chosen, effort: chosen.effort ?? offer?.effort, kb: chosen.kb ?? bases[0]?.name ?? null, kbs: bases.length };

  const choose = (changes) => {
    kept = { ...kept, ...changes };
    setChosen(kept);
  };
  const uploads = useUploads(offer, choices.kb ?? "default", ({ kind, id, name }) => {
    if (kind === "data") choose({ datasets: [...new Set([...kept.datasets, id ?? name])] });
    else setAdded((known) => [...new Set([...known, id])]);
    reload();
  });
  const request = requestOf(choices, added);
  const wanted = JSON.stringify(request);
  const current = prospect?.of === wanted ? prospect.told : null;
  const sending = uploads.files.some(({ state }) => state === "sending" || state === "waiting");

  const attempt = async (name, work) => {
    if (busy) return;
    if (!request.query) {
      field.current.focus();
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
  const look = () =>
    attempt("estimate", async () => {
      setProspect({ of: wanted, told: await estimate(request) });
      requestAnimationFrame(() => document.getElementById("prospect")?.focus());
    });
  const start = () =>
    attempt("start", async () => {
      if (key.current.of !== wanted) key.current = { of: wanted, key: newKey() };
      const session = current?.session ? await begin(current.session) : await createSession(request, key.current.key);
      key.current = { of: "", key: "" };
      kept = { ...kept, query: "" };
      go(`/s/${session.id}`);
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
  const accept = offer ? [...offer.uploads.documents, ...offer.uploads.data] : [];
  const starting = busy === "start" ? t("starting") : t(current?.session ? "start.plan" : "start");

  return html`<form onSubmit=${send} class="question">
    <div class="box">
      <textarea ref=${field} aria-labelledby="ask" rows="3" value=${chosen.query} onInput=${(event) => choose({ query: event.target.value })} onKeyDown=${typed} placeholder=${t("ask.placeholder")} autofocus maxlength="8000"></textarea>
      <div class="row">
        ${offer && html`<${ChooseFiles} add=${uploads.add} accept=${accept} class="quiet attach"><${Clip} /> ${t("files.add")}<//>`}
        <span class="grow"></span>
        <button type="button" class="quiet" disabled=${busy !== null || sending} onClick=${look}>${busy === "estimate" ? t("estimating") : t("estimate")}</button>
        <button class="primary" disabled=${busy !== null || sending}>${starting}</button>
      </div>
    </div>
    ${offer && html`<${DropZone} add=${uploads.add} />`}
    <${Uploads} ...${uploads} />
    <${Failure} problem=${problem} />
    ${current && html`<${Prospect} prospect=${current} /><p class="begin"><button class="primary" disabled=${busy !== null}>${starting}</button></p>`}
    ${offer && !chosen.query && html`<${Welcome} offer=${offer} kb=${choices.kb} use=${(query) => { choose({ query }); field.current.focus(); }} />`}
    ${offer && html`<${Choices} chosen=${choices} choose=${choose} offer=${offer} added=${added} />`}
  </form>`;
}

/** Starts a plan that was kept; one that has started already, by a try whose answer got lost, is shown as it is. */
const begin = (id) =>
  resume(id).catch((problem) => {
    if (problem.status === 409) return { id };
    throw problem;
  });

const Clip = () =>
  html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"><path d="m13 7.5-5.3 5.2a3.2 3.2 0 0 1-4.5-4.5l5.6-5.5a2.1 2.1 0 0 1 3 3L6.300 11.200a1 1 0 0 1-1.500-1.500L9.700 5" /></svg>`;

/** What Fathom is, and two questions to begin with; or how to give it something to read. */
function Welcome({ offer, kb, use }) {
  const [titles, setTitles] = useState([]);
  const some = offer.knowledge_bases.find(({ name }) => name === kb)?.documents ?? 0;
  useEffect(() => {
    if (!some) return;
    // examples are a nicety: without them the view is whole
    documentsOf(kb).then(({ documents }) => setTitles(two(documents)), () => setTitles([]));
  }, [kb, some]);
  const questions = titles.length === 2 ? [t("ask.example.one", { one: titles[0] }), t("ask.example.two", { one: titles[0], two: titles[1] })] : [];
  return html`<div class="welcome">
    <p>${t("ask.about")} ${some === 0 && t(offer.web ? "ask.empty.web" : "ask.empty")}</p>
    ${some > 0 &&
    html`<ul class="examples">
      ${questions.map((question) => html`<li><button type="button" class="link" onClick=${() => use(question)}>${question}</button></li>`)}
    </ul>`}
  </div>`;
}

/** Two titles that read well in a sentence, from different places of the list. */
function two(documents) {
  const titles = [...new Set(documents.map(({ title }) => title).filter((title) => title && title.length >= 4 && title.length <= 48))];
  return titles.length < 2 ? [] : [titles[Math.floor(titles.length / 3)], titles[Math.floor((titles.length * 2) / 3)]];
}
