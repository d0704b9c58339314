/** The report of a session: its text, the sources that it rests on, and what can be done with it. */

import { html, useEffect, useMemo, useRef, useState } from "/assets/vendor/preact.js";
import { ask, pathOf } from "/assets/api.js";
import { enhance, read } from "/assets/article.js";
import { VERDICTS } from "/assets/format.js";
import { Failure } from "/assets/parts.js";
import { Source } from "/assets/source.js";
import { Sources } from "/assets/sources.js";
import { t } from "/assets/words.js";

const STATUSES = Object.keys(VERDICTS);
const WEAK = STATUSES.slice(2);

export function Report({ id }) {
  const [text, setText] = useState(null);
  const [sources, setSources] = useState([]);
  const [problem, setProblem] = useState(null);
  const [claims, setClaims] = useState(new Map());
  const [shown, setShown] = useState(null); // the source in the drawer: {source, evidence}
  const [lit, setLit] = useState(null); // the claim that is pointed at
  const [weakOnly, setWeakOnly] = useState(false);
  const [said, setSaid] = useState("");
  const body = useRef(null);
  const from = useRef(null); // what had the focus when the drawer opened

  const load = () => {
    setProblem(null);
    ask(pathOf(id, "/report/article"), { text: true }).then(setText, setProblem);
    ask(pathOf(id, "/sources")).then((told) => setSources(told.sources), setProblem);
  };
  useEffect(load, [id]);

  /** The address of the page says what is open: `#E3` a quotation, `#S2` a source, `#C7` a sentence. */
  const follow = () => {
    const place = wanted(body.current, location.hash.slice(1));
    setShown(place?.source ? place : null);
    if (place?.claim) point(place.claim);
  };
  useEffect(() => {
    if (text === null) return undefined;
    body.current.innerHTML = text; // our own: every text in it is escaped
    enhance(body.current);
    setClaims(read(body.current));
    follow();
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [text]);

  useEffect(() => {
    if (shown === null || text === null) return undefined;
    const resting = shown.evidence ? [...body.current.querySelectorAll(`.claim [data-evidence="${shown.evidence}"]`)].map((ref) => ref.closest(".claim")) : [];
    for (const claim of resting) claim.classList.add("is-open");
    return () => resting.forEach((claim) => claim.classList.remove("is-open"));
  }, [shown, text]);

  const open = (place) => {
    if (shown === null) from.current = document.activeElement;
    const hash = `#${place.evidence ?? place.source}`;
    if (location.hash !== hash) history[shown === null ? "pushState" : "replaceState"](null, "", hash);
    setShown(place);
  };
  const close = () => {
    setShown(null);
    history.replaceState(null, "", location.pathname + location.search);
  };
  useEffect(() => {
    if (shown !== null || from.current === null) return;
    (from.current.isConnected ? from.current : body.current).focus({ preventScroll: true });
    from.current = null;
  }, [shown]);
  const toClaim = (claim) => {
    if (matchMedia("(min-width: 76rem)").matches) return point(claim); // both are seen
    from.current = document.getElementById(claim);
    close();
    return setTimeout(() => point(claim)); // once nothing lies over it
  };
  const follows = (event) => {
    const link = event.target.closest?.("a[data-source]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open({ source: link.dataset.source, evidence: link.dataset.evidence ?? null });
  };
  const points = (event) => setLit(event.target.closest?.(".claim")?.dataset.claim ?? null);
  const copy = async (claim) => {
    const address = new URL(`#${claim}`, location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      setSaid(t("report.copied"));
    } catch {
      history.replaceState(null, "", address); // without HTTPS there is no clipboard
      setSaid(t("report.in_address"));
    }
  };
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(""), 4_000);
    return () => clearTimeout(timer);
  }, [said]);

  const told = useMemo(() => STATUSES.map((status) => [status, [...claims.values()].filter((claim) => claim.status === status).length]), [claims]);
  const quoting = /^\s*<article[^>]*? data-quoted/.test(text ?? ""); // nothing but quotations: its head says how many
  const weak = told.filter(([status]) => WEAK.includes(status)).reduce((sum, [, number]) => sum + number, 0);
  const litSources = useMemo(() => new Set(lit === null ? [] : (claims.get(lit)?.sources ?? [])), [lit, claims]);
  const light = (source) => {
    for (const claim of body.current.querySelectorAll(".claim.is-lit")) claim.classList.remove("is-lit");
    if (source) for (const ref of body.current.querySelectorAll(`.claim [data-source="${CSS.escape(source)}"]`)) ref.closest(".claim").classList.add("is-lit");
  };

  if (text === null) return html`<${Failure} problem=${problem} again=${load} />`;
  return html`<div class=${weakOnly && weak > 0 ? "reading is-weak-only" : "reading"}>
    <div class="reading-bar">
      ${claims.size > 0 && !quoting &&
      html`<p class="verdicts">
        ${t("report.checked", { n: claims.size })}
        ${told.map(
          ([status, number]) =>
            number > 0 &&
            html`<span class=${`is-${status}`}><span aria-hidden="true">${VERDICTS[status]}</span> ${t(`verdict.${status}`, { n: number })}</span>`,
        )}
      </p>`}
      ${weak > 0 && html`<label class="option"><input type="checkbox" checked=${weakOnly} onChange=${(event) => setWeakOnly(event.target.checked)} /> ${t("report.weak_only")}</label>`}
      <a class="to-sources" href="#all-sources">${t("sources")}</a>
      <${Download} id=${id} />
    </div>
    <div class="reading-text">
      <div ref=${body} tabindex="-1" onClick=${follows} onMouseOver=${points} onFocusIn=${points} onMouseLeave=${() => setLit(null)}></div>
      <${CopyLink} body=${body} claim=${lit} copy=${copy} />
    </div>
    <${Sources} ...${{ sources, lit: litSources, open, light, shown }} />
    ${shown && html`<${Source} ...${{ id, claims, close, copy, open }} key=${shown.source} source=${shown.source} evidence=${shown.evidence} toClaim=${toClaim} />`}
    <p class=${said ? "said-so" : "unseen"} role="status">${said}</p>
  </div>`;
}

/** What an address names in the report. */
function wanted(article, name) {
  if (/^C\d+$/.test(name)) return { claim: name };
  if (/^S\d+$/.test(name) || /^[0-9a-f]{64}$/.test(name)) return { source: name, evidence: null };
  if (!/^E\d+$/.test(name)) return null;
  const source = article.querySelector(`[data-evidence="${name}"]`)?.dataset.source;
  return source ? { source, evidence: name } : null;
}

/** Shows a sentence, and which one it is. */
function point(name) {
  const claim = document.getElementById(name);
  if (!claim) return;
  for (const other of document.querySelectorAll(".claim.is-wanted")) other.classList.remove("is-wanted");
  claim.classList.add("is-wanted");
  claim.scrollIntoView({ block: "center" });
  claim.tabIndex = -1;
  claim.focus({ preventScroll: true });
}

/** Beside the sentence that is pointed at, where there is room. */
function CopyLink({ body, claim, copy }) {
  const [place, setPlace] = useState(null);
  useEffect(() => {
    const element = claim && document.getElementById(claim);
    if (element) setPlace({ claim, top: element.getClientRects()[0].top - body.current.getBoundingClientRect().top });
  }, [claim]);
  const ref = useRef(null);
  useEffect(() => {
    if (place) ref.current.style.setProperty("inset-block-start", `${place.top}px`);
  }, [place]);
  if (!place) return null;
  return html`<button ref=${ref} type="button" class="copy-link" tabindex="-1" title=${t("report.copy")} aria-label=${t("report.copy")} onClick=${() => copy(place.claim)}>
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round">
      <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7L8.2 4.1M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.9-.9" />
    </svg>
  </button>`;
}

/** The report as a file to keep, or on paper. */
function Download({ id }) {
  const menu = useRef(null);
  useEffect(() => {
    const away = (event) => {
      if (event.type === "keydown" ? event.key === "Escape" && menu.current.open : !menu.current.contains(event.target)) {
        menu.current.open = false;
        if (event.type === "keydown") menu.current.firstElementChild.focus();
      }
    };
    addEventListener("click", away);
    addEventListener("keydown", away);
    return () => {
      removeEventListener("click", away);
      removeEventListener("keydown", away);
    };
  }, []);
  const files = [["report.html", "HTML"], ["report.md", "Markdown"], ["report.json", "JSON"]];
  return html`<details class="menu" ref=${menu}>
    <summary>${t("report.download")}</summary>
    <ul>
      ${files.map(([file, name]) => html`<li><a href=${`${pathOf(id, `/${file}`)}?download=1`} download>${name}</a></li>`)}
      <li><button type="button" class="link" onClick=${() => { menu.current.open = false; print(); }}>${t("report.print")}</button></li>
    </ul>
  </details>`;
}
