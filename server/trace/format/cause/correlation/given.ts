import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { refusedWrites, replacedFinding } from "./refused.ts";
import { answersTo, createGiven, type Given, tokensSent } from "./tokens.ts";

/** A token that a refused request sent and that an earlier answer had replaced: in every pass it is the one that this answer gave. */
export function detectGiven(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  const given = createGiven();
  return refusedWrites(evidence).flatMap((one) => findingOf(evidence, one, given));
}

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
