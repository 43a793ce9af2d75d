import { isBefore } from "../../compare.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { RunFacts } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isTracker, requestOf } from "../../words.ts";

const MOST = 20;

/** A page that leaves at once may not learn which server answered; what changes something is answered by none where copies are. */
const hasCopies = ({ exchanges }: RunFacts): boolean =>
  exchanges.some(
    ({ method, fromNetwork, url }) => method === "GET" && fromNetwork === false && /^http/.test(url),
  );

/** Pages and data that no server was asked for, where every pass had them from the server: an older copy may stand in for them. */
export function detectStale(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const here = run.page && run.facts.normaliser.url(run.page.shot.url);
  return lastOf(
    run.facts.exchanges,
    MOST,
    (one) =>
      one.fromNetwork === false &&
      /^(?:document|xhr|fetch)$/.test(one.type ?? "") &&
      (one.method === "GET" || hasCopies(run.facts)) &&
      !isFailedExchange(one) &&
      !isTracker(one.url) &&
      isBefore(evidence, one.end ?? one.ts) &&
      passes.every(({ facts }) => {
        const others = exchangesOf(facts, exchangeKey(one, run.facts));
        return others.length > 0 && others.every(({ fromNetwork }) => fromNetwork === true);
      }),
  ).map((one) => ({
    kind: "stale_answer" as const,
    title: `${requestOf(one, run.facts)} was answered ${staleness(one)}; in the last pass the server answered it`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    is_new: true,
    weight: one.type !== "document" || run.facts.normaliser.url(one.url) === here ? 0.78 : 0.6,
    about: aboutUrl(one.url, run.facts),
    isCopy: true,
  }));
}
