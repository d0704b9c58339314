/** Everything that a session has read: what its report cites, what it only read, and what it left out, and why. */

import { html, useMemo, useState } from "/assets/vendor/preact.js";
import { Capped, Line } from "/assets/parts.js";
import { t } from "/assets/words.js";

const SHOWN = { cited: 40, read: 8, left_out: 5 };
const MANY = 8;

export function Sources({ sources, lit, open, light, shown, prefix }) {
  const [text, setText] = useState("");
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return sources.filter((source) => words.every((word) => `${source.id} ${source.title} ${source.uri} ${source.query} ${source.reason}`.toLowerCase().includes(word)));
  }, [sources, text]);
  const kinds = new Set(sources.map((source) => source.kind)).size;
  const groups = ["cited", "read", "left_out"].map((state) => [state, found.filter((source) => source.state === state)]);
  return html`<${prefix ? "div" : "aside"} class="all-sources" role=${prefix ? "group" : undefined} aria-labelledby=${`${prefix}all-sources`}>
    <h2 id=${`${prefix}all-sources`} tabindex="-1">${t("sources")} <span class="soft figure">${sources.length}</span></h2>
    ${sources.length > MANY && html`<p><input type="search" aria-label=${t("sources.filter")} placeholder=${t("sources.filter")} value=${text} onInput=${(event) => setText(event.target.value)} /></p>`}
    ${found.length === 0 && html`<p class="soft">${t(sources.length ? "sources.no_match" : "sources.none")}</p>`}
    ${groups.map(
      ([state, group]) =>
        group.length > 0 &&
        html`<section key=${state}>
          <h3>${t(`sources.${state}`)} <span class="soft figure">${group.length}</span></h3>
          <${Capped} items=${group} most=${SHOWN[state]} class="source-list" each=${(source) => html`<${Item} key=${source.id + source.sha256 + source.uri} ...${{ source, lit, open, light, shown, kinds }} />`} />
        </section>`,
    )}
  <//>`;
}

function Item({ source, lit, open, light, shown, kinds }) {
  const name = source.id || source.sha256;
  const title = source.title || source.uri;
  const classes = ["source-item", lit.has(source.id) && "is-lit", shown && shown.source === name && "is-open"].filter(Boolean).join(" ");
  return html`<li class=${classes} onMouseEnter=${() => light(source.id)} onMouseLeave=${() => light(null)} onFocusIn=${() => light(source.id)} onFocusOut=${() => light(null)}>
    <span class="soft figure">${source.id}</span>
    <div>
      ${source.sha256 && source.state !== "left_out"
        ? html`<button type="button" class="link" onClick=${() => open({ source: name, evidence: null })}>${title}</button>`
        : html`<span>${title}</span>`}
      <p class="soft">
        ${told(source, kinds).map((each, at) => html`${at > 0 && " · "}<span>${each}</span>`)}
      </p>
    </div>
  </li>`;
}

function told(source, kinds) {
  if (source.state === "left_out") return [html`<${Line} line=${source.reason} />`];
  return [
    kinds > 1 ? t(`kind.${source.kind}`) : "",
    source.kind === "web" ? host(source.uri) : "",
    source.published,
    source.spans ? t("source.quotations", { n: source.spans }) : "",
  ].filter(Boolean);
}

function host(uri) {
  try {
    return new URL(uri).host;
  } catch {
    return ""; // the title is then all there is
  }
}
