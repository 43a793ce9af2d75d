import { addressOf, pathOf } from "../words.ts";
import { type Rule, say } from "./rule.ts";

/** Parts of a path that scripts write where they have no value. */
const NO_VALUE = /\/(?:undefined|NaN|null|\[object%20\w{1,30}\]|\[object \w{1,30}\])(?=\/|$)/;

/** What was refused on a page whose address has no value in it is told with that address: its script was led there without one. */
export const atNoValue: Rule = ({ kind, is_new, isOwn, ts, title, events }, { evidence: { run } }) => {
  if (kind !== "request_failed" || is_new === false || isOwn === false || ts === null) return null;
  const sent = run.facts.exchanges.find(({ seq }) => seq === events[0])?.ts ?? ts;
  // A page is recorded only after it was led elsewhere.
  const url = [run.facts.pages.findLast((shot) => shot.ts <= sent)?.url, run.page?.shot.url].find(
    (one) => one !== undefined && NO_VALUE.test(pathOf(one)),
  );
  if (url === undefined || NO_VALUE.test(title)) return null;
  return say(`the page had been led to ${addressOf(url, run.facts)}, which lacks the value in its address`);
};
