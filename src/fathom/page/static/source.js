/** A source as it was when it was read, open at what is quoted, beside the report. */

import { html, useEffect, useMemo, useRef, useState } from "/assets/vendor/preact.js";
import { ask, pathOf } from "/assets/api.js";
import { moment } from "/assets/format.js";
import { Failure } from "/assets/parts.js";
import { Records, Text, units } from "/assets/snapshot.js";
import { t } from "/assets/words.js";

const BESIDE = "(min-width: 60rem)";
const SHAPES = { supported: "✓", partial: "◐", unsupported: "✕", uncited: "○" };

export function Source({ id, source, evidence, claims, open, close, copy, toClaim }) {
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
  return html`<dialog ref=${dialog} class="drawer" aria-labelledby="drawer-title" onCancel=${(event) => { event.preventDefault(); close(); }} onClick=${follows}>
    <header>
      <h2 id="drawer-title"><span class="soft figure">${data?.source.id}</span> <cite>${data ? data.source.title || data.source.uri : t("loading")}</cite></h2>
      <button type="button" class="icon" aria-label=${t("close")} title=${t("close")} onClick=${close}>✕</button>
    </header>
    <${Failure} problem=${problem} again=${() => load()} />
    ${data &&
    html`<${Facts} source=${data.source} />
      ${spans.length > 0 &&
      html`<div class="row steps">
        <button type="button" class="quiet" onClick=${() => move(-1)} disabled=${spans.length < 2} aria-label=${t("source.previous")} title=${t("source.previous")}>↑</button>
        <span class="figure" aria-live="polite">${at < 0 ? t("source.quotations", { n: spans.length }) : t("source.quotation", { at: at + 1, all: spans.length })}</span>
        <button type="button" class="quiet" onClick=${() => move(1)} disabled=${spans.length < 2 && at >= 0} aria-label=${t("source.next")} title=${t("source.next")}>↓</button>
      </div>`}
      <div class="snapshot" tabindex="0" role="region" aria-label=${t("source.text")}>
        ${data.start > 0 && html`<p><button type="button" class="link" onClick=${() => load({ start: Math.max(0, data.start - 100_000), end: data.start })}>${t("source.before")}</button></p>`}
        ${data.records ? html`<${Records} data=${placed} current=${evidence} />` : html`<${Text} data=${placed} current=${evidence} />`}
        ${data.end < data.length && html`<p><button type="button" class="link" onClick=${() => load({ start: data.end, end: Math.min(data.length, data.end + 100_000) })}>${t("source.after")}</button></p>`}
      </div>
      ${resting.length > 0 &&
      html`<footer><details key=${span ? "span" : "source"} open=${Boolean(span)}>
        <summary><h3>${t(span ? "source.rests_here" : "source.rests")}</h3> <span class="soft figure">${resting.length}</span></summary>
        <ul>
          ${resting.map((name) => claims.get(name)).filter(Boolean).map(
            (claim) => html`<li key=${claim.id}>
              <span class=${`is-${claim.status}`} title=${t(`status_of.${claim.status}`)} role="img" aria-label=${t(`status_of.${claim.status}`)}>${SHAPES[claim.status]}</span>
              <a href=${`#${claim.id}`} onClick=${(event) => { event.preventDefault(); toClaim(claim.id); }}>${claim.text}</a>
              <button type="button" class="link soft" onClick=${() => copy(claim.id)}>${t("report.copy_short")}</button>
            </li>`,
          )}
        </ul>
      </details></footer>`}`}
  </dialog>`;
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
