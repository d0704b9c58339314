/** Follows a session's events from a place on, through every break of the line, until its end. */

import { pathOf, Problem, session } from "/assets/api.js";

/** Every kind of event: an EventSource hears only those that it is told to listen for. */
export const KINDS = [
  "run_started", "understood", "planned", "subtask_started", "allocated", "gathered", "web_searched", "page_read",
  "page_left_out", "dataset_described", "turn_directed", "tool_called", "records_scanned", "dataset_ended", "extracted",
  "assessed", "routed", "drilled_down", "subtask_ended", "plan_revised", "reflected", "outlined", "section_written",
  "checked", "call_failed", "stood_in", "left_out", "section_drafted", "spent", "approval_asked",
  "approval_given", "steered", "stopping", "finished", "failed",
];

const PAUSES = [500, 1_000, 2_000, 5_000, 10_000];
const FRAME_AT_MOST = 250;

/**
 * Tells what happens, in batches of at most one per picture that the browser draws.
 *
 * @param take is given the new StoredEvents, in order, each once; how far the session is comes between them, as one more
 * @param line is told "open" and "broken"
 * @param end is told once that no more will come
 * @param fail is given the Problem that makes following senseless
 * @returns a function that stops following
 */
export function follow(id, { after = 0, take, line = () => {}, end, fail }) {
  let last = after;
  let source = null;
  let tries = 0;
  let waiting = null;
  let batch = [];
  let drawn = null;
  let stopped = false;

  const flush = () => {
    cancelAnimationFrame(drawn?.frame);
    clearTimeout(drawn?.timer);
    drawn = null;
    if (batch.length === 0 || stopped) return;
    const events = batch;
    batch = [];
    take(events);
  };
  const later = () => {
    // a tab that nobody sees draws nothing, and still has to keep up
    drawn ??= { frame: requestAnimationFrame(flush), timer: setTimeout(flush, FRAME_AT_MOST) };
  };
  const heard = ({ data, lastEventId }) => {
    const seq = Number(lastEventId);
    if (seq <= last) return;
    last = seq;
    tries = 0;
    batch.push(JSON.parse(data));
    later();
  };
  const goesOn = ({ data }) => {
    batch.push({ seq: last, event: { kind: "progress", ...JSON.parse(data) } });
    later();
  };
  const finish = () => {
    flush();
    stop();
    end();
  };
  const connect = () => {
    source = new EventSource(`${pathOf(id, "/events")}?progress=true&after=${last}`);
    source.onopen = () => line("open");
    for (const kind of KINDS) source.addEventListener(kind, heard);
    source.addEventListener("progress", goesOn);
    source.addEventListener("end", finish);
    source.onerror = broken;
  };
  const broken = () => {
    source.close();
    line("broken");
    wait();
  };
  const wait = (atLeast = 0) => {
    waiting = setTimeout(again, Math.max(atLeast, PAUSES[Math.min(tries, PAUSES.length - 1)]));
    tries += 1;
  };
  /** An EventSource does not say why it broke; the session does: it may have ended, or be gone. */
  const again = async () => {
    waiting = null;
    try {
      const { status, last_event } = await session(id);
      if (stopped) return;
      if (!isActive(status) && last_event <= last) return finish();
      connect();
    } catch (problem) {
      if (stopped) return;
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status === 404) {
        stop();
        return fail(problem);
      }
      wait(problem.wait * 1_000);
    }
  };
  const online = () => {
    if (waiting === null) return; // nothing is broken, or it is being asked already
    clearTimeout(waiting);
    again();
  };
  const stop = () => {
    stopped = true;
    source?.close();
    clearTimeout(waiting);
    cancelAnimationFrame(drawn?.frame);
    clearTimeout(drawn?.timer);
    removeEventListener("online", online);
  };

  addEventListener("online", online);
  connect();
  return stop;
}

export const isActive = (status) => status === "queued" || status === "running";
