import { isWrite } from "../../exchanges/sent.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { bodyOf, isForeign, isTracker, pathOf, SIGN_IN } from "../../words.ts";

/**
 * The write behind which a served page still lacks a text, as it had before it: in every pass the page came to have it between the
 * same two visits. Null where no such write went well.
 */
export function writeBehind(evidence: Evidence, one: Exchange, text: string): Exchange | null {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const nth = visitsOf(run, one, key).indexOf(one);
  const before = visitsOf(run, one, key)[nth - 1];
  if (!before || passes.length === 0 || has(run, before, text)) return null;
  const isUsual = passes.every((pass) => {
    const [earlier, later] = [nth - 1, nth].map((at) => visitsOf(pass, one, key)[at]);
    return earlier && later && !has(pass, earlier, text) && has(pass, later, text);
  });
  const write =
    isUsual && isAsBefore(evidence, { before, one, key })
      ? run.facts.exchanges.findLast(
          (each) => each.ts >= before.ts && each.ts <= one.ts && isTaken(each, run) && isWrite(each, run),
        )
      : undefined;
  const isSent = (pass: RunEvidence) => {
    const same = write && ofSameTurn(write, run.facts, pass.facts);
    return same !== undefined && isTaken(same, pass);
  };
  return write && passes.every(isSent) ? write : null;
}

/** The last write that went well between a page and its visit before; null where there is none. */
export function takenBefore({ run }: Evidence, one: Exchange): Exchange | null {
  const visits = visitsOf(run, one, exchangeKey(one, run.facts));
  return takenBetween(run, visits[visits.indexOf(one) - 1], one);
}

/** The last write that went well between two visits to a page; null where there is none. */
export function takenBetween(run: RunEvidence, before: Exchange | undefined, one: Exchange): Exchange | null {
  const write =
    before &&
    run.facts.exchanges.findLast(
      (each) => each.ts >= before.ts && each.ts <= one.ts && isTaken(each, run) && isWrite(each, run),
    );
  return write ?? null;
}

/** Whether a page says nothing new but what the passes say as well: what a write changed otherwise stands there in its place. */
function isAsBefore(
  { run, passes }: Evidence,
  { before, one, key }: { before: Exchange; one: Exchange; key: string },
): boolean {
  const said = (of: RunEvidence, page: Exchange) =>
    textsOf(bodyOf(page, of.bodies) ?? "").map(of.facts.normaliser.text);
  const known = new Set([
    ...said(run, before),
    ...passes.flatMap((pass) => visitsOf(pass, one, key).flatMap((page) => said(pass, page))),
  ]);
  return said(run, one).every((text) => known.has(text));
}

const visitsOf = ({ facts }: RunEvidence, { type }: Exchange, key: string): Exchange[] =>
  exchangesOf(facts, key).filter((other) => other.type === type);

const has = ({ bodies }: RunEvidence, one: Exchange, text: string): boolean =>
  textsOf(bodyOf(one, bodies) ?? "").some((each) => each.includes(text));

const isTaken = (one: Exchange, { facts }: RunEvidence): boolean =>
  one.status !== null &&
  !isFailedExchange(one) &&
  !isTracker(one.url) &&
  !isForeign(one.url, facts) &&
  !SIGN_IN.test(pathOf(one.url));
