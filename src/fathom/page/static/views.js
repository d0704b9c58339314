/** The views that are loaded when they are wanted first: all files of one at once, style sheets among them. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { Failure } from "/assets/parts.js";
import { t } from "/assets/words.js";

const SESSION = ["live", "run", "approve", "clarify", "steer", "events", "progress", "telling", "thread", "changes", "report", "article", "source", "sources", "snapshot", "share"];

/** Of each view: its module, what that loads besides the first view, and its style sheets in the order of the cascade. */
const VIEWS = {
  session: { load: () => import("/assets/live.js"), modules: SESSION, styles: ["steer", "report", "reading", "source", "thread"] },
  history: { load: () => import("/assets/history.js"), modules: ["history"], styles: ["lists"] },
  library: { load: () => import("/assets/library.js"), modules: ["library", "document", "snapshot"], styles: ["lists", "source"] },
  check: { load: () => import("/assets/check.js"), modules: ["check"], styles: ["lists", "reading"] },
};
const ORDER = ["lists", "steer", "report", "reading", "source", "thread"];

const loaded = {};
const sheets = {};

/** A style sheet once it holds; of all of them, each stands at its place whichever came first. */
function sheet(name) {
  sheets[name] ??= new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/assets/${name}.css`, onload: resolve, onerror: reject });
    link.dataset.place = ORDER.indexOf(name);
    const behind = [...document.head.querySelectorAll("link[data-place]")].find((other) => other.dataset.place > link.dataset.place);
    document.head.insertBefore(link, behind ?? null);
  });
  return sheets[name];
}

async function fetched(name) {
  const { load, modules, styles } = VIEWS[name];
  for (const each of modules) {
    const href = `/assets/${each}.js`;
    if (!document.head.querySelector(`link[href="${href}"]`)) document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
  }
  const [module] = await Promise.all([load(), ...styles.map(sheet)]);
  loaded[name] = module;
}

/** Loads the views while nobody waits for them, so that each is there at once, and when the service is away. */
export const loadAll = async () => {
  for (const name of Object.keys(VIEWS)) await fetched(name).catch(() => {}); // it is tried again when it is wanted
};

/** A view by its name, what it exports as `of`, and what that is given. */
export function View({ name, of, ...given }) {
  const [problem, setProblem] = useState(null);
  const [, draw] = useState(0);
  const moved = useRef(false); // whether the focus was put on the heading before the view was there
  const load = () => {
    setProblem(null);
    fetched(name).then(() => draw((number) => number + 1), () => {
      for (const each of VIEWS[name].styles) delete sheets[each];
      setProblem({ name: "unreachable" });
    });
  };
  const view = loaded[name]; // as it is drawn: it may come between that and the effect
  useEffect(() => {
    if (!view) load();
    else if (moved.current) document.querySelector("main h1")?.focus({ preventScroll: true });
  }, [name, view]);
  if (view) return html`<${view[of]} ...${given} />`;
  return html`<section class="narrow is-loading"><h1 tabindex="-1" onFocus=${() => (moved.current = true)}>${t("loading")}</h1><${Failure} problem=${problem} again=${load} /></section>`;
}
