/** What can be asked: the documents of the knowledge bases, and datasets. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { datasets as datasetsOf, documents as documentsOf, forgetBase, forgetDataset, forgetDocument, offer as offered, searchDocuments, unreadOf } from "/assets/api.js";
import { DocumentDrawer } from "/assets/document.js";
import { ChooseFiles, DropZone, Uploads, useUploads } from "/assets/files.js";
import { Bases, chooseBase, currentBase } from "/assets/bases.js";
import { bytes, count } from "/assets/format.js";
import { Capped, Confirm, Dialog, Failure, Line } from "/assets/parts.js";
import { useTitle } from "/assets/router.js";
import { t } from "/assets/words.js";

const PAUSE = 250;
const UNREAD = 20;

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
  const base = kb ?? currentBase(offer?.knowledge_bases ?? []);
  const choose = (name) => {
    chooseBase(name);
    setKb(name);
  };
  return html`<section class=${offer || problem ? "narrow" : "narrow is-loading"}>
    <h1 tabindex="-1">${t("nav.library")}</h1>
    <${Failure} problem=${problem} again=${load} />
    ${offer && html`<${Shelves} key=${base} offer=${offer} kb=${base} choose=${choose} reload=${load} />`}
  </section>`;
}

function Shelves({ offer, kb, choose, reload }) {
  const [page, setPage] = useState(null); // documents, total, next
  const [datasets, setDatasets] = useState([]);
  const [unread, setUnread] = useState([]);
  const [problem, setProblem] = useState(null);
  const [leaving, setLeaving] = useState(null);
  const [naming, setNaming] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [shown, setShown] = useState(null); // the document in the drawer: id, and of a passage its place
  const own = offer.knowledge_bases.find(({ name }) => name === kb); // it is there once something is in it
  const bases = own ? offer.knowledge_bases : [...offer.knowledge_bases, { name: kb, documents: 0, datasets: 0 }];
  const load = async (after) => {
    setProblem(null);
    try {
      const told = own?.documents ? await documentsOf(kb, { after }) : { documents: [], total: 0, next: null };
      setPage((known) => (after ? { ...told, documents: [...known.documents, ...told.documents] } : told));
      setDatasets((await datasetsOf(kb)).datasets);
      setUnread(own?.unread ? await unreadOf(kb) : []);
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => {
    load();
  }, [offer]);
  const uploads = useUploads(offer, kb, reload);
  const remove = async () => {
    if (leaving.format === undefined) await forgetDocument(kb, leaving.id);
    else await forgetDataset(leaving.name);
    reload();
    document.querySelector("main h1")?.focus();
  };
  const leaveBase = async () => {
    await forgetBase(kb);
    choose(offer.knowledge_bases[0].name);
    reload();
  };
  return html`
    <div class=${page || problem ? "row" : "row is-loading"}>
      <${ChooseFiles} add=${uploads.add} accept=${[...offer.uploads.documents, ...offer.uploads.data]} class="primary">${t("files.add")}<//>
      <span class="soft grow hint">${t("files.or_drop")}</span>
      <${Bases} bases=${bases} value=${kb} choose=${choose} />
      <button type="button" class="quiet" onClick=${() => setNaming(true)}>${t("kb.new")}</button>
    </div>
    ${!own && html`<p class="soft" role="status">${t("kb.new.empty", { name: kb })}</p>`}
    <${NewBase} open=${naming} close=${() => setNaming(false)} choose=${choose} />
    <${Confirm} open=${deleting} close=${() => setDeleting(false)} title=${t("kb.delete.title")} text=${t("kb.delete.text", { name: kb })} word=${t("delete")} danger act=${leaveBase} />
    <${DropZone} add=${uploads.add} />
    <${Uploads} ...${uploads} />
    <${Failure} problem=${problem} again=${() => load()} />
    <section aria-labelledby="documents">
      <h2 id="documents">${t("sources.documents")} <span class="soft figure">${page && count(page.total)}</span></h2>
      ${page?.total > 0 && html`<${Search} kb=${kb} open=${setShown} />`}
      ${page?.total === 0 && html`<p class="soft">${t("library.empty")}</p>`}
      <ul class="rows">
        ${page?.documents.map((each) => html`<${Document} key=${each.id} document=${each} open=${() => setShown({ id: each.id })} leave=${() => setLeaving(each)} />`)}
      </ul>
      ${page?.next && html`<p><button type="button" class="quiet" onClick=${() => load(page.next)}>${t("more")}</button></p>`}
    </section>
    <section aria-labelledby="datasets">
      <h2 id="datasets">${t("datasets")} <span class="soft figure">${count(datasets.length)}</span></h2>
      ${datasets.length === 0 && html`<p class="soft">${t("datasets.empty", { kinds: offer.uploads.data.join(" ") })}</p>`}
      <ul class="rows">
        ${datasets.map((each) => html`<${Dataset} key=${each.name} dataset=${each} leave=${() => setLeaving(each)} />`)}
      </ul>
    </section>
    ${unread.length > 0 &&
    html`<section aria-labelledby="unread">
      <h2 id="unread">${t("library.unread")} <span class="soft figure">${count(unread.length)}</span></h2>
      <${Capped} items=${unread} most=${UNREAD} class="rows" each=${({ name, reason }) => html`<li><div><span class="term">${name}</span><p class="facts"><${Line} line=${reason} /></p></div></li>`} />
    </section>`}
    ${own?.documents + own?.datasets + own?.unread > 0 && html`<p class="older"><button type="button" class="quiet" onClick=${() => setDeleting(true)}>${t("kb.delete")}</button></p>`}
    ${shown && html`<${DocumentDrawer} kb=${kb} id=${shown.id} place=${shown.place} close=${() => setShown(null)} />`}
    <${Confirm} open=${leaving !== null} close=${() => setLeaving(null)} title=${t("remove.title")} text=${leaving ? t("remove.text", { name: leaving.title || leaving.name }) : ""} word=${t("remove")} danger act=${remove} />
  `;
}

/** Asks what a new knowledge base is to be called. */
function NewBase({ open, close, choose }) {
  const send = (event) => {
    event.preventDefault();
    close();
    choose(new FormData(event.target).get("name"));
  };
  return html`<${Dialog} open=${open} close=${close} title=${t("kb.new.title")}>
    <form onSubmit=${send}>
      <label class="field">${t("rename.name")}<input name="name" required maxlength="64" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" title=${t("kb.new.pattern")} autofocus /></label>
      <p class="soft">${t("kb.new.says")} ${t("kb.new.pattern")}</p>
      <div class="row end">
        <button type="button" class="quiet" onClick=${close}>${t("never_mind")}</button>
        <button class="primary">${t("kb.new.make")}</button>
      </div>
    </form>
  <//>`;
}

const Document = ({ document: { title, name, characters, language }, open, leave }) => html`<li>
  <div>
    <button type="button" class="link title" lang=${language === "und" ? undefined : language} onClick=${open}>${title || name}</button>
    <p class="facts">${name !== title && html`<span class="clip">${name}</span>`}<span>${t("count.characters", { n: characters })}</span></p>
  </div>
  <button type="button" class="icon" aria-label=${t("remove.one", { name: title || name })} onClick=${leave}>×</button>
</li>`;

const Dataset = ({ dataset: { name, kind, format, bytes: size, uploaded }, leave }) => html`<li>
  <div>
    <span class="term">${name}</span>
    <p class="facts"><span>${format || t(kind === "server" ? "sources.server" : "sources.dataset")}</span>${size !== null && html`<span>${bytes(size)}</span>`}</p>
  </div>
  ${uploaded && html`<button type="button" class="icon" aria-label=${t("remove.one", { name })} onClick=${leave}>×</button>`}
</li>`;

/** Passages of the knowledge base for some words. */
function Search({ kb, open }) {
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
          setTold(found.passages);
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
      ${told.map(
        ({ document: id, title, text: passage, start, end }) => html`<li>
          <p>${passage}</p>
          <p class="soft"><button type="button" class="link title" onClick=${() => open({ id, place: { start, end } })}>${title}</button></p>
        </li>`,
      )}
    </ol>`}`;
}
