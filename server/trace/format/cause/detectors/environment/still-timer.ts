import type { Evidence, Finding } from "../../types.ts";
import { bareOf, lapse, quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";
import { isSpanOfTimer } from "./no-moment.ts";

const CLOCK_CALL = /clock\w{0,60}$|(?:^|\.)clock\./i;
const STOPS = /(?:pauseAt|setFixedTime)$/i;
const MOVES = /(?:fastForward|runFor)$/i;
/** In so long whatever counts seconds shows another one. */
const SHORTEST_MS = 2_000;
const SECONDS = /^\d{1,4}(?::\d{2}){1,2}$/;
const MET = 'unexpected value "';

/** A timer that showed one and the same all the while that the test looked at it, though the page's clock went on. */
export function detectStillTimer(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const { step } = failed;
  const shown = bareOf(failed.received ?? "");
  if (!step || failed.to - failed.from < SHORTEST_MS || !SECONDS.test(shown)) return [];
  if (!isSpanOfTimer(evidence)) return [];
  const met = step.log.filter((line) => line.includes(MET));
  if (met.length === 0 || met.some((line) => !line.endsWith(`${MET}${shown}"`))) return [];
  const calls = run.facts.steps.filter(
    ({ kind, name, isFailed, end }) =>
      kind === "agent.action" && !isFailed && end <= failed.from && CLOCK_CALL.test(name),
  );
  const last = calls.at(-1);
  if (last && STOPS.test(last.name)) return [];
  const script = changedScript(evidence);
  const moved = last && MOVES.test(last.name) ? `, after ${quotedStep(last)} as well` : "";
  return [
    {
      kind: "page_changed",
      title: `The timer stood still at ${quoted(shown, 20)} for ${lapse(failed.to - failed.from)}${moved}: it does not count on${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq, ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: passes.length === 0 ? 0.7 : 0.84,
    },
  ];
}
