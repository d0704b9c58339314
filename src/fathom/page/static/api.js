/** Asks the service: JSON in, JSON out, and every failure a `Problem`. */

/** A failure in words. `name` picks the words of the page, `detail` is the service's own line. */
export class Problem extends Error {
  constructor({ status = 0, name, detail = "", wait = 0, errors = [] }) {
    super(detail || name);
    this.status = status;
    this.name = name;
    this.detail = detail;
    this.wait = wait;
    this.errors = errors;
  }
}

const NAMES = { 401: "signed_out", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large", 422: "refused", 429: "too_many", 502: "away", 503: "away", 504: "away" };

/** How far the service's clock is ahead of this one, in milliseconds. */
let ahead = 0;
export const now = () => Date.now() + ahead;

let signIn = null;
let signingIn = null;
/** Who asks for a token when the service wants one: a function that resolves to whether one has been accepted. */
export function whenSignedOut(ask) {
  signIn = ask;
}

/** Whether there is somebody who can let us in, and has: asked once for all requests that wait. */
async function signedIn() {
  if (!signIn) return false;
  signingIn ??= signIn().finally(() => {
    signingIn = null;
  });
  return signingIn;
}

/** What is told, on the window, once the service answers again. */
export const BACK = "fathom:back";
const LOOK = 2_000;
let looking = null;

/** Nobody answers: from now on it is looked whether somebody does. */
export function away() {
  if (navigator.onLine === false) return new Problem({ name: "offline" });
  looking ??= setInterval(async () => {
    if (!(await fetch("/api/health").catch(() => null))?.ok) return;
    clearInterval(looking);
    looking = null;
    dispatchEvent(new CustomEvent(BACK));
  }, LOOK);
  return new Problem({ name: "unreachable" });
}

async function problemOf(response) {
  const told = await response.json().catch(() => ({})); // a proxy may answer in HTML
  return new Problem({
    status: response.status,
    name: NAMES[response.status] ?? (response.status >= 500 ? "fault" : "refused"),
    detail: typeof told.detail === "string" ? told.detail : "",
    wait: Number(response.headers.get("retry-after")) || 0,
    errors: Array.isArray(told.errors) ? told.errors : [],
  });
}

/**
 * What the service answers: an object, a text, or null when there is nothing to say.
 *
 * A request that needs a token waits until one is given, and is then made again.
 */
export async function ask(path, { method = "GET", body, headers = {}, signal, text = false, login = true } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      signal,
      headers: { accept: text ? "text/html" : "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw away();
  }
  const date = Date.parse(response.headers.get("date"));
  if (date) ahead = Math.abs(date - Date.now()) > 2_000 ? date - Date.now() : 0; // the header has whole seconds
  if (response.status === 401 && login && (await signedIn())) {
    return ask(path, { method, body, headers, signal, text, login: false });
  }
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return null;
  return text ? response.text() : response.json();
}

export const post = (path, body, options = {}) => ask(path, { ...options, method: "POST", body });
export const remove = (path) => ask(path, { method: "DELETE" });

/** Sends one file; `progress` is told the share that has gone, from 0 to 1. The outcome as the service tells it. */
export function upload(path, file, progress = () => {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
    const form = new FormData();
    form.append("files", file, file.name);
    request.open("POST", path);
    request.responseType = "json";
    request.setRequestHeader("accept", "application/json");
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(away());
    request.onload = async () => {
      const { status, response } = request;
      if (status < 300 && response?.files?.[0]) return resolve(response.files[0]);
      if (status === 401 && (await signedIn())) return upload(path, file, progress).then(resolve, reject);
      const wait = Number(request.getResponseHeader("retry-after")) || 0;
      reject(new Problem({ status, name: NAMES[status] ?? (status >= 500 ? "fault" : "refused"), detail: response?.detail ?? "", wait }));
    };
    request.send(form);
  });
}

/** A key by which the service knows a request again: the same for a double click and for a second try. */
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join(""); // no HTTPS
}

/** Why a session is not followed, or researched again: `problem` in words that say how it stands; `refused` names those for what it asks for itself. */
export async function because(id, problem, refused) {
  if (problem.status === 422 && refused) return new Problem({ ...problem, name: refused, detail: "" });
  if (problem.status === 404) return new Problem({ ...problem, name: "is_deleted", detail: "" });
  if (problem.status !== 409) return problem;
  const { status } = await session(id).catch(() => ({}));
  const active = status === "running" || status === "queued";
  return new Problem({ ...problem, detail: "", name: active ? "is_running" : "has_no_report" });
}

const SESSIONS = "/api/research/sessions";
export const IMPORT = `${SESSIONS}/import`;
export const pathOf = (id, rest = "") => `${SESSIONS}/${encodeURIComponent(id)}${rest}`;

export const offer = () => ask("/api/offer");
export const createSession = (request, key) => post(SESSIONS, request, { headers: { "idempotency-key": key } });
export const estimate = (request, signal) => post("/api/research/estimate", request, { signal });
export const checkText = (request, signal) => post("/api/check", request, { signal });
export const session = (id) => ask(pathOf(id));
export const planOf = (id) => ask(pathOf(id, "/plan"));
export const cancel = (id) => post(pathOf(id, "/cancel"));
export const resume = (id, limits) => post(pathOf(id, "/resume"), limits ? { limits } : {});
export const approvals = (id) => ask(pathOf(id, "/approvals"));
export const answer = (id, approval, said) => post(pathOf(id, `/approvals/${encodeURIComponent(approval)}`), said);
/** What a plan would take if it was answered so. */
export const expected = (id, approval, said) => post(pathOf(id, `/approvals/${encodeURIComponent(approval)}/estimate`), said);
export const steer = (id, command, part) => post(pathOf(id, "/steer"), part ? { command, subtask_id: part } : { command });
/** Calls it by a `name` in lists, or keeps it `pinned` at the top. */
export const label = (id, said) => post(pathOf(id, "/label"), said);
export const forget = (id) => remove(pathOf(id));
/** A question that follows a session: `{query}`, or `{about}` with the id of a sentence of its report, or both. */
export const askOn = (id, asked, key) => post(pathOf(id, "/ask"), asked, { headers: { "idempotency-key": key } });
export const threadOf = (id) => ask(pathOf(id, "/thread"));
/** A session again, with `{update: true}` or another `{question}`. */
export const fork = (id, changes, key) => post(pathOf(id, "/fork"), changes, { headers: { "idempotency-key": key } });
export const comparisonOf = (id) => ask(pathOf(id, "/comparison"));

/** A page of the history: `statuses`, `text` and `kb` narrow it, `before` is the last id of the page before. */
export function sessions({ limit = 20, before, statuses = [], text = "", kb = "", pinned } = {}) {
  const asked = new URLSearchParams({ limit, ...(pinned === undefined ? {} : { pinned }) });
  if (before) asked.set("before", before);
  for (const status of statuses) asked.append("status", status);
  if (text) asked.set("q", text);
  if (kb) asked.set("kb", kb);
  return ask(`${SESSIONS}?${asked}`);
}

const knowledge = (kb, rest) => `/api/knowledge/${encodeURIComponent(kb)}/${rest}`;
/** A page of the documents; `after` is what the page before has told as `next`. */
export const documents = (kb, { limit = 50, after } = {}) => ask(`${knowledge(kb, "documents")}?${new URLSearchParams({ limit, ...(after ? { after } : {}) })}`);
export const searchDocuments = (kb, text, signal) => ask(`${knowledge(kb, "search")}?${new URLSearchParams({ q: text, limit: 10 })}`, { signal });
/** A document with a stretch of its text: `start` and `length` in characters. */
export const documentOf = (kb, id, stretch) => ask(`${knowledge(kb, `documents/${encodeURIComponent(id)}`)}?${new URLSearchParams(stretch)}`);
export const forgetDocument = (kb, id) => remove(knowledge(kb, `documents/${encodeURIComponent(id)}`));
/** The files that gave no text, each with the reason. */
export const unreadOf = (kb) => ask(knowledge(kb, "unread"));
export const forgetBase = (kb) => remove(`/api/knowledge/${encodeURIComponent(kb)}`);
export const documentsPath = (kb) => knowledge(kb, "documents");
const datasetsPath = "/api/datasets";
export const uploadsOfData = (kb) => `${datasetsPath}?${new URLSearchParams({ kb })}`;
export const datasets = (kb) => ask(uploadsOfData(kb));
export const forgetDataset = (name) => remove(`${datasetsPath}/${encodeURIComponent(name)}`);
