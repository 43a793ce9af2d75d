import { UNREADABLE } from "../detectors/answers/no-data.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Finding, RunEvidence } from "../types.ts";
import { bodyOf, isForeign, isTracker, requestOf } from "../words.ts";
import { all, atLeast, explained, type Rule, say } from "./rule.ts";

/** What is thrown over an answer is noted some ms beside it. */
const AT_ONCE_MS = 300;

/** What an error was thrown over that reads an answer as JSON: the last answer right before it, where that has no body by its very status (RFC 9110, 15.3.5 and 15.3.6). */
function emptyBefore({ kind, title, ts }: Finding, run: RunEvidence): Exchange | undefined {
  if (!/^(?:page|console)_error$/.test(kind) || ts === null || !UNREADABLE.test(title)) return undefined;
  const { facts } = run;
  const last = facts.exchanges.findLast(
    (one) =>
      /^(?:xhr|fetch)$/.test(one.type ?? "") &&
      one.end !== null &&
      one.end <= ts + AT_ONCE_MS &&
      one.end >= ts - AT_ONCE_MS &&
      !isTracker(one.url) &&
      !isForeign(one.url, facts),
  );
  return last && (last.status === 204 || last.status === 205) && !bodyOf(last, run.bodies) ? last : undefined;
}

/** That an answer has no body is as it should be; that a script reads it as JSON is not. */
export const readEmpty: Rule = (finding, { news, evidence: { run } }) => {
  const empty = emptyBefore(finding, run);
  if (empty)
    return all(
      say(
        `${requestOf(empty, run.facts)} had been answered right before with ${empty.status}, which has no body to be read`,
        empty.seq,
      ),
      atLeast(0.95),
    );
  if (!finding.isWithoutData) return null;
  return news.some((one) => emptyBefore(one, run)?.seq === finding.events[0]) ? explained : null;
};
