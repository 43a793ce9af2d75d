import { isBefore } from "../compare.ts";
import { SECRET } from "../exchanges/sent.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, headerOf, isForeign, quoted, requestOf } from "../words.ts";
import { REFUSALS } from "./refused.ts";

/** The last requests that were refused. */
const MOST = 5;

/** A refused request with a token in a header that an answer before it had given anew by a header of the same name. */
export function detectReplacedToken(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  return lastOf(
    run.facts.exchanges,
    MOST,
    (one) => REFUSALS.has(one.status) && isBefore(evidence, one.ts) && !isForeign(one.url, run.facts),
  ).flatMap((one): Finding[] => {
    const replaced = replacedIn(one, run.facts.exchanges);
    if (!replaced) return [];
    return [
      {
        kind: "storage",
        title: `${requestOf(one, run.facts)} was sent with an older ${quoted(replaced.name, 60)} than the one that ${requestOf(replaced.by, run.facts)} had given by then; it was answered with ${one.status}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq, replaced.by.seq, one.seq],
        ts: one.end ?? one.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.97,
        about: aboutUrl(one.url, run.facts, one.operation),
      },
    ];
  });
}

function replacedIn(sent: Exchange, all: readonly Exchange[]): { name: string; by: Exchange } | null {
  for (const { name, value } of sent.requestHeaders) {
    if (!name.startsWith("x-") || !SECRET.test(name) || value === "") continue;
    const by = all.findLast(
      (one) =>
        one.end !== null &&
        one.end <= sent.ts &&
        !isFailedExchange(one) &&
        headerOf(one.headers, name) !== null,
    );
    if (by && headerOf(by.headers, name) !== value) return { name, by };
  }
  return null;
}
