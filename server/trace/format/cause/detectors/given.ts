import { isBefore } from "../compare.ts";
import { answersTo, createGiven, type Given, nameOf, tokensSent } from "../given-tokens.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange } from "../run-facts.ts";
import { isWrite } from "../sent.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { aboutUrl, isForeign, isTracker, quoted, requestOf } from "../words.ts";
import { isFailedExchange } from "./requests.ts";

/** The last writes that were refused. */
const MOST = 5;

/** A token that a refused request sent and that an earlier answer had replaced: in every pass it is the one that this answer gave. */
export function detectGiven(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  const given = createGiven();
  return refusedWrites(evidence).flatMap((one) => findingOf(evidence, one, given));
}

/** The last writes of the run that were refused, oldest first. */
export function refusedWrites(evidence: Evidence): Exchange[] {
  const { run } = evidence;
  return run.facts.exchanges
    .filter(
      (one) =>
        isWrite(one, run) &&
        isFailedExchange(one) &&
        one.status !== null &&
        isBefore(evidence, one.ts) &&
        !isTracker(one.url) &&
        !isForeign(one.url, run.facts),
    )
    .slice(-MOST);
}

/** A token of a request that is not the one which an answer had given by then. */
interface Replaced {
  /** Where the request has it. */
  sent: string;
  by: Exchange;
  /** Where that answer has the other one. */
  place: string;
  isOlder: boolean;
}

export const replacedFinding = (
  { run: { facts }, passes }: Evidence,
  one: Exchange,
  { sent, by, place, isOlder }: Replaced,
): Finding => ({
  kind: "storage",
  title: `${requestOf(one, facts)} was sent with ${isOlder ? "an older" : "another"} ${quoted(nameOf(sent), 60)} than the one that ${requestOf(by, facts)} had given by then in ${place}${passes.length === 0 ? "" : ", which every pass sends"}; it was answered with ${one.status}`,
  detail: null,
  step_id: one.step_id,
  events: [one.requestSeq ?? one.seq, by.seq, one.seq],
  ts: one.end ?? one.ts,
  is_new: passes.length === 0 ? null : true,
  weight: 0.97,
  about: aboutUrl(one.url, facts),
});

/** A place of an answer, which the same answer of another run has as well. */
interface Source {
  key: string;
  place: string;
}

function findingOf(evidence: Evidence, one: Exchange, given: Given): Finding[] {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const mine = tokensSent(one, run);
  const usual = passes.map((pass) => ({
    pass,
    other: exchangesOf(pass.facts, key).find((other) => other.status !== null && !isFailedExchange(other)),
  }));
  for (const { place, value } of mine) {
    const sources = usual.map(({ pass, other }) => {
      const sent = other && tokensSent(other, pass).find((token) => token.place === place)?.value;
      return sent === undefined || sent === value ? undefined : sourceOf(sent, other!, pass, given);
    });
    const [source] = sources;
    if (!source || !sources.every((other) => other?.key === source.key && other.place === source.place))
      continue;
    const last = lastGiven(source, one, run, given);
    if (!last || last.value === value) continue;
    const isOlder = sourceOf(value, one, run, given) !== undefined;
    const replaced = { sent: place, by: last.one, place: source.place, isOlder };
    return [replacedFinding(evidence, one, replaced)];
  }
  return [];
}

/** The last answer before a request that gives the value which that sent. */
function sourceOf(value: string, sent: Exchange, pass: RunEvidence, given: Given): Source | undefined {
  for (const one of answersTo(pass, sent.ts).toReversed()) {
    const found = given(one, pass).find((token) => token.value === value);
    if (found) return { key: exchangeKey(one, pass.facts), place: found.place };
  }
  return undefined;
}

/** What the same answer gave in the same place before a request. */
function lastGiven(
  { key, place }: Source,
  sent: Exchange,
  run: RunEvidence,
  given: Given,
): { one: Exchange; value: string } | undefined {
  const one = answersTo(run, sent.ts).findLast((other) => exchangeKey(other, run.facts) === key);
  const value = one && given(one, run).find((token) => token.place === place)?.value;
  return one && value !== undefined ? { one, value } : undefined;
}
