import { isWrite, requestText } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { lengthOf } from "../../values/spans.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const LEAST_MS = 600_000;
/** What has been done already when a server says when it was. */
const DONE = /(?:^|[._])(?:created|started|updated|modified|sent|issued)(?:_at|At|_on|On)$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
/** What pages make of such times. */
const SPAN = /\bago\b|just now|\d{1,2}:\d{2}|\b\d+ ?(?:s|m|h|d|sec\w*|min\w*|hours?|days?)\b/i;

/** A write was answered with the moment at which it was done, and that has not come yet by the run's clock. */
export function detectFuture(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const isTold = SPAN.test(`${failed.expected ?? ""} ${failed.received ?? ""} ${failed.message}`);
  if (!isTold) return [];
  for (const one of answersBefore(evidence, MOST, (write) => isWrite(write, run)).toReversed()) {
    const came = one.end ?? one.ts;
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ path, value }) =>
        DONE.test(path) &&
        typeof value === "string" &&
        ISO.test(value) &&
        Date.parse(value) - came > LEAST_MS &&
        !requestText(one, run.bodies).includes(value),
    );
    if (!leaf) continue;
    const value = String(leaf.value);
    return [
      {
        kind: "time",
        title: `${requestOf(one, run.facts)} answered a time that lies ${lengthOf(Date.parse(value) - came)} ahead of the moment when it came (${quoted(leaf.path, 60)}: ${quoted(value, 40)}): the server's clock is ahead of the run's`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: failed.from,
        is_new: null,
        weight: 0.9,
        about: `age ${aboutUrl(one.url, run.facts)}`,
      },
    ];
  }
  return [];
}
