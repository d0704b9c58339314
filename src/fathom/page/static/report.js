/** The report of a session: its text, the sources that it rests on, and what can be done with it. */

import { html, useEffect, useMemo, useRef, useState } from "/assets/vendor/preact.js";
import { ask, because, fork, newKey, offer as offered, pathOf } from "/assets/api.js";
import { enhance, follow as followParts, offer, read, selected } from "/assets/article.js";
import { VERDICTS } from "/assets/format.js";
import { Failure } from "/assets/parts.js";
import { copyMarkdown, Share } from "/assets/share.js";
import { Source } from "/assets/source.js";
import { go } from "/assets/router.js";
import { Sources } from "/assets/sources.js";
import { t } from "/assets/words.js";

const STATUSES = Object.keys(VERDICTS);
const WEAK = STATUSES.slice(2);
const OPENED = "fathom:source"; // one drawer at a time, of whichever report

/**
 * @param prefix stands before every name in the report, where it is not the only one that is shown
 * @param further asks on about a sentence: given its id and the words that name it, resolves to the address of that; none
 *   where nothing goes on from the report
 */
export function Report({ id, prefix = "", further }) {
  const [text, setText] = useState(null);
  const [sources, setSources] = useState([]);
  const [problem, setProblem] = useState(null);
  const [claims, setClaims] = useState(new Map());
  const [shown, setShown] = useState(null); // the source in the drawer: {source, evidence}
  const [lit, setLit] = useState(null); // the claim that is pointed at
  const [weakOnly, setWeakOnly] = useState(false);
  const [said, setSaid] = useState("");
  const body = useRef(null);
  const asks = useRef(null); // as it is drawn last: a button in the text is made once
  const from = useRef(null); // what had the focus when the drawer opened

  const load = () => {
    setProblem(null);
    ask(pathOf(id, "/report/article"), { text: true }).then(setText, setProblem);
    ask(pathOf(id, "/sources")).then((told) => setSources(told.sources), setProblem);
  };
  useEffect(load, [id]);

  /** The address of the page says what is open: `#E3` a quotation, `#S2` a source, `#C7` a sentence. */
  const follow = () => {
    const name = location.hash.slice(1);
    const place = name.startsWith(prefix) ? wanted(body.current, name.slice(prefix.length)) : null;
    setShown(place?.source ? place : null);
    if (place?.claim) point(prefix + place.claim);
  };
  useEffect(() => {
    if (text === null) return undefined;
    body.current.innerHTML = text; // our own: every text in it is escaped
    enhance(body.current, prefix);
    setClaims(read(body.current));
    if (further) offer(body.current, t("further"), (claim) => asks.current(claim));
    follow();
    addEventListener("popstate", follow);
    const leaveParts = followParts(body.current);
    return () => {
      leaveParts();
      removeEventListener("popstate", follow);
    };
  }, [text]);

  useEffect(() => {
    if (shown === null || text === null) return undefined;
    const resting = shown.evidence ? [...body.current.querySelectorAll(`.claim [data-evidence="${shown.evidence}"]`)].map((ref) => ref.closest(".claim")) : [];
    for (const claim of resting) claim.classList.add("is-open");
    return () => resting.forEach((claim) => claim.classList.remove("is-open"));
  }, [shown, text]);

  const open = (place) => {
    if (shown === null) from.current = document.activeElement;
    dispatchEvent(new CustomEvent(OPENED, { detail: id }));
    const hash = `#${prefix}${place.evidence ?? place.source}`;
    if (location.hash !== hash) history[shown === null ? "pushState" : "replaceState"](null, "", hash);
    setShown(place);
  };
  const close = () => {
    setShown(null);
    history.replaceState(null, "", location.pathname + location.search);
  };
  useEffect(() => {
    const other = ({ detail }) => {
      if (detail === id) return;
      from.current = null; // the focus stays where it has gone
      setShown(null);
    };
    addEventListener(OPENED, other);
    return () => removeEventListener(OPENED, other);
  }, [id]);
  useEffect(() => {
    if (shown !== null || from.current === null) return;
    (from.current.isConnected ? from.current : body.current).focus({ preventScroll: true });
    from.current = null;
  }, [shown]);
  const toClaim = (claim) => {
    if (matchMedia("(min-width: 76rem)").matches) return point(prefix + claim); // both are seen
    from.current = document.getElementById(prefix + claim);
    close();
    return setTimeout(() => point(prefix + claim)); // once nothing lies over it
  };
  const follows = (event) => {
    const link = event.target.closest?.("a[data-source]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open({ source: link.dataset.source, evidence: link.dataset.evidence ?? null });
  };
  const points = (event) => setLit(event.target.closest?.(".claim")?.dataset.claim ?? null);
  const copy = async (claim) => {
    const address = new URL(`/s/${id}#${claim}`, location.href).href;
    try {
      await navigator.clipboard.writeText(address);
      setSaid(t("report.copied"));
    } catch {
      history.replaceState(null, "", `#${prefix}${claim}`); // without HTTPS there is no clipboard
      setSaid(t("report.in_address"));
    }
  };
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(""), said.to ? 10_000 : 4_000);
    return () => clearTimeout(timer);
  }, [said]);
  asks.current = async (claim, words = "") => {
    setSaid(t("starting"));
    try {
      setSaid({ words: t("further.asked"), to: await further(claim, words) });
    } catch (error) {
      setSaid(t(`problem.${error.name}`));
    }
  };
  const asksOn = further && asks.current;

  const told = useMemo(() => STATUSES.map((status) => [status, [...claims.values()].filter((claim) => claim.status === status).length]), [claims]);
  const quoting = /^\s*<article[^>]*? data-quoted/.test(text ?? ""); // nothing but quotations: its head says how many
  const weak = told.filter(([status]) => WEAK.includes(status)).reduce((sum, [, number]) => sum + number, 0);
  const disputes = useMemo(() => (claims.size > 0 ? body.current.querySelectorAll(".contradiction").length : 0), [claims]);
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
      ${disputes > 0 && html`<a class="is-partial" href=${`#${prefix}contradictions`}>≠ ${t("came.disagree", { n: disputes })}</a>`}
      ${weak > 0 && html`<label class="option"><input type="checkbox" checked=${weakOnly} onChange=${(event) => setWeakOnly(event.target.checked)} /> ${t("report.weak_only")}</label>`}
      <a class="to-sources" href=${`#${prefix}all-sources`}>${t("sources")}</a>
      ${further && html`<${Update} id=${id} />`}
      <${Download} id=${id} say=${setSaid} />
    </div>
    <div class="reading-text">
      <div ref=${body} tabindex="-1" onClick=${follows} onMouseOver=${points} onFocusIn=${points} onMouseLeave=${() => setLit(null)}></div>
      <${Beside} body=${body} claim=${lit} prefix=${prefix} copy=${copy} further=${asksOn} />
      ${asksOn && html`<${Selected} body=${body} further=${asksOn} />`}
    </div>
    <${Sources} ...${{ sources, lit: litSources, open, light, shown, prefix }} />
    ${shown && html`<${Source} ...${{ id, claims, close, copy, open, asksOn }} key=${shown.source} source=${shown.source} evidence=${shown.evidence} toClaim=${toClaim} />`}
    <p class=${said ? "said-so" : "unseen"} role="status">${said.to ? html`<a href=${said.to} onClick=${() => setSaid("")}>${said.words}</a>` : said}</p>
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
function Beside({ body, claim, prefix, copy, further }) {
  const [place, setPlace] = useState(null);
  useEffect(() => {
    const element = claim && document.getElementById(prefix + claim);
    if (element) setPlace({ claim, top: element.getClientRects()[0].top - body.current.getBoundingClientRect().top });
  }, [claim]);
  const ref = useRef(null);
  useEffect(() => {
    if (place) ref.current.style.setProperty("inset-block-start", `${place.top}px`);
  }, [place]);
  if (!place) return null;
  const does = (word, act, path) => html`<button type="button" tabindex="-1" title=${t(word)} aria-label=${t(word)} onClick=${act}>
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"><path d=${path} /></svg>
  </button>`;
  return html`<div ref=${ref} class="beside">
    ${does("report.copy", () => copy(place.claim), "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7L8.2 4.1M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.9-.9")}
    ${further && does("further", () => further(place.claim), "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.4 10.4 13.5 13.5M7 5.2v3.6M5.2 7h3.6")}
  </div>`;
}

/** Offers what can be done with words that are selected, below them. */
function Selected({ body, further }) {
  const [found, setFound] = useState(null);
  const ref = useRef(null);
  useEffect(() => {
    let timer = null;
    const look = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setFound(selected(body.current)), 150); // once it is made, and after a tap on the button
    };
    document.addEventListener("selectionchange", look);
    addEventListener("resize", look);
    return () => {
      clearTimeout(timer);
      removeEventListener("resize", look);
      document.removeEventListener("selectionchange", look);
    };
  }, []);
  useEffect(() => {
    if (!found) return;
    const [text, box] = [[...found.range.getClientRects()].at(-1), body.current.getBoundingClientRect()];
    ref.current.style.setProperty("inset-block-start", `${text.bottom - box.top}px`);
    ref.current.style.setProperty("inset-inline-start", `max(0px, min(${text.left - box.left}px, 100% - ${ref.current.offsetWidth}px))`);
  }, [found]);
  if (!found) return null;
  const act = () => {
    getSelection().removeAllRanges();
    setFound(null);
    further(found.claim, found.words);
  };
  return html`<button ref=${ref} type="button" class="primary further" onMouseDown=${(event) => event.preventDefault()} onClick=${act}>${t("further")}</button>`;
}

/** Researches the same again, over what the sources hold by now. */
function Update({ id }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const key = useRef(newKey());
  const update = async () => {
    setBusy(true);
    setProblem(null);
    try {
      go(`/s/${(await fork(id, { update: true }, key.current)).id}`);
    } catch (error) {
      setProblem(await because(id, error, "is_past"));
      setBusy(false);
    }
  };
  return html`<button type="button" class="link" disabled=${busy} title=${t("update.says")} onClick=${update}>${t("update")}</button>
    ${problem && html`<${Failure} problem=${problem} />`}`;
}

const OF = { bib: "sources", ris: "sources", "csl.json": "sources", json: "run", zip: "run" }; // what is not of the report alone

/** The report as a file to keep, or on paper. */
function Download({ id, say }) {
  const menu = useRef(null);
  const [sharing, setSharing] = useState(false);
  const leaving = (act) => () => {
    menu.current.open = false;
    menu.current.firstElementChild.focus(); // where it goes back to from a dialog
    act();
  };
  const [files, setFiles] = useState({ html: "HTML" });
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
  return html`<details class="menu downloads" ref=${menu} onToggle=${() => offered().then((told) => setFiles(told.exports), () => {})}>
    <summary>${t("report.download")}</summary>
    <ul>
      <li><button type="button" class="link" onClick=${leaving(() => setSharing(true))}>${t("share")}</button></li>
      <li><button type="button" class="link" onClick=${leaving(async () => say(await copyMarkdown(id)))}>${t("copy.markdown")}</button></li>
      <li><button type="button" class="link" onClick=${leaving(print)}>${t("report.print")}</button></li>
      ${["report", "sources", "run"].map((what) => html`
        <li class="soft">${t(`download.${what}`)}</li>
        ${Object.entries(files)
          .filter(([ending]) => (OF[ending] ?? "report") === what)
          .map(([ending, name]) => html`<li><a href=${`${pathOf(id, `/report.${ending}`)}?download=1`} download>${ending === "footnotes.md" ? t("download.footnotes") : name}</a></li>`)}
      `)}
    </ul>
  </details>
  <${Share} id=${id} open=${sharing} close=${() => setSharing(false)} />`;
}
