import { deedOf } from "../../detectors/answers/still-listed.ts";
import { PRESSES } from "../../detectors/page/idle.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isAskedAlike, mayRead } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, partsOf, wantedBy } from "../../page/wanted.ts";
import { lastTakenWrite } from "../../plausibility/alone-answers.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { actionBefore, answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { holds } from "../requests/sought.ts";

const MOST = 40;
const SHORTEST = 4;

/** What should be gone after a write that was taken, and which the list had that was read since. */
export function detectListedSince(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const text = unwantedOf(evidence);
  const write = lastTakenWrite(evidence);
  const action = actionBefore(run.facts, failed, PRESSES);
  if (text === null || !action || !write || write.ts < action.ts - 50) return [];
  const has = (one: Exchange) => holds(bodyOf(one, run.bodies) ?? "", text);
  const reads = answersBefore(
    evidence,
    MOST,
    (one) =>
      mayRead(one, run) &&
      !holds(one.url, text) &&
      one.type !== "api" &&
      !isBeside(one) &&
      (one.status ?? 0) < 300,
  ).filter(({ ts }) => ts >= (write.end ?? write.ts) - CLOSE_MS);
  const read = reads.find(
    (one) =>
      has(one) && reads.every((other) => other.ts <= one.ts || !isAskedAlike(one, other) || has(other)),
  );
  if (!read) return [];
  return [
    {
      ...answerFinding(
        evidence,
        read,
        `${requestOf(read, run.facts)} still had ${quoted(text, 60)} after ${requestOf(write, run.facts)} was${deedOf(write, run)} answered with ${write.status}: it was not taken out of the list, or the answer is an older one`,
        0.88,
      ),
      events: [read.seq, write.seq],
    },
  ];
}

/** A browser tells of a redirect while it follows that. */
const CLOSE_MS = 60;

/** The words of what the step wants to be gone. */
function unwantedOf({ failed }: Evidence): string | null {
  const isUnwanted =
    (/count/i.test(failed.title) && failed.expected === "0" && failed.received === "1") ||
    (/^"?(?:hidden|detached)"?$/.test(failed.expected ?? "") && failed.received !== null);
  if (!isUnwanted) return null;
  const target = targetOf({ failed });
  const filter = /hasText: ?['"]([^'"]+)['"]/.exec(partsOf(target).at(-1) ?? "")?.[1];
  const text = filter ?? wantedBy(lastPartOf(target)).name ?? "";
  return text.length >= SHORTEST && /\d|\s/.test(text) ? text : null;
}
