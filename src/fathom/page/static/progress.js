/** How far a session is, at a glance: its stages at the top, and the title of its tab. */

import { html } from "/assets/vendor/preact.js";
import { Mark, standing } from "/assets/parts.js";
import { t } from "/assets/words.js";

const STAGES = ["plan", "read", "write", "check"];
const SIGNS = { completed: "✓", partial: "◐", nothing: "–", failed: "✕" };

/** The four stages with the one that is under way, and in a line of its own what is being done there. */
export function Stages({ stage, phase, children }) {
  const at = STAGES.indexOf(stage);
  return html`<div class="stages">
    <ol aria-label=${t("stages")}>
      ${STAGES.map((name, place) => {
        const status = place < at ? "completed" : place === at ? "researching" : "pending";
        return html`<li class=${`is-${status}`} aria-current=${place === at ? "step" : undefined}>
          <${Mark} status=${status} /> ${t(`stage.${name}`)}${place < at && html`<span class="unseen"> ${t("stage.done")}</span>`}
        </li>`;
      })}
    </ol>
    <div class="now"><p class="soft clip">${phase}</p>${children}</div>
  </div>`;
}

/** The stage in words. */
export const stageTold = (stage) => t("stage.at", { at: STAGES.indexOf(stage) + 1, all: STAGES.length, what: t(`stage.${stage}`) });

/** How many parts of the plan there are, and how many of them have ended. */
export function parts({ subtasks }) {
  const all = Object.values(subtasks);
  return { done: all.filter(({ ended, status }) => ended !== null || status === "removed").length, n: all.length };
}

/** How a session has ended, for whoever was not there. */
export const outcome = (session) => t(`outcome.${standing(session)}`);

/** The title of its tab: how far it is while it goes on, whether it `waits` for its person, its outcome as long as that is `news`, and how what comes `below` it goes. */
export function titleOf(session, run, { active, waits, news, below }) {
  const query = session.name || session.query;
  if (active && waits) return `${t("status.waiting")} · ${query}`;
  if (active) return `${run.stage ? t(`tab.${run.stage}`, parts(run)) : t("status.queued")} · ${query}`;
  if (below) return `${t(below === "waiting" ? "status.waiting" : "tab.below")} · ${query}`;
  return news ? `${SIGNS[standing(session)] ?? "–"} ${outcome(session)} · ${query}` : query;
}
