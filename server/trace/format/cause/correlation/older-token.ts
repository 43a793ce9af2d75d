import { saidIn } from "../exchanges/said-in.ts";
import { isWrite } from "../exchanges/sent.ts";
import type { Placed } from "../page/form-fields.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangeKey } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { bodyOf, isForeign, pathOf } from "../words.ts";
import { REFUSALS, refusedWrites, replacedFinding } from "./refused.ts";
import { answersTo, createGiven, type Given, nameOf, tokensSent } from "./tokens.ts";

/** A refused write with a token that one answer gave and a later one had given anew in the same place. */
export function detectOlderToken(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const given = createGiven();
  for (const one of refusedWrites(evidence).toReversed()) {
    if (!REFUSALS.has(one.status) || !isForToken(one, run)) continue;
    for (const token of tokensSent(one, run)) {
      const replaced = replacedBy(token, one, run, given);
      if (!replaced || isTaken(token, replaced.by, run)) continue;
      return [replacedFinding(evidence, one, { sent: token.place, isOlder: true, ...replaced })];
    }
  }
  return [];
}

/** Statuses that say who may not; the others may as well speak of what was filled in. */
const OF_SENDERS: ReadonlySet<number | null> = new Set([401, 403, 419]);
const OF_TOKENS = /token|[cx]srf|forge|expired|out of date|outdated|stale|session|reload/i;
const OF_RIGHTS = /permission|\brole\b|privilege/i;

/** Whether a refusal may be for a token's sake, as far as it says why. */
function isForToken(one: Exchange, { bodies }: RunEvidence): boolean {
  const said = saidIn(bodyOf(one, bodies)) ?? "";
  return OF_TOKENS.test(said) || (OF_SENDERS.has(one.status) && !OF_RIGHTS.test(said));
}

/** Names of proofs that a page is the site's own: whichever page has it, it is the same thing. Other names mean what their answer means. */
const FORGERY = /[cx]srf|authenticity|forgery|verification|^_token$/i;

function replacedBy(
  { place: sent, value }: Placed,
  one: Exchange,
  run: RunEvidence,
  given: Given,
): { by: Exchange; place: string } | undefined {
  const answers = answersTo(run, one.ts);
  const at = answers.findLastIndex((other) => given(other, run).some((token) => token.value === value));
  const source = answers[at];
  const place = source && given(source, run).find((token) => token.value === value)!.place;
  // One header both ways is told of by itself.
  if (!place || (place === sent && place.startsWith("the header"))) return undefined;
  const key = exchangeKey(source, run.facts);
  const by = answers
    .slice(at + 1)
    .findLast(
      (other) =>
        !isFailedExchange(other) &&
        !isForeign(other.url, run.facts) &&
        (FORGERY.test(nameOf(place)) || exchangeKey(other, run.facts) === key) &&
        isOnPageOf(one, other, run) &&
        given(other, run).some((token) => token.place === place),
    );
  return by && { by, place };
}

/** Whether an answer came to the page that sent a request: not to another tab, and as a document not to a frame of it. */
const isOnPageOf = (sent: Exchange, { page, type, url }: Exchange, { facts }: RunEvidence): boolean =>
  page === sent.page &&
  (type !== "document" ||
    facts.pages.every((shot) => shot.page !== page) ||
    facts.pages.some((shot) => shot.page === page && pathOf(shot.url) === pathOf(url)));

/** Whether a write with the token was taken once there was another one: both are good then. */
const isTaken = ({ value }: Placed, by: Exchange, run: RunEvidence): boolean =>
  run.facts.exchanges.some(
    (one) =>
      one.ts >= (by.end ?? by.ts) &&
      one.status !== null &&
      !isFailedExchange(one) &&
      isWrite(one, run) &&
      tokensSent(one, run).some((token) => token.value === value),
  );
