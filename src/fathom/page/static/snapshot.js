/** The text of a source with what is quoted of it marked: in paragraphs, in lines, or as a table of records. */

import { html } from "/assets/vendor/preact.js";
import { t } from "/assets/words.js";

const PARAGRAPHS = /\n[^\S\n]*\n\s*/g;
const ITEM = /^(?:[-*+•]|\d+[.)])\s/gm;
const IN_LINES = /^(?: {3,}|\t|\||>>> |\.\.\. |\$ )/m; // code and tables
const BROKEN = /^(?:([-=~^"'*#+])\1{2,}|\|?[-:| ]{3,})$|\S \| \S.*\n.*\S \| \S/m; // underlined, or rows of a table
const LONG = 48; // characters of a cell that needs room
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g; // control characters, and marks that turn the direction of writing

/** From offsets in characters to offsets in a string: a function for those that are given. */
export function units(text, offsets) {
  const places = new Map();
  let unit = 0;
  let character = 0;
  for (const offset of [...new Set(offsets)].sort((one, other) => one - other)) {
    while (character < offset && unit < text.length) {
      unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
      character += 1;
    }
    places.set(offset, unit);
  }
  return (offset) => places.get(offset);
}

/** `text[start:end]` with its quotations marked; the number of each stands where it begins. */
function Marked({ data, start, end, current }) {
  const spans = data.spans.filter((span) => span.start < end && span.end > start);
  const cuts = [...new Set([start, end, ...spans.flatMap((span) => [span.start, span.end])])].filter((cut) => cut >= start && cut <= end).sort((one, other) => one - other);
  return cuts.slice(1).map((to, at) => {
    const from = cuts[at];
    const text = data.text.slice(from, to).replace(UNSEEN, "");
    const over = spans.filter((span) => span.start <= from && span.end >= to);
    if (over.length === 0) return text;
    const begin = over.filter((span) => span.start === from && !span.isUnnumbered);
    const isCurrent = over.some((span) => span.id === current);
    return html`<mark class=${isCurrent ? "is-current" : ""}>${begin.map(numbered)}${text}</mark>`;
  });
}

function numbered({ id }) {
  const at = id.slice(1);
  return html`<a class="mark-number" href=${`#${id}`} data-evidence=${id} aria-label=${t("source.note", { at })}>${at}</a>`;
}

export function Text({ data, current }) {
  if (data.kind === "dataset") return html`<p class="in-lines"><${Marked} data=${data} start=${0} end=${data.text.length} current=${current} /></p>`;
  const paragraphs = [];
  let start = 0;
  for (const gap of data.text.matchAll(PARAGRAPHS)) {
    if (gap.index > start) paragraphs.push([start, gap.index]);
    start = gap.index + gap[0].length;
  }
  if (start < data.text.length) paragraphs.push([start, data.text.length]);
  return paragraphs.map(([from, to]) => html`<p class=${look(data.text.slice(from, to))}><${Marked} data=${data} start=${from} end=${to} current=${current} /></p>`);
}

/** How a paragraph is set: as prose, in which line breaks mean nothing, with its lines, or as code. */
function look(text) {
  if (IN_LINES.test(text)) return "in-lines";
  return BROKEN.test(text) || (text.match(ITEM)?.length ?? 0) > 1 ? "broken" : "";
}

/** Every record of a page, whether it is quoted or not. */
export function Records({ data, current }) {
  const records = data.records.map((record) => ({ ...record, fields: fieldsOf(data.text, record) }));
  const names = [...new Set(records.flatMap((record) => [...record.fields.keys()]))];
  const isQuoted = ({ start, end }) => data.spans.some((span) => span.start < end && span.end > start);
  const cell = (field) => {
    if (!field) return html`<td></td>`;
    const [start, end] = field;
    return html`<td class=${end - start > LONG ? "long" : ""}><${Marked} ...${{ data, start, end, current }} /></td>`;
  };
  return html`<p class="soft">${t("source.records", { n: records.length })}</p>
    <table>
      <thead><tr><th scope="col">${t("source.record")}</th>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>
        ${records.map(
          (record) => html`<tr key=${record.id} class=${isQuoted(record) ? "is-quoted" : ""}>
            <th scope="row">${record.id}</th>
            ${names.map((name) => cell(record.fields.get(name)))}
          </tr>`,
        )}
      </tbody>
    </table>`;
}

/** Where the value of each field of a record stands: each is on a line of its own, behind its name. */
function fieldsOf(text, { start, end }) {
  const fields = new Map();
  let at = start;
  for (const line of text.slice(start, end).split("\n")) {
    const colon = line.indexOf(": ");
    if (at > start && colon > 0) fields.set(line.slice(0, colon), [at + colon + 2, at + line.length]);
    at += line.length + 1;
  }
  return fields;
}
