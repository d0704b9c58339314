/** A source as it was when it was read, open at what is quoted, beside the report. */

import { html, useEffect, useMemo, useRef, useState } from "/assets/vendor/preact.js";
import { ask, pathOf } from "/assets/api.js";
import { VERDICTS, moment } from "/assets/format.js";
import { Failure } from "/assets/parts.js";
import { Records, Text, units } from "/assets/snapshot.js";
import { t } from "/assets/words.js";

const BESIDE = "(min-width: 60rem)";
const MORE = 100_000; // characters

export function Source({ id, source, evidence, claims, open, close, copy, asksOn, toClaim }) {
  const [data, setData] = useState(null);
  const [problem, setProblem] = useState(null);
  const dialog = useRef(null);
  const asked = useRef(0);

  const load = async (query = evidence ? { evidence } : {}) => {
    const number = (asked.current += 1);
    setProblem(null);
    try {
      const told = await ask(`${pathOf(id, `/sources/${encodeURIComponent(source)}`)}?${new URLSearchParams(query)}`);
      if (number === asked.current) setData(told); // else another place was asked for meanwhile
    } catch (error) {
      if (number !== asked.current) return;
      if (query.evidence && error.status === 404) await load({}); // it is not told by a sentence
      else setProblem(error);
    }
  };
  const span = data?.spans.find((each) => each.id === evidence);
  const holds = data && (!span || (span.start >= data.start && span.end <= data.end));
  useEffect(() => {
    if (!data || !holds) load();
  }, [source, evidence]);
  useEffect(() => {
    const beside = matchMedia(BESIDE).matches;
    if (beside) dialog.current.show();
    else dialog.current.showModal();
    dialog.current.querySelector("button.icon").focus();
    const escape = (event) => {
      if (event.key === "Escape" && !event.defaultPrevented) close();
    };
    if (beside) addEventListener("keydown", escape);
    return () => removeEventListener("keydown", escape);
  }, []);
  useEffect(() => {
    dialog.current.querySelector("mark.is-current")?.scrollIntoView({ block: "center" });
  }, [data, evidence]);

  const spans = data?.spans ?? [];
  const at = spans.findIndex((each) => each.id === evidence);
  const move = (by) => open({ source, evidence: spans[(Math.max(at, by > 0 ? -1 : 0) + by + spans.length) % spans.length].id });
  const placed = useMemo(() => data && inUnits(data), [data]);
  const resting = span ? span.claims : [...new Set(spans.flatMap((each) => each.claims))];
  const follows = (event) => {
    const link = event.target.closest?.("a.mark-number");
    if (!link) return;
    event.preventDefault();
    open({ source, evidence: link.dataset.evidence });
  };
  const cancelled = (event) => {
    event.preventDefault();
    close();
  };
  const further = (word, start, end) => html`<p><button type="button" class="link" onClick=${() => load({ start, end })}>${t(word)}</button></p>`;
  return html`<dialog ref=${dialog} class="drawer" aria-labelledby="drawer-title" onCancel=${cancelled} onClick=${follows}>
    <header>
      <h2 id="drawer-title">
        <span class="soft figure">${data?.source.id}</span>${" "}
        <cite>${data ? data.source.title || data.source.uri : t("loading")}</cite>
      </h2>
      <button type="button" class="icon" aria-label=${t("close")} title=${t("close")} onClick=${close}>✕</button>
    </header>
    <${Failure} problem=${problem} again=${() => load()} />
    ${data &&
    html`<${Facts} source=${data.source} />
      ${spans.length > 0 && html`<${Steps} at=${at} all=${spans.length} move=${move} />`}
      <div class="snapshot" tabindex="0" role="region" aria-label=${t("source.text")}>
        ${data.start > 0 && further("source.before", Math.max(0, data.start - MORE), data.start)}
        <${data.records ? Records : Text} data=${placed} current=${evidence} />
        ${data.end < data.length && further("source.after", data.end, Math.min(data.length, data.end + MORE))}
      </div>
      ${resting.length > 0 && html`<${Resting} key=${span ? "span" : "source"} ...${{ resting, claims, here: Boolean(span), toClaim, copy, asksOn }} />`}`}
  </dialog>`;
}

/** From one quotation of the source to the next; `at` is -1 while none is shown. */
function Steps({ at, all, move }) {
  const step = (by, sign, word, disabled) =>
    html`<button type="button" class="quiet" disabled=${disabled} aria-label=${t(word)} title=${t(word)} onClick=${() => move(by)}>${sign}</button>`;
  return html`<div class="row steps">
    ${step(-1, "↑", "source.previous", all < 2)}
    <span class="figure" aria-live="polite">${at < 0 ? t("source.quotations", { n: all }) : t("source.quotation", { at: at + 1, all })}</span>
    ${step(1, "↓", "source.next", all < 2 && at >= 0)}
  </div>`;
}

/** The sentences of the report that rest on the quotation, or on the source. */
function Resting({ resting, claims, here, toClaim, copy, asksOn }) {
  const goes = (id) => (event) => {
    event.preventDefault();
    toClaim(id);
  };
  const known = resting.map((name) => claims.get(name)).filter(Boolean);
  return html`<footer>
    <details open=${here}>
      <summary><h3>${t(here ? "source.rests_here" : "source.rests")}</h3> <span class="soft figure">${resting.length}</span></summary>
      <ul>
        ${known.map(({ id, href, status, text }) => {
          const told = t(`status_of.${status}`);
          return html`<li key=${id}>
            <span class=${`is-${status}`} role="img" title=${told} aria-label=${told}>${VERDICTS[status]}</span>
            <a href=${href} onClick=${goes(id)}>${text}</a>
            <span class="does">
              <button type="button" class="link soft" onClick=${() => copy(id)}>${t("report.copy_short")}</button>
              ${asksOn && html`<button type="button" class="link soft" onClick=${() => asksOn(id)}>${t("further")}</button>`}
            </span>
          </li>`;
        })}
      </ul>
    </details>
  </footer>`;
}

/** The service counts characters, a browser counts units of two bytes. */
function inUnits(data) {
  const inside = data.spans.filter((span) => span.end > data.start && span.start < data.end);
  const clamp = (offset) => Math.min(Math.max(offset, data.start), data.end) - data.start;
  const all = [...inside, ...(data.records ?? [])];
  const place = units(data.text, all.flatMap((each) => [clamp(each.start), clamp(each.end)]));
  const placed = (each) => ({ ...each, start: place(clamp(each.start)), end: place(clamp(each.end)) });
  return { kind: data.source.kind, text: data.text, spans: inside.map(placed), records: data.records?.map(placed) ?? null };
}

function Facts({ source }) {
  const followed = /^https?:\/\//i.test(source.uri);
  const facts = [
    ["source.address", source.uri && (followed ? html`<a href=${source.uri} target="_blank" rel="noopener noreferrer nofollow">${source.uri}</a>` : html`<span class="address">${readable(source.uri)}</span>`)],
    ["source.kind", t(`kind.${source.kind}`)],
    ["source.authors", source.authors?.join("; ")],
    ["source.published", source.published],
    ["source.read", source.retrieved_at && html`<time datetime=${source.retrieved_at}>${moment(source.retrieved_at)}</time>`],
    ["source.query", source.query && html`<code>${source.query}</code>`],
    ["source.digest", source.sha256 && html`<code>${source.sha256}</code>`],
  ];
  return html`<details class="source-facts">
    <summary>${followed ? hostOf(source.uri) : t(`kind.${source.kind}`)}${source.published ? ` · ${source.published}` : ""}</summary>
    <dl>${facts.filter(([, told]) => told).map(([name, told]) => html`<div><dt>${t(name)}</dt><dd>${told}</dd></div>`)}</dl>
  </details>`;
}

const hostOf = (uri) => {
  try {
    return new URL(uri).host;
  } catch {
    return uri;
  }
};

/** An address with its letters for people. */
function readable(uri) {
  try {
    return decodeURI(uri);
  } catch {
    return uri; // it is not UTF-8
  }
}
