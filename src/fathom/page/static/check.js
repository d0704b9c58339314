/** A text of one's own, held against the documents: each sentence with what they say to it. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { checkText, offer as offered } from "/assets/api.js";
import { Bases, currentBase } from "/assets/bases.js";
import { count, VERDICTS } from "/assets/format.js";
import { Failure, Line } from "/assets/parts.js";
import { useTitle } from "/assets/router.js";
import { t } from "/assets/words.js";

const STATUSES = Object.keys(VERDICTS);
const GOOD = STATUSES.slice(0, 2);

/** What was written and found, as long as the page is open. */
let kept = { text: "", told: null };

export function Check() {
  const [offer, setOffer] = useState(null);
  const [kb, setKb] = useState(null);
  const [text, setText] = useState(kept.text);
  const [told, setTold] = useState(kept.told);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const running = useRef(null);
  useTitle(t("nav.check"));
  useEffect(() => {
    offered().then(setOffer, setProblem);
    return () => running.current?.abort();
  }, []);
  const write = (event) => {
    kept = { ...kept, text: event.target.value };
    setText(kept.text);
  };
  const found = (outcome) => {
    kept = { ...kept, told: outcome };
    setTold(outcome);
  };
  const send = async (event) => {
    event.preventDefault();
    if (busy || !text.trim()) return;
    running.current = new AbortController();
    setBusy(true);
    setProblem(null);
    found(null);
    try {
      found(await checkText({ text, kb: kb ?? currentBase(bases) }, running.current.signal));
    } catch (error) {
      if (error.name !== "AbortError") setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const bases = offer?.knowledge_bases ?? [];
  return html`<section class=${offer || problem ? "narrow check" : "narrow check is-loading"}>
    <h1 tabindex="-1" id="check">${t("nav.check")}</h1>
    <p class="soft">${t("check.about")}</p>
    <form onSubmit=${send}>
      <div class="box"><textarea name="text" rows="10" aria-labelledby="check" placeholder=${t("check.placeholder")} value=${text} onInput=${write}></textarea></div>
      <div class="row end">
        <${Bases} bases=${bases} value=${kb ?? currentBase(bases)} choose=${setKb} />
        ${busy && html`<button type="button" onClick=${() => running.current.abort()}>${t("stop")}</button>`}
        <button class="primary" disabled=${busy || !text.trim()}>${t("check.send")}</button>
      </div>
    </form>
    <${Failure} problem=${problem} />
    <p role="status" class=${busy ? "soft" : "unseen"}>${busy ? t("check.busy") : told ? t("check.done", { n: told.sentences.length }) : ""}</p>
    ${told && html`<${Told} told=${told} />`}
  </section>`;
}

function Told({ told }) {
  const numbers = STATUSES.map((status) => [status, told.verdicts[status]]).filter(([, number]) => number > 0);
  return html`
    <p class="verdicts">${numbers.map(([status, number]) => html`<span class=${`is-${status}`}><span aria-hidden="true">${VERDICTS[status]}</span> ${t(`verdict.${status}`, { n: number })}</span>`)}</p>
    ${told.left_out > 0 && html`<p class="soft">${t("check.left_out", { n: told.left_out })}</p>`}
    ${told.notes.map((note) => html`<p><${Line} class="soft" line=${note} /></p>`)}
    <ol class="checked">${told.sentences.map((sentence) => html`<${Sentence} ...${sentence} />`)}</ol>
  `;
}

function Sentence({ text, status, why, against, repair }) {
  const isGood = GOOD.includes(status);
  const said = t(`check.status.${status}`);
  return html`<li>
    <p><span class=${`is-${status}`} role="img" title=${said} aria-label=${said}>${VERDICTS[status]}</span> ${text}</p>
    ${repair && html`<p class="repair">→ <ins>${repair}</ins></p>`}
    ${!isGood && html`<p><${Line} class="soft" line=${why} /></p>`}
    ${against &&
    html`<details open=${!isGood}>
      <summary>${[against.title, against.locator].filter(Boolean).join(" › ")}</summary>
      <blockquote>${against.quote}</blockquote>
    </details>`}
  </li>`;
}
