import { isBeside } from "../../alone/beside.ts";
import { isBefore } from "../../compare.ts";
import { isWrite } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, headerOf, isForeign, lapse, requestOf } from "../../words.ts";
import { valuesSetBy } from "../session/cookies.ts";
import { isAnswer, toldAt, toldValue, valuesOf } from "./polling.ts";

const MOST_WRITES = 20;
const MOST_READS = 20;
/** Of two requests that a page sends at once either may be noted first. */
const AT_ONCE_MS = 20;
/** So much of a write's time was left at least when what came too soon was asked for. */
const LEFT_MS = 50;
const LEFT = 0.5;

/** A read that went out while a write was under way, which in every pass it followed: it was answered as of before that. */
export function detectReadAhead(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const writes = answersBefore(
    evidence,
    MOST_WRITES,
    (one) => isWrite(one, run) && one.end !== null && !isBeside(one) && !isForeign(one.url, run.facts),
  );
  return writes.flatMap((write) =>
    run.facts.exchanges
      .filter((one) => isWithin(one, write) && isAnswer(one, run) && isBefore(evidence, one.end ?? one.ts))
      .filter((one) => !knowsAnswerOf(write, one))
      .slice(0, MOST_READS)
      .flatMap((read) => findingOf(evidence, write, read) ?? []),
  );
}

/** Whether a request went out while the other one was under way, and not only just. */
const isWithin = ({ ts }: Exchange, { ts: begun, end }: Exchange): boolean =>
  ts >= begun - AT_ONCE_MS && ts <= end! - Math.max(LEFT_MS, (end! - begun) * LEFT);

/** Whether a request has a cookie that the answer of the write set: it went out after that, however late the end was noted. */
function knowsAnswerOf(write: Exchange, { requestHeaders }: Exchange): boolean {
  const sent = headerOf(requestHeaders, "cookie") ?? "";
  return valuesSetBy(write).some(([name, value]) => value !== "" && sent.includes(`${name}=${value}`));
}

function findingOf(evidence: Evidence, write: Exchange, read: Exchange): Finding | null {
  const { run, passes } = evidence;
  const key = exchangeKey(read, run.facts);
  // What was asked for again afterwards was not missed.
  if (
    exchangesOf(run.facts, key).some(({ ts }) => ts > read.ts + AT_ONCE_MS && ts >= write.end! - AT_ONCE_MS)
  )
    return null;
  const turn = exchangesOf(run.facts, exchangeKey(write, run.facts)).indexOf(write);
  const said: Map<string, unknown>[] = [];
  for (const pass of passes) {
    const other = exchangesOf(pass.facts, exchangeKey(write, run.facts))[turn];
    const follower = other && followerOf(other, key, pass.facts);
    if (!follower) return null;
    said.push(valuesOf(pass, follower));
  }
  const otherwise = otherwiseSaid(valuesOf(run, read), said);
  if (otherwise === null) return null;
  return {
    kind: "out_of_order",
    title: `${requestOf(read, run.facts)} went out while ${requestOf(write, run.facts)} was not yet answered, ${lapse(write.end! - read.ts)} too early: in the last pass it followed that, and came with ${otherwise}`,
    detail: null,
    step_id: read.step_id,
    events: [read.seq, write.seq],
    ts: read.end,
    is_new: true,
    weight: 0.94,
    about: `order ${aboutUrl(read.url, run.facts)}`,
  };
}

/** What all passes were answered alike and this run was not, as a clause: another value, or one that it lacks; null where there is none. */
function otherwiseSaid(
  mine: ReadonlyMap<string, unknown>,
  theirs: readonly ReadonlyMap<string, unknown>[],
): string | null {
  const alike = [...(theirs[0] ?? [])].filter(
    ([path, value]) => !VARIABLE.test(String(value)) && theirs.every((values) => values.get(path) === value),
  );
  const [path, value] = alike.find(([at, usual]) => mine.has(at) && mine.get(at) !== usual) ?? [];
  if (path !== undefined) return `${toldAt(path, value)} in the place of ${toldValue(mine.get(path))}`;
  const [lacking, usual] = alike.find(([at]) => !mine.has(at)) ?? [];
  return lacking === undefined ? null : `${toldAt(lacking, usual)}, which it has not here`;
}

/** What stands for ids and times, which are others in each run. */
const VARIABLE = /<\w+>/;

/** The first such read since a write was sent, where it went out when that was done or almost: what is done at once tells no order. */
function followerOf(write: Exchange, key: string, facts: RunFacts): Exchange | undefined {
  const next = exchangesOf(facts, key).find(({ ts }) => ts >= write.ts - AT_ONCE_MS);
  const took = write.end === null ? 0 : write.end - write.ts;
  return next && took > 0 && next.ts > write.ts && next.ts >= write.end! - took * ALMOST ? next : undefined;
}

/** Recorders note the end of an answer some ms after it came. */
const ALMOST = 0.2;
