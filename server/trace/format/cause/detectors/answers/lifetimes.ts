import { saidIn } from "../../exchanges/said-in.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { lengthOf } from "../../values/spans.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const TIMES_SHORTER = 10;
/** Nobody is given anything for less, where no pass tells for how long it is given. */
const AT_ONCE_MS = 10_000;

/** What an answer gave for a span of time that was over when it was first used: a session, a code, an invitation. */
export function detectLifetimes(evidence: Evidence): Finding[] {
  // What was given is read again later.
  return answersBefore(evidence, MOST)
    .flatMap((one) => findingOf(evidence, one) ?? [])
    .slice(0, 1);
}

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes, failed } = evidence;
  for (const [path, { ms, value }] of lifetimesIn(one, run)) {
    const usual = usualOf(evidence, one, path);
    const isShort =
      passes.length === 0
        ? ms > 0 && ms < AT_ONCE_MS && isWrite(one, run)
        : usual !== null && usual >= TIMES_SHORTER * Math.max(ms, 1);
    const refused = isShort && refusedAfter(evidence, one, (one.end ?? one.ts) + ms);
    if (!refused) continue;
    const said = saidIn(bodyOf(refused, run.bodies));
    return {
      kind: "answer_changed",
      title: `${requestOf(one, run.facts)} gave something that expires ${ms > 0 ? `${lengthOf(ms)} later` : "at once"} (${quoted(path, 60)}: ${quoted(value, 40)})${usual === null ? "" : `, in the last pass ${lengthOf(usual)} later`}: ${requestOf(refused, run.facts)} came after that and was refused with ${refused.status}${said === null ? "" : `, ${quoted(said, 80)}`}`,
      detail: null,
      step_id: one.step_id,
      events: [one.seq, refused.seq],
      ts: failed.from,
      is_new: passes.length === 0 ? null : true,
      weight: 0.98,
      about: `lifetime ${aboutUrl(one.url, run.facts, one.operation)}`,
    };
  }
  return null;
}

/** The shortest that it was in any pass; null where one did not say it. */
function usualOf({ run, passes }: Evidence, one: Exchange, path: string): number | null {
  const key = exchangeKey(one, run.facts);
  const all = passes.map((pass) =>
    exchangesOf(pass.facts, key).flatMap((other) => lifetimesIn(other, pass).get(path)?.ms ?? []),
  );
  return all.length === 0 || all.some((list) => list.length === 0) ? null : Math.min(...all.flat());
}

/** What servers answer to what is over: not allowed, not there, no longer there, no longer signed in. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 419, 422, 440, 498]);

/** The first request after that moment which the server refused, and in no pass. */
function refusedAfter(
  { run, passes, failed }: Evidence,
  given: Exchange,
  over: number,
): Exchange | undefined {
  const isRefusal = ({ status }: Exchange) => status !== null && REFUSALS.has(status);
  return run.facts.exchanges.find(
    (one) =>
      one.seq > given.seq &&
      one.ts >= over &&
      one.ts <= failed.to &&
      isRefusal(one) &&
      URL.parse(one.url)?.host === URL.parse(given.url)?.host &&
      !passes.some(({ facts }) => exchangesOf(facts, exchangeKey(one, run.facts)).some(isRefusal)),
  );
}

const END = /^(?:expires|expiry|expiration)(?:_(?:at|on|date|time))?$|^valid_(?:until|till|to)$/;
/** In seconds, as OAuth and HTTP give them (RFC 6749, 5.1; RFC 9111, 5.2), where the name tells no other unit. */
const SPAN =
  /^(?:expires_in|expires_after|valid_for|ttl|max_age|lifetime)(?:_(ms|millis|milliseconds|min|mins|minutes|s|secs?|seconds))?$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Ms for which an answer said that something holds good, by its place without the numbers of lists; of a list the longest. */
function lifetimesIn(one: Exchange, { bodies }: RunEvidence): Map<string, { ms: number; value: string }> {
  const found = new Map<string, { ms: number; value: string }>();
  const text = bodyOf(one, bodies);
  for (const { path, value } of text === undefined ? [] : leavesOf(jsonOf(text))) {
    const name = path.replace(/(^|\.)\d+(?=\.|$)/g, "$1*");
    const ms = lifetimeOf(name, value, one.end ?? one.ts);
    if (ms !== null && ms > (found.get(name)?.ms ?? Number.NEGATIVE_INFINITY))
      found.set(name, { ms, value: String(value) });
  }
  return found;
}

function lifetimeOf(path: string, value: unknown, came: number): number | null {
  const name = path
    .slice(path.lastIndexOf(".") + 1)
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase();
  if (typeof value === "string") return END.test(name) && ISO.test(value) ? Date.parse(value) - came : null;
  const span = SPAN.exec(name);
  if (span === null || typeof value !== "number" || value < 0) return null;
  const unit = span[1] ?? "s";
  return value * (unit.startsWith("min") ? 60_000 : unit.startsWith("m") ? 1 : 1_000);
}
