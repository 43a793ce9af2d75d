import { askedIn, isRead } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, isForeign, isTracker, lapse, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";

const FEWEST = 10;
const MOST = 100;
/** What is asked for at intervals waits longer. */
const AT_ONCE_MS = 150;

/** A question that the page asked over and over with no pause, as what is drawn anew for each answer and asks each time it is drawn. */
export function detectAskedEndlessly({ run, failed }: Evidence): Finding[] {
  const { facts } = run;
  for (const all of facts.byKey.values()) {
    const asked = all.filter((one) => one.ts <= failed.to && isData(one)).slice(-MOST);
    const last = asked.at(-1);
    if (!last || asked.length < FEWEST || !isRead(last, run) || isTracker(last.url) || isBeside(last))
      continue;
    if (isForeign(last.url, facts) || last.ts < failed.from) continue;
    const question = askedIn(last, run);
    const begun =
      asked.findLastIndex(
        (one, at) =>
          at < asked.length - 1 &&
          (askedIn(one, run) !== question || one.end === null || asked[at + 1]!.ts - one.end > AT_ONCE_MS),
      ) + 1;
    const count = asked.length - begun;
    if (count < FEWEST) continue;
    return [
      {
        kind: "request_repeated",
        title: `${requestOf(last, facts)} was asked ${count} times in ${lapse(last.ts - asked[begun]!.ts)}, each time as soon as it was answered: the page asks for the same in an endless loop`,
        detail: null,
        step_id: last.step_id,
        events: [asked[begun]!.seq, last.seq],
        ts: last.ts,
        is_new: null,
        weight: 0.84,
        about: aboutUrl(last.url, facts, last.operation),
      },
    ];
  }
  return [];
}

const isData = ({ type }: Exchange): boolean => /^(?:xhr|fetch)$/.test(type ?? "");
