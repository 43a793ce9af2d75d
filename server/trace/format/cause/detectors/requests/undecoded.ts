import { isBefore, isNew } from "../../compare.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, headerOf, isTracker, quoted, requestOf } from "../../words.ts";

const MOST = 20;

/** Answers of success that broke off under another Content-Encoding than in every pass, or that the browser says it could not unpack (RFC 9110, 8.4). */
export function detectUndecoded(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const broken = run.facts.exchanges.filter(
    (one) =>
      one.error !== null &&
      one.status !== null &&
      one.status < 300 &&
      headerOf(one.headers, "content-encoding") !== null &&
      !isTracker(one.url) &&
      isBefore(evidence, one.end ?? one.ts),
  );
  return broken.slice(-MOST).flatMap((one): Finding[] => {
    const key = exchangeKey(one, run.facts);
    const isKnown = passes.length === 0 && DECODING.test(one.error!);
    if (passes.length === 0 ? !isKnown : passes.some((pass) => !isReadOtherwise(pass.facts, key, one)))
      return [];
    const isScript = one.type === "script";
    return [
      {
        kind: isScript ? "script_failed" : "request_failed",
        title: `${isScript ? "The script " : ""}${requestOf(one, run.facts)} came with Content-Encoding: ${quoted(encodingOf(one), 30)}${isKnown ? "" : ", which it has in no pass,"} and could not be read (${one.error})`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: isNew(evidence, () => false),
        weight: 0.97,
        about: aboutUrl(one.url, run.facts),
        ...(isScript && { file: "script" as const }),
      },
    ];
  });
}

/** What the browser calls it, for once. */
const DECODING = /CONTENT_DECODING/;

const encodingOf = ({ headers }: Exchange): string => headerOf(headers, "content-encoding") ?? "";

/** Whether a pass has it, and in none of its answers under that encoding. */
function isReadOtherwise(pass: RunFacts, key: string, one: Exchange): boolean {
  const same = exchangesOf(pass, key).filter(({ status }) => status !== null);
  return same.length > 0 && same.every((other) => encodingOf(other) !== encodingOf(one));
}
