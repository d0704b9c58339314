/** What the question of a session leaves open: its person picks a choice, says it otherwise, or leaves it so. */

import { html } from "/assets/vendor/preact.js";
import { ByItself, useWork } from "/assets/approve.js";
import { Failure } from "/assets/parts.js";
import { t } from "/assets/words.js";

export function Clarify({ approval, language, say }) {
  const { open_points: points, until } = approval;
  const { busy, problem, attempt } = useWork();
  const send = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const answers = points.map((_, at) => given.get(`own-${at}`).trim() || given.get(`point-${at}`));
    attempt(() => say(approval, answers.some(Boolean) ? { decision: "answer", answers } : { decision: "accept" }));
  };
  const option = (at, label, words = label) => html`<label class="option"><input type="radio" name=${`point-${at}`} value=${label} defaultChecked=${!label} /> ${words}</label>`;
  return html`<section class="plan-card" aria-labelledby=${`${approval.at} ${approval.of}-asked`}>
    <form onSubmit=${send}>
      <h2 id=${approval.at} tabindex="-1">${t("approve.question")}</h2>
      ${points.map(
        ({ question, choices }, at) => html`<fieldset class="choice">
          <legend lang=${language}>${question}</legend>
          <div class="stack">
            ${option(at, "", t("point.open"))}
            <div class="stack" lang=${language}>${choices.map(({ label }) => option(at, label))}</div>
            <label class="field">${t("point.own")}<input name=${`own-${at}`} maxlength="300" lang=${language} /></label>
          </div>
        </fieldset>`,
      )}
      <${ByItself} until=${until ?? null} about="question" />
      <${Failure} problem=${problem} />
      <div class="row begin"><button class="primary" disabled=${busy}>${t("resume")}</button></div>
    </form>
  </section>`;
}
