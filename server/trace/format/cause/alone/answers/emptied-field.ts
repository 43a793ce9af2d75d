import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, givenIn, isStoring, SECRET } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, leavesOf } from "../../values/json-leaves.ts";
import { isTracker, quoted, requestOf } from "../../words.ts";

const MOST = 8;

/** A write that was taken and answered with nothing in a field that had been sent with something in it, beside others that it has as they were sent. */
export function detectEmptiedField(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const writes = answersBefore(evidence, MOST, (one) => isStoring(one, run) && !isTracker(one.url));
  return writes.flatMap((one): Finding[] => {
    const [sent, answer] = [givenIn(one, run), answeredWith(one, run)];
    if (!isRecord(sent) || !isRecord(answer)) return [];
    const isEcho = Object.entries(sent).some(
      ([name, value]) => typeof value === "string" && value !== "" && answer[name] === value,
    );
    const [lost, ...more] = Object.keys(sent).filter(
      (name) => isFull(sent[name]) && isEmpty(answer[name]) && !isSecret(name, sent[name]),
    );
    if (!isEcho || lost === undefined || more.length > 0) return [];
    return [
      answerFinding(
        evidence,
        one,
        `${requestOf(one, run.facts)} was sent with ${quoted(JSON.stringify(sent[lost]), 80)} for ${quoted(lost, 40)} and answered with an empty one (${JSON.stringify(answer[lost])}): it was not stored`,
        0.98,
      ),
    ];
  });
}

const isSecret = (name: string, value: unknown): boolean =>
  SECRET.test(name) || leavesOf(value).some(({ path }) => SECRET.test(path));

const sizeOf = (value: unknown): number | null =>
  Array.isArray(value) ? value.length : isRecord(value) ? Object.keys(value).length : null;

const isFull = (value: unknown): boolean => (sizeOf(value) ?? 0) > 0;
const isEmpty = (value: unknown): boolean => sizeOf(value) === 0;
