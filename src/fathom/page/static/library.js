/** What can be asked: the documents of the knowledge bases, and datasets. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { documents as documentsOf, forgetDataset, forgetDocument, offer as offered, searchDocuments } from "/assets/api.js";
import { ChooseFiles, DropZone, Uploads, useUploads } from "/assets/files.js";
import { count } from "/assets/format.js";
import { Capped, Confirm, Failure } from "/assets/parts.js";
import { useTitle } from "/assets/router.js";
import { t } from "/assets/words.js";

const SHOWN = 50;
const PAUSE = 250;

export function Library() {
  const [offer, setOffer] = useState(null);
  const [problem, setProblem] = useState(null);
  const [kb, setKb] = useState(null);
  useTitle(t("nav.library"));
  const load = () => {
    setProblem(null);
    offered().then(setOffer, setProblem);
  };
  useEffect(load, []);
  const base = kb ?? offer?.knowledge_bases[0]?.name ?? "default";
  return html`<section class="narrow">
    <h1 tabindex="-1">${t("nav.library")}</h1>
    <${Failure} problem=${problem} again=${load} />
    ${offer && html`<${Shelves} key=${base} offer=${offer} kb=${base} choose=${setKb} reload=${load} />`}
  </section>`;
}

function Shelves({ offer, kb, choose, reload }) {
  const [documents, setDocuments] = useState(null);
  const [problem, setProblem] = useState(null);
  const [leaving, setLeaving] = useState(null);
  const load = () => documentsOf(kb).then((told) => setDocuments(told.documents), setProblem);
  useEffect(() => {
    load();
  }, [kb]);
  const changed = () => {
    load();
    reload();
  };
  const uploads = useUploads(offer, kb, changed);
  const remove = async () => {
    if (leaving.kind === "data") await forgetDataset(leaving.name);
    else await forgetDocument(kb, leaving.id);
    changed();
  };
  const bases = offer.knowledge_bases;
  return html`
    <div class="row">
      ${bases.length > 1 &&
      html`<select aria-label=${t("kb")} value=${kb} onChange=${(event) => choose(event.target.value)}>
        ${bases.map(({ name, documents: number }) => html`<option value=${name}>${name} (${count(number)})</option>`)}
      </select>`}
      <${ChooseFiles} add=${uploads.add} accept=${[...offer.uploads.documents, ...offer.uploads.data]} class="primary">${t("files.add")}<//>
      <span class="soft">${t("files.or_drop")}</span>
    </div>
    <${DropZone} add=${uploads.add} />
    <${Uploads} ...${uploads} />
    <${Failure} problem=${problem} again=${load} />
    <${Search} kb=${kb} />
    <section aria-labelledby="documents">
      <h2 id="documents">${t("sources.documents")} <span class="soft figure">${documents && count(documents.length)}</span></h2>
      ${documents?.length === 0 && html`<p class="soft">${t("library.empty")}</p>`}
      ${documents?.length > 0 && html`<${Capped} items=${documents} most=${SHOWN} class="rows" each=${(each) => html`<${Document} key=${each.id} document=${each} leave=${() => setLeaving(each)} />`} />`}
    </section>
    <section aria-labelledby="datasets">
      <h2 id="datasets">${t("datasets")} <span class="soft figure">${count(offer.datasets.length)}</span></h2>
      ${offer.datasets.length === 0 && html`<p class="soft">${t("datasets.empty", { kinds: offer.uploads.data.join(" ") })}</p>`}
      <ul class="rows">
        ${offer.datasets.map(
          ({ name, kind }) => html`<li key=${name}>
            <div><span class="term">${name}</span><p class="facts"><span>${t(kind === "server" ? "sources.server" : "sources.dataset")}</span></p></div>
            ${kind === "files" && html`<button type="button" class="icon" aria-label=${t("remove.one", { name })} onClick=${() => setLeaving({ kind: "data", name, title: name })}>×</button>`}
          </li>`,
        )}
      </ul>
    </section>
    <${Confirm} open=${leaving !== null} close=${() => setLeaving(null)} title=${t("remove.title")} text=${leaving ? t("remove.text", { name: leaving.title || leaving.name }) : ""} word=${t("remove")} danger act=${remove} />
  `;
}

function Document({ document, leave }) {
  const { title, name, kind, published } = document;
  return html`<li>
    <div>
      <span class="term">${title || name}</span>
      <p class="facts"><span>${kind}</span>${name && name !== title && html`<span class="clip">${name}</span>`}${published && html`<span>${published}</span>`}</p>
    </div>
    <button type="button" class="icon" aria-label=${t("remove.one", { name: title || name })} onClick=${leave}>×</button>
  </li>`;
}

/** Passages of the knowledge base for some words. */
function Search({ kb }) {
  const [text, setText] = useState("");
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  const running = useRef(null);
  useEffect(() => {
    if (!text.trim()) {
      setTold(null);
      return undefined;
    }
    const timer = setTimeout(() => {
      running.current = new AbortController();
      searchDocuments(kb, text.trim(), running.current.signal).then(
        (found) => {
          setProblem(null);
          setTold(found.passages ?? found.hits ?? []);
        },
        (error) => error.name === "AbortError" || setProblem(error),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      running.current?.abort();
    };
  }, [text, kb]);
  return html`<form role="search" class="search" onSubmit=${(event) => event.preventDefault()}>
      <input type="search" aria-label=${t("library.search")} placeholder=${t("library.search")} value=${text} onInput=${(event) => setText(event.target.value)} />
    </form>
    <${Failure} problem=${problem} />
    ${told?.length === 0 && html`<p class="soft" role="status">${t("library.nothing")}</p>`}
    ${told?.length > 0 &&
    html`<ol class="passages">
      ${told.map(({ title, text: passage }) => html`<li><p>${passage}</p><p class="soft">${title}</p></li>`)}
    </ol>`}`;
}
