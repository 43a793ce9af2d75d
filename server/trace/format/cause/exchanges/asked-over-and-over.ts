import { exchangeKey } from "../run/keys.ts";
import { isPolling } from "../run/polled.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { isForeign, isTracker, pathOf } from "../words.ts";
import { askedIn, isRead } from "./sent.ts";

/** So many of one question are no second try. */
const FEWEST = 10;
const MOST = 400;

/** The questions that a page asked time and again until the step gave up, each with its requests, oldest first; what was asked most comes first. */
export function askedOverAndOver({ run, failed }: Evidence): Exchange[][] {
  const asked = lastOf(run.facts.exchanges, MOST, (one) => one.ts <= failed.to && isQuestion(one, run));
  return [...Map.groupBy(asked, (one) => wordsOf(one, run)).values()]
    .filter((all) => all.length >= FEWEST && all.at(-1)!.ts >= failed.from)
    .toSorted((a, b) => b.length - a.length);
}

const isQuestion = (one: Exchange, run: RunEvidence): boolean =>
  /^(?:xhr|fetch)$/.test(one.type ?? "") &&
  !isTracker(one.url) &&
  !isForeign(one.url, run.facts) &&
  !isPolling(one) &&
  isRead(one, run);

const wordsOf = (one: Exchange, run: RunEvidence): string =>
  `${exchangeKey(one, run.facts)} ${pathOf(one.url)} ${askedIn(one, run)}`;
