import { cookiesOf } from "../../detectors/answers/headers.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isForeign, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 200;
/** Headers by which a page proves that a request is its own, and cookies that it has the proof from. */
const TOKEN = /[cx]srf|(?:^|[-_])token$/i;
const FORGERY = /[cx]srf/i;
const NOTHING = /^(?:|undefined|null)$/;

/** A request that was refused and had nothing in the header of its token, with the cookie that the page would have it from. */
export function detectEmptyToken(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { facts } = run;
  const refused = facts.exchanges.findLast(
    (one) =>
      one.ts <= failed.to &&
      one.requestHeaders.some(isEmptyToken) &&
      mayBeForToken(one) &&
      !isNeedless(one, evidence) &&
      !isForeign(one.url, facts) &&
      !isBeside(one) &&
      isRefusedBy(one, run),
  );
  if (!refused) return [];
  const name = refused.requestHeaders.find(isEmptyToken)!.name;
  const kept = cookieBefore(evidence, refused, FORGERY.test(name) ? FORGERY : TOKEN);
  return [
    {
      kind: "storage",
      title: `${requestOf(refused, facts)} was sent with an empty header ${name} and refused${kept === null ? "" : kept.isHidden ? `: ${kept.words} HttpOnly, so that no script can read it` : `, though ${kept.words}: the page may look for it under another name`}`,
      detail: null,
      step_id: refused.step_id,
      events: kept === null ? [refused.seq] : [refused.seq, kept.one.seq],
      ts: refused.end ?? refused.ts,
      is_new: null,
      weight: 0.95,
      about: aboutUrl(refused.url, facts, refused.operation),
    },
  ];
}

/** Whether a status may be about who asked: others say by themselves what they are about, such as 404, 429 or 503. */
const mayBeForToken = ({ status }: Exchange): boolean =>
  status !== null && (status < 300 || FOR_TOKEN.has(status));
const FOR_TOKEN = new Set([400, 401, 403, 412, 419, 422, 428, 440, 498, 500]);

/** Whether the same was taken another time with as empty a header: before signing in nobody has a token. */
const isNeedless = (refused: Exchange, { run }: Evidence): boolean =>
  exchangesOf(run.facts, exchangeKey(refused, run.facts)).some(
    (one) => one.status !== null && one.requestHeaders.some(isEmptyToken) && !isRefusedBy(one, run),
  );

const isEmptyToken = ({ name, value }: { name: string; value: string }): boolean =>
  TOKEN.test(name) && NOTHING.test(value.trim());

/** The last cookie with such a token that was set before. */
function cookieBefore(
  evidence: Evidence,
  { ts }: Exchange,
  named: RegExp,
): { one: Exchange; words: string; isHidden: boolean } | null {
  const { facts } = evidence.run;
  for (const one of answersBefore(evidence, MOST, (other) => other.ts < ts).toReversed())
    for (const [name, terms] of cookiesOf(one))
      if (named.test(name))
        return {
          one,
          words: `${requestOf(one, facts)} sets the cookie ${quoted(name, 60)}`,
          isHidden: terms.includes("HttpOnly"),
        };
  return null;
}
