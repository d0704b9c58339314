/** The page: which view is shown, the frame around it, and the dialog that lets people in. */

import { html, render, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { post, whenSignedOut } from "/assets/api.js";
import { Ask } from "/assets/ask.js";
import { Bottom } from "/assets/frame.js";
import { Dialog, Failure } from "/assets/parts.js";
import { useTitle, watch } from "/assets/router.js";
import { loadAll, View } from "/assets/views.js";
import { change, language, t } from "/assets/words.js";

/** `visit` counts how often one has moved, and `back` says whether by the browser's own button. */
function view(path, visit, back) {
  const [, id] = /^\/s\/([\w-]+)$/.exec(path) ?? [];
  if (id) return html`<${View} key=${id} name="session" of="Session" id=${id} />`;
  if (path === "/") return html`<${Ask} />`;
  if (path === "/check") return html`<${View} key=${path} name="check" of="Check" />`;
  if (path === "/history") return html`<${View} key=${`${path} ${visit}`} name="history" of="History" back=${back} />`;
  if (path === "/library") return html`<${View} key=${path} name="library" of="Library" />`;
  return html`<${Nowhere} />`;
}

function Nowhere() {
  useTitle(t("problem.not_found"));
  return html`<section class="narrow"><h1 tabindex="-1">${t("problem.not_found")}</h1><p><a href="/">${t("nav.ask")}</a></p></section>`;
}

function App() {
  const [path, setPath] = useState(location.pathname);
  const [visit, setVisit] = useState(0);
  const [, setLanguage] = useState(language());
  const [offline, setOffline] = useState(navigator.onLine === false);
  const moved = useRef(null); // "on" or "back", until the new view has the focus

  useEffect(
    () =>
      watch((back) => {
        moved.current = back ? "back" : "on";
        setPath(location.pathname);
        setVisit((number) => number + 1);
      }),
    [],
  );
  useEffect(() => {
    const line = () => setOffline(navigator.onLine === false);
    addEventListener("online", line);
    addEventListener("offline", line);
    return () => {
      removeEventListener("online", line);
      removeEventListener("offline", line);
    };
  }, []);
  useEffect(() => {
    if (!moved.current) return;
    document.querySelector("main h1")?.focus({ preventScroll: true });
    if (moved.current === "on") scrollTo(0, 0);
    moved.current = null;
  }, [path]);

  useEffect(() => {
    (globalThis.requestIdleCallback ?? setTimeout)(loadAll);
  }, []);

  const speak = async (code) => {
    await change(code);
    setLanguage(code);
  };
  const here = (href) => (path === href ? "page" : undefined);
  return html`
    <a class="skip" href="#main">${t("skip")}</a>
    <header class="top">
      <a class="wordmark" href="/" aria-label=${t("home")}>
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round">
          <path d="M2 4.5h16M4.5 9.5h11M7.5 14.5h5" />
        </svg>
        <span>Fathom</span>
      </a>
      <nav aria-label=${t("nav.label")}>
        <a href="/" aria-current=${here("/")}>${t("nav.ask")}</a>
        <a href="/check" aria-current=${here("/check")}>${t("nav.check")}</a>
        <a href="/history" aria-current=${here("/history")}>${t("nav.history")}</a>
        <a href="/library" aria-current=${here("/library")}>${t("nav.library")}</a>
      </nav>
    </header>
    ${offline && html`<p class="banner" role="status">${t("problem.offline")}</p>`}
    <main id="main" tabindex="-1">${view(path, visit, moved.current === "back")}</main>
    <${Bottom} speak=${speak} />
    <${SignIn} />
  `;
}

/** Asks for a token whenever the service wants one. */
function SignIn() {
  const [waiting, setWaiting] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => whenSignedOut(() => new Promise((resolve) => setWaiting(() => resolve))), []);
  const leave = (signedIn) => {
    waiting?.(signedIn);
    setWaiting(null);
    setProblem(null);
  };
  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await post("/api/login", { token: new FormData(event.target).get("token").trim() }, { login: false });
      leave(true);
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} open=${waiting !== null} title=${t("login.title")} close=${() => leave(false)}>
    <form onSubmit=${send}>
      <p>${t("login.text")}</p>
      <label class="field">${t("login.token")}<input name="token" type="password" required autocomplete="current-password" autofocus /></label>
      <${Failure} problem=${problem?.status === 401 ? { name: "wrong_token" } : problem} />
      <div class="row end"><button class="primary" disabled=${busy}>${t("login.title")}</button></div>
    </form>
  <//>`;
}

document.documentElement.lang = language();
render(html`<${App} />`, document.getElementById("app"));
