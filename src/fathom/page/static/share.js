/** A report for others: copied, or behind a link. */

import { html, useEffect, useRef, useState } from "/assets/vendor/preact.js";
import { ask, pathOf, post, remove } from "/assets/api.js";
import { Dialog, Failure, Moment } from "/assets/parts.js";
import { t } from "/assets/words.js";

/** Copies the report as Markdown; resolves to what is to be said. */
export async function copyMarkdown(id) {
  const text = ask(pathOf(id, "/report.md"), { text: true });
  try {
    const blob = text.then((told) => new Blob([told], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return t("copy.done");
  } catch {
    return t("copy.failed"); // without HTTPS there is no clipboard
  }
}

/** The links to a report: each is shown once. */
export function Share({ id, open, close }) {
  const [links, setLinks] = useState([]);
  const [made, setMade] = useState("");
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState(null);
  const field = useRef(null);
  const doing = async (act, words) => {
    setProblem(null);
    setSaid("");
    try {
      await act();
      setLinks(await ask(pathOf(id, "/links")));
      setSaid(words);
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => {
    setMade("");
    if (open) doing(() => {}, "");
  }, [open]);
  useEffect(() => field.current?.select(), [made]);
  const make = async () => setMade(new URL((await post(pathOf(id, "/links"), {})).path, location.href).href);
  const revoke = async (link) => {
    await remove(pathOf(id, `/links/${link.token_id}`));
    setMade(""); // it may be that one
  };
  const copy = async () => {
    field.current.select();
    const done = await navigator.clipboard?.writeText(made).then(() => true, () => false);
    setSaid(t(done ? "report.copied" : "copy.failed"));
  };
  return html`<${Dialog} open=${open} close=${close} title=${t("share")}>
    <p>${t("share.about")}${/^(localhost|127\..*|\[::1\])$/.test(location.hostname) && ` ${t("share.here")}`}</p>
    <div class="stack">
    ${made && html`<label class="field">${t("share.once")}<input ref=${field} readonly value=${made} /></label>`}
    <div class="row">
      ${made && html`<button type="button" class="primary" onClick=${copy}>${t("report.copy_short")}</button>`}
      <button type="button" class=${made ? "quiet" : "primary"} onClick=${() => doing(make, "")}>${t("share.make")}</button>
    </div>
    <${Failure} problem=${problem} />
    <ul>
      ${links.map((link) => html`<li key=${link.token_id}>
        <${Moment} at=${link.created_at} />${" "}
        <button type="button" class="link" aria-label=${`${t("share.revoke")} ${new Date(link.created_at).toLocaleString()}`} onClick=${() => doing(() => revoke(link), t("share.revoked"))}>${t("share.revoke")}</button>
      </li>`)}
    </ul>
    <p role="status">${said}</p>
    </div>
    <div class="row end"><button type="button" class="quiet" onClick=${close}>${t("close")}</button></div>
  <//>`;
}
