import { CHANGING, isWrite } from "../../exchanges/sent.ts";
import { BESIDE } from "../../plausibility/words.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { answersBefore, GESTURES } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isForeign, lapse, pathOf, quotedStep, requestOf } from "../../words.ts";

const MOST = 20;
/** What a page sends by itself, to keep what is written, it sends in a slow run and not in a quick one. */
const BY_GESTURE_MS = 1_000;
/** Of an action that had nothing to do with it. */
const LONG_AGO_MS = 20_000;

/** What was sent to change or remove something and that no pass sends at all: the page then has what came of it. */
export function detectUnasked(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const { facts } = run;
  const usual = new Set(passes.flatMap((pass) => namesIn(pass.facts)));
  const writes = answersBefore(
    evidence,
    MOST,
    (one) =>
      CHANGING.has(one.method) &&
      one.type !== "api" &&
      !isForeign(one.url, facts) &&
      !isPolling(one) &&
      !BESIDE.test(one.url) &&
      isWrite(one, run) &&
      namesOf(one, facts).every((name) => !usual.has(name)),
  );
  return writes.flatMap((one): Finding[] => {
    const action = facts.steps.findLast(
      ({ kind, name, ts }) => kind === "agent.action" && GESTURES.test(name) && ts <= one.ts + 5,
    );
    const after = action && Math.max(0, one.ts - action.ts);
    const isRemoval = one.method === "DELETE";
    if (after === undefined || after > LONG_AGO_MS || (!isRemoval && after > BY_GESTURE_MS)) return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, facts)} was sent, which no pass sends: it went out ${lapse(after)} after ${quotedStep(action!)}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq, action!.seq],
        ts: one.ts,
        is_new: true,
        weight: isRemoval ? 0.7 : 0.6,
        about: `body ${one.seq}`,
        isUnasked: true,
      },
    ];
  });
}

const namesIn = (facts: RunFacts): string[] =>
  facts.exchanges.flatMap((one) => (CHANGING.has(one.method) ? namesOf(one, facts) : []));

/** What a request is called across runs; where its address ends in what may be an id, also without that. */
function namesOf({ method, url, operation }: Exchange, { normaliser }: RunFacts): string[] {
  const path = normaliser.url(pathOf(url));
  const name = (of: string) => `${method} ${of} ${operation ?? ""}`;
  return /\/[a-z_]+$/i.test(path) ? [name(path)] : [name(path), name(path.replace(/\/[^/]*$/, "/"))];
}
