import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isPrompted } from "../../exchanges/prompted.ts";
import { answeredWith, isRead, isStoring } from "../../exchanges/sent.ts";
import { shownAt } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore, momentIn } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
const SHORTEST = 3;

/** The write of the last action was answered with the very value that the test wants, nothing was read since, and the page goes on to show another one. */
export function detectNotTakenOver(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const action = actionBefore(run.facts, failed);
  if (!action || failed.received === null || want!.length < SHORTEST || want === got) return [];
  const since = answersBefore(
    evidence,
    MOST,
    (one) => one.ts >= action.ts && one.type !== "api" && !isBeside(one) && !isTracker(one.url),
  );
  const write = since.findLast((one) => isStoring(one, run) && !isRefusedBy(one, run));
  const leaf = write && leavesOf(answeredWith(write, run)).find(({ value }) => value === want);
  // A page that was recorded before the answer came may have shown it since.
  if (!write || !leaf || !run.page || run.page.shot.ts < (write.end ?? write.ts)) return [];
  // Of a value outside of any list a comparison of the pages tells.
  if (passes.length > 0 && !/(?:^|\.)\d+(?:\.|$)/.test(leaf.path)) return [];
  if (isFollowed(run, write, failed.to)) return [];
  if (passes.some((pass) => isFollowedIn(pass, write, evidence))) return [];
  if (shownAt(run.page, targetOf(evidence)).some((text) => text.includes(want!))) return [];
  return [
    answerFinding(
      evidence,
      write,
      `${requestOf(write, run.facts)} answered with ${quoted(want!, 60)} for ${quoted(leaf.path, 60)}, and nothing was asked for since: the page was not updated by that answer and still ${got === "" ? "has nothing there" : `shows ${quoted(got!, 60)}`}`,
      0.82,
    ),
  ];
}

/** Whether a page read something after a write and before a moment, or threw over it: what it shows comes of that. */
const isFollowed = (run: RunEvidence, write: Exchange, until: number): boolean =>
  run.facts.lines.some(({ source, ts }) => source === "page" && ts >= write.ts && ts <= until) ||
  run.facts.exchanges.some(
    (one) =>
      one.ts > write.ts &&
      one.ts <= until &&
      one.type !== "api" &&
      !isBeside(one) &&
      !isTracker(one.url) &&
      (one.type === "document" || (isRead(one, run) && !isPolledBeside(one, write, run))),
  );

function isFollowedIn(pass: RunEvidence, write: Exchange, { run, failed }: Evidence): boolean {
  const same = ofSameTurn(write, run.facts, pass.facts);
  const until = momentIn(pass.facts, run.facts, failed);
  return same === undefined || until === null || isFollowed(pass, same, until);
}

/** Whether a question was asked before a write as it was after it, and by itself, and is of another thing. */
const isPolledBeside = (one: Exchange, write: Exchange, run: RunEvidence): boolean =>
  !isPrompted(run, one) &&
  ![pathOf(one.url), pathOf(write.url)].some((path, at, both) => both[1 - at]!.startsWith(path)) &&
  exchangesOf(run.facts, exchangeKey(one, run.facts)).some(({ ts, url }) => ts < write.ts && url === one.url);
