import { isBefore } from "../compare.ts";
import { jsonOf, leavesOf } from "../json-leaves.ts";
import { exchangeKey } from "../keys.ts";
import { isOneForAll } from "../operations.ts";
import { RENEWS } from "../plausibility/words.ts";
import type { Exchange } from "../run-facts.ts";
import { GESTURES_AND_OPENINGS } from "../select.ts";
import { requestText } from "../sent.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, bodyOf, lapse, quoted, requestOf } from "../words.ts";
import { isBeside } from "./beside.ts";
import { isRefusedBy } from "./refused.ts";

const MOST = 60;
/** Two of the same within this are one click too many, or one handler. */
const AT_ONCE_MS = 1_000;
const MUTATION = /^\s*mutation\b/;

/** A mutation that one action sent twice with the same content: the one address that answers everything does not tell it. */
export function detectMutatedTwice(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const sent = facts.exchanges
    .filter((one) => isOneForAll(one) && isBefore(evidence, one.ts) && isMutation(evidence, one))
    .slice(-MOST);
  const isActedBetween = (one: Exchange, next: Exchange) =>
    facts.steps.some(({ name, ts }) => GESTURES_AND_OPENINGS.test(name) && ts > one.ts && ts < next.ts);
  return sent.flatMap((one, at): Finding[] => {
    const next = sent
      .slice(at + 1)
      .find(
        (other) =>
          other.ts - one.ts <= AT_ONCE_MS &&
          exchangeKey(other, facts) === exchangeKey(one, facts) &&
          requestText(other, run.bodies) === requestText(one, run.bodies),
      );
    if (!next || isActedBetween(one, next)) return [];
    const [mine, theirs] = [one, next].map((answered) => madeBy(evidence, answered));
    const areTwo = mine !== undefined && theirs !== undefined && mine !== theirs;
    return [
      {
        kind: "request_repeated",
        title: `${requestOf(next, facts)} was sent twice with the same content, within ${lapse(next.ts - one.ts)}${areTwo ? `: two things came of it, ${quoted(mine!, 40)} and ${quoted(theirs!, 40)}` : ""}`,
        detail: null,
        step_id: next.step_id,
        events: [one.seq, next.seq],
        ts: next.ts,
        is_new: null,
        weight: areTwo ? 0.84 : 0.66,
        about: `sent ${aboutUrl(one.url, facts, one.operation)}`,
      },
    ];
  });
}

function isMutation({ run }: Evidence, one: Exchange): boolean {
  const sent = jsonOf(requestText(one, run.bodies)) as { query?: unknown } | undefined;
  return (
    typeof sent?.query === "string" &&
    MUTATION.test(sent.query) &&
    !isBeside(one) &&
    !RENEWS.test(one.operation ?? "") &&
    one.type !== "api" &&
    !isRefusedBy(one, run)
  );
}

/** What a write was answered to have made, by its id. */
function madeBy({ run: { bodies } }: Evidence, one: Exchange): string | undefined {
  const leaf = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).find(({ path }) => /(?:^|\.)id$/.test(path));
  return leaf === undefined || leaf.value === null ? undefined : String(leaf.value);
}
