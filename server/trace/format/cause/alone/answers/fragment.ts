import { staleness } from "../../exchanges/staleness.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, lapse, quoted, requestOf } from "../../words.ts";

const MOST = 200;
const WHOLE = /^\s*(?:<\?xml[^>]{0,200}>\s*|<!--[^>]{0,2000}>\s*)*<(?:!doctype|html|head|title|meta|body)\b/i;
const MARKUP = /^\s*</;

/**
 * A page that the browser opened with its copy of what a script had got from the same address: a part of a page, or data.
 * One address may answer both where its answers say by `Vary` what they go by (RFC 9111, 4.1).
 */
export function detectFragmentCopy(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const answers = answersBefore(
    evidence,
    MOST,
    ({ url, method }) => method === "GET" && !isForeign(url, facts),
  );
  for (const one of answers.toReversed()) {
    if (one.type !== "document" || one.fromNetwork !== false || one.body === null) continue;
    const body = bodyOf(one, run.bodies);
    const got = answers.findLast((other) => other.ts < one.ts && isSame(one, other));
    if (!body || WHOLE.test(body) || !got || !/^(?:xhr|fetch)$/.test(got.type ?? "")) continue;
    const vary = headerOf(one.headers, "vary");
    return [
      {
        kind: "stale_answer",
        title: `${requestOf(one, facts)} was opened ${staleness(one)} as the ${MARKUP.test(body) ? "part of a page" : "data"} that a script had got there ${lapse(one.ts - got.ts)} earlier: ${vary === null ? "the answer has no Vary that tells" : `the answer's Vary (${quoted(vary, 60)}) does not tell`} one from the other`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq, got.seq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: 0.92,
        about: aboutUrl(one.url, facts),
      },
    ];
  }
  return [];
}

const isSame = (one: Exchange, other: Exchange): boolean => other.url === one.url && other.body === one.body;
