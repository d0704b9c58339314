/** A document of the library as it was read, beside the list; or a passage of it. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { documentOf } from "/assets/api.js";
import { Failure } from "/assets/parts.js";
import { Text, units } from "/assets/snapshot.js";
import { t } from "/assets/words.js";

const LENGTH = 100_000; // characters

/** @param place of a passage, as offsets in the document; it is then marked and shown first */
export function DocumentDrawer({ kb, id, place, close }) {
  const [data, setData] = useState(null);
  const [problem, setProblem] = useState(null);
  const dialog = useRef(null);
  const load = (start) => {
    setProblem(null);
    documentOf(kb, id, { start, length: LENGTH }).then(setData, setProblem);
  };
  useEffect(() => load(Math.max(0, (place?.start ?? 0) - LENGTH / 2)), [id, place?.start]);
  useEffect(() => {
    dialog.current.showModal();
    dialog.current.querySelector("button.icon").focus();
  }, []);
  useEffect(() => {
    dialog.current.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [data]);
  const further = (word, start) => html`<p><button type="button" class="link" onClick=${() => load(start)}>${t(word)}</button></p>`;
  return html`<dialog ref=${dialog} class="drawer" aria-labelledby="drawer-title" onClose=${close} onClick=${(event) => event.target === dialog.current && close()}>
    <header>
      <h2 id="drawer-title"><cite>${data ? data.title || data.name : t("loading")}</cite></h2>
      <button type="button" class="icon" aria-label=${t("close")} title=${t("close")} onClick=${close}>✕</button>
    </header>
    <${Failure} problem=${problem} again=${() => load(0)} />
    ${data &&
    html`<p class="facts"><span class="clip">${data.name}</span><span>${t("count.characters", { n: data.characters })}</span></p>
      <div class="snapshot" tabindex="0" role="region" aria-label=${t("source.text")} lang=${data.language === "und" ? undefined : data.language}>
        ${data.start > 0 && further("source.before", Math.max(0, data.start - LENGTH))}
        <${Text} data=${marked(data, place)} current="P" />
        ${data.end < data.characters && further("source.after", data.end)}
      </div>`}
  </dialog>`;
}

/** The service counts characters, a browser counts units of two bytes. */
function marked(data, place) {
  const isHere = place && place.start >= data.start && place.end <= data.end;
  const offsets = isHere ? [place.start - data.start, place.end - data.start] : [];
  const at = units(data.text, offsets);
  const [start, end] = offsets.map(at);
  return { kind: "file", text: data.text, spans: isHere ? [{ id: "P", start, end, isUnnumbered: true }] : [] };
}
