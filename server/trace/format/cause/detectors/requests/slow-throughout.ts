import { usualMs } from "../../compare.ts";
import { exchangeKey } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence } from "../../types.ts";
import { lapse, requestOf } from "../../words.ts";

/** What a page asks for and waits for; pictures and scripts come from caches and stores of their own. */
const ASKED = new Set(["document", "fetch", "xhr"]);
/** Fewer slow answers may be slow each for itself. */
const FEWEST = 3;
const TIMES = 3;
const SLOWER_MS = 700;

/** That not one answer of a server was slow but most of them, as a clause; empty where they were not, or no pass shows how long they take. */
export function slowThroughout(evidence: Evidence, one: Exchange): string {
  const { run, failed } = evidence;
  const server = originOf(one.url);
  const timed = run.facts.exchanges
    .filter(({ url, type, ts }) => ASKED.has(type ?? "") && ts <= failed.to && originOf(url) === server)
    .flatMap((asked) => {
      const usual = usualMs(evidence, exchangeKey(asked, run.facts));
      const took = Math.min(asked.end ?? failed.to, failed.to) - asked.ts;
      // What was asked for just before the step gave up tells nothing yet.
      return usual === null || (asked.end === null && took < SLOWER_MS) ? [] : [{ asked, usual, took }];
    });
  const slow = timed.filter(({ usual, took }) => took >= Math.max(usual * TIMES, usual + SLOWER_MS));
  const other = slow.find(({ asked }) => asked.seq !== one.seq && asked.end !== null);
  if (!other || slow.length < FEWEST || slow.length * 2 <= timed.length) return "";
  return `; its server was slow throughout, for ${slow.length} of ${timed.length} requests: ${requestOf(other.asked, run.facts)} took ${lapse(other.took)} instead of ${lapse(other.usual)}`;
}

const originOf = (url: string): string | undefined => URL.parse(url)?.origin;
