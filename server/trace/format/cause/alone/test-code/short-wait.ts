import { isState } from "../../detectors/requests/job-state.ts";
import { toldAt } from "../../detectors/requests/polling.ts";
import { isRead } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { WAITS_BY_DESIGN } from "../../plausibility/words.ts";
import { isPolling } from "../../run/polled.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, GESTURES_AND_OPENINGS, lastOf } from "../../run/select.ts";
import type { Evidence, Failed, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isForeign, lapse, pathOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { isUnderWay } from "../answers/unfinished.ts";
import { isBeside } from "../beside.ts";

/** By their defaults Playwright's assertions wait for five times as long. */
const SHORT_MS = 1_000;
/** As assertions, actions and polls say how long they had tried. */
const LIMIT = /^[ \t]*Timeout: +(\d+) ?ms|\bTimed out (\d+) ?ms waiting|\bTimeout (\d+) ?ms exceeded/m;
const MOST = 60;

/** A wait of less than a second that gave up while what the last action had begun was still under way. */
export function detectShortWait(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const limit = limitOf(failed);
  const action = actionBefore(run.facts, failed, GESTURES_AND_OPENINGS);
  if (limit === null || limit > SHORT_MS || !failed.step || !action) return [];
  const since = lastOf(
    run.facts.exchanges,
    MOST,
    (one) => one.ts >= action.ts && one.ts <= failed.to && isOfPage(one, evidence),
  );
  const isUnanswered = ({ end }: Exchange) => end === null || end > failed.to;
  const writes = since.filter((one) => !isRead(one, run));
  // What nobody has begun is in no state that would pass.
  const state = writes.some(isUnanswered) || writes.length === 0 ? undefined : stateOf(since, run);
  const one = state?.one ?? writes.findLast(isUnanswered) ?? since.findLast(isUnanswered);
  if (!one) return [];
  const request = requestOf(one, run.facts);
  return [
    {
      kind: "test_code",
      title: `The test waits only ${lapse(limit)} for ${wantedOf(evidence)}, too short: ${state ? `${request} had answered ${state.told} by then, which is not done yet` : `${request} was still unanswered when it gave up`}${shownBy(failed)}`,
      detail: null,
      step_id: failed.step.step_id,
      events: [failed.step.seq, one.requestSeq ?? one.seq],
      ts: failed.from,
      is_new: null,
      weight: 0.92,
    },
  ];
}

function limitOf({ message }: Failed): number | null {
  const said = LIMIT.exec(message)?.slice(1).find(Boolean);
  return said === undefined ? null : Number(said);
}

/** What the page asked for or sent by itself, and what comes to an end. */
const isOfPage = (one: Exchange, { run: { facts } }: Evidence): boolean =>
  /^(?:xhr|fetch|document)$/.test(one.type ?? "") &&
  !isForeign(one.url, facts) &&
  !isBeside(one) &&
  !isPolling(one) &&
  !(one.method === "GET" && WAITS_BY_DESIGN.test(pathOf(one.url)));

/** The last answer that says how far a work is, where that is not done. */
function stateOf(
  since: readonly Exchange[],
  { bodies }: RunEvidence,
): { one: Exchange; told: string } | undefined {
  for (const one of since.toReversed()) {
    const said = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).find(
      ({ path, value }) => isState(path) && typeof value === "string",
    );
    if (said)
      return isUnderWay(String(said.value)) ? { one, told: toldAt(said.path, said.value) } : undefined;
  }
  return undefined;
}

/** States of elements, which assertions name where others have a text. */
const STATE = /^(?:not )?(?:visible|hidden|attached|detached|enabled|disabled|checked|editable|empty)$/;

function wantedOf(evidence: Evidence): string {
  const { expected, step } = evidence.failed;
  const target = targetOf(evidence);
  const want = bareOf(expected ?? "");
  if (target === "" || step!.kind !== "assertion") return quotedStep(step!);
  return want === "" || STATE.test(want) ? target : `${quoted(want, 60)} in ${target}`;
}

const shownBy = ({ received }: Failed): string =>
  received === null || bareOf(received) === "" || STATE.test(bareOf(received))
    ? ""
    : `; the page showed ${quoted(bareOf(received), 60)}`;
