/** What the question of a session leaves open: its person says what they mean, or leaves it so. */

import { html, useState } from "/assets/vendor/preact.js";
import { ByItself, useWork } from "/assets/approve.js";
import { Failure } from "/assets/parts.js";
import { t } from "/assets/words.js";

const LONGEST = 300; // characters of an answer in one's own words

/** The card; of each point a choice is picked, or own words are given, or it is left open. */
export function ClarifyCard({ approval, language, say }) {
  const points = approval.open_points;
  const [answers, setAnswers] = useState(points.map(() => ""));
  const { busy, problem, attempt } = useWork();
  const answer = (at) => (said) => setAnswers(answers.map((each, place) => (place === at ? said : each)));
  const send = (event) => {
    event.preventDefault();
    const given = answers.map((each) => each.trim());
    attempt(() => say(approval, given.some(Boolean) ? { decision: "answer", answers: given } : { decision: "accept" }));
  };
  return html`<section class="plan-card" aria-labelledby="approval">
    <form onSubmit=${send}>
      <h2 id="approval" tabindex="-1">${t("approve.question")}</h2>
      <p class="soft">${t("approve.question.says")}</p>
      ${points.map((point, at) => html`<${Point} key=${at} ...${{ point, at, language, said: answers[at], answer: answer(at) }} />`)}
      <${ByItself} until=${approval.until ?? null} about="question" />
      <${Failure} problem=${problem} />
      <div class="row begin"><button class="primary" disabled=${busy}>${t(busy ? "starting" : "start.question")}</button></div>
    </form>
  </section>`;
}

function Point({ point, at, language, said, answer }) {
  const [own, setOwn] = useState(null); // own words, while they are the answer
  const pick = (label) => {
    setOwn(null);
    answer(label);
  };
  const write = (words) => {
    setOwn(words);
    answer(words);
  };
  const option = (label, words) => html`<label class="option">
    <input type="radio" name=${`point-${at}`} checked=${own === null && said === label} onChange=${() => pick(label)} />
    <span lang=${label && language}>${words}</span>
  </label>`;
  return html`<fieldset class="choice">
    <legend lang=${language}>${point.question}</legend>
    <div class="stack">
      ${option("", t("point.open"))}
      ${point.choices.map(({ label }) => option(label, label))}
      <label class="option">
        <input type="radio" name=${`point-${at}`} checked=${own !== null} onChange=${() => write("")} />
        <span>${t("point.own")}</span>
      </label>
      ${own !== null && html`<input type="text" aria-label=${t("point.own")} maxlength=${LONGEST} lang=${language} value=${own} onInput=${(event) => write(event.target.value)} />`}
    </div>
  </fieldset>`;
}
