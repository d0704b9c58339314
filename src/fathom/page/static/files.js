/** Files on their way into the library: chosen or dropped, sent a few at a time, each with its outcome. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { IMPORT, documentsPath, upload, uploadsOfData } from "/assets/api.js";
import { bytes } from "/assets/format.js";
import { Line } from "/assets/parts.js";
import { t } from "/assets/words.js";

const AT_ONCE = 3;

/** Where the files of each kind are sent: to a knowledge base, or of bundles, to all of them. */
const PATHS = { data: uploadsOfData, document: documentsPath, bundle: () => IMPORT };

const ends = (name, suffixes) => suffixes.some((suffix) => name.toLowerCase().endsWith(suffix));

/** What a file would become: `data`, `document`, `bundle`, or null when it is none of what is wanted. */
export function kindOf(name, { documents, data, bundles = [] }) {
  if (ends(name, bundles)) return "bundle";
  if (ends(name, data)) return "data"; // a table is both, and as data it is counted, too
  return ends(name, documents) ? "document" : null;
}

/**
 * Uploads and where they stand.
 *
 * @param offer what the service gives
 * @param kb the knowledge base that they go to
 * @param added is called with each upload that has succeeded: {kind, id, name}
 * @returns {files, add, drop}: the uploads, newest last; what takes more; what takes one off the list
 */
export function useUploads(offer, kb, added = () => {}) {
  const [files, setFiles] = useState([]);
  const queue = useRef([]);
  const busy = useRef(0);
  const change = (key, changes) => setFiles((known) => known.map((each) => (each.key === key ? { ...each, ...changes } : each)));

  const work = async () => {
    while (busy.current < AT_ONCE && queue.current.length > 0) {
      busy.current += 1;
      send(queue.current.shift()).finally(() => {
        busy.current -= 1;
        work();
      });
    }
  };
  const send = async ({ key, file, kind }) => {
    change(key, { state: "sending" });
    try {
      const told = await upload(PATHS[kind](kb), file, (share) => change(key, { share }));
      change(key, { state: told.status, reason: told.failure && told.failure !== "other" ? t(`import.${told.failure}`) : told.reason, id: told.id });
      if (told.status !== "refused") added({ kind, id: told.id, name: told.name });
    } catch (problem) {
      change(key, { state: "failed", problem });
    }
  };
  const add = (chosen) => {
    const fresh = [...chosen].map((file) => {
      const entry = { key: `${file.name} ${file.size} ${Math.random()}`, name: file.name, size: file.size, share: 0 };
      const kind = kindOf(file.name, offer.uploads);
      if (!kind) return { ...entry, state: "unknown", reason: t("files.unknown.says") };
      if (file.size > offer.uploads.max_bytes) return { ...entry, state: "too_large", reason: t("files.too_large.says", { most: bytes(offer.uploads.max_bytes) }) };
      queue.current.push({ key: entry.key, file, kind });
      return { ...entry, kind, state: "waiting" };
    });
    setFiles((known) => [...known, ...fresh]);
    work();
  };
  return { files, add, drop: ({ key }) => setFiles((known) => known.filter((each) => each.key !== key)) };
}

/** Takes files that are dropped anywhere on the page, and says so while they hover. */
export function DropZone({ add, says = t("files.drop") }) {
  const [over, setOver] = useState(false);
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    let depth = 0; // every element on the way tells of its own entering and leaving
    const holds = (event) => event.dataTransfer?.types.includes("Files");
    const enter = (event) => holds(event) && (depth += 1) && setOver(true);
    const leave = (event) => holds(event) && (depth -= 1) === 0 && setOver(false);
    const hover = (event) => holds(event) && event.preventDefault();
    const drop = (event) => {
      if (!holds(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      latest.current(event.dataTransfer.files);
    };
    const all = { dragenter: enter, dragleave: leave, dragover: hover, drop };
    for (const [name, listener] of Object.entries(all)) addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(all)) removeEventListener(name, listener);
    };
  }, []);
  return over && html`<div class="drop" aria-hidden="true"><p>${says}</p></div>`;
}

/** A button that opens the browser's dialog for files. */
export function ChooseFiles({ add, accept, children, title, class: name = "quiet" }) {
  const input = useRef(null);
  const chosen = (event) => {
    add(event.target.files);
    event.target.value = ""; // so that the same file can be chosen again
  };
  return html`<button type="button" class=${name} title=${title} onClick=${() => input.current.click()}>${children}</button>
    <input ref=${input} type="file" multiple hidden accept=${accept.join(",")} aria-label=${t("files.choose")} onChange=${chosen} />`;
}

const WELL = new Set(["added", "unchanged", "waiting", "sending"]);

/** The uploads with how far each is, or what became of it; `word` says what `drop` does with one. */
export function Uploads({ files, drop, word = "take_off" }) {
  if (files.length === 0) return null;
  return html`<ul class="uploads" aria-label=${t("files.label")} aria-live="polite">
    ${files.map(
      (file) => {
        const { key, name, kind, id, size, state, share, reason, problem } = file;
        return html`<li key=${key} class=${WELL.has(state) ? "" : "wrong"}>
        ${kind === "bundle" && id ? html`<a class="name" href=${`/s/${id}`}>${name}</a>` : html`<span class="name">${name}</span>`}
        <span class="soft">${bytes(size)}</span>
        ${state === "sending"
          ? html`<progress max="1" value=${share} aria-label=${t("files.sending")}></progress>`
          : html`<span class="outcome">${t(`files.${state}`)}</span>`}
        <button type="button" class="icon" aria-label=${t(`files.${word}`, { name })} onClick=${() => drop(file)}>×</button>
        ${(reason || problem) && html`<span class="reason">${reason || problem.detail ? html`<${Line} line=${reason || problem.detail} />` : t(`problem.${problem.name}`)}</span>`}
      </li>`;
      },
    )}
  </ul>`;
}
