import { isWrite } from "../../exchanges/sent.ts";
import { textsOf } from "../../page/page-texts.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { bodyOf, isForeign, isTracker, quoted, requestOf } from "../../words.ts";
import { elementsOf } from "./served-element.ts";
import { namedIn, type ValueApart } from "./served-value.ts";

const COUNT = /^\d{1,9}$/;

/**
 * That a count was as much higher already before the page had sent anything, as a clause with what stood there: what came of an earlier
 * run, or of another one. Empty where it was not.
 */
export function thereBefore(
  evidence: Evidence,
  one: Exchange,
  { now, before }: ValueApart,
  fresh: readonly string[],
): string {
  const { run, passes } = evidence;
  if (!COUNT.test(now) || !COUNT.test(before)) return "";
  const first = run.facts.exchanges.find((each) => isSent(each, run));
  const pages = run.facts.exchanges.filter((each) => isPage(each) && each.ts < (first?.ts ?? 0));
  for (const page of pages.toReversed()) {
    const had = countOn(evidence, page, run);
    const key = exchangeKey(page, run.facts);
    const usual = passes.map((pass) => {
      const same = exchangesOf(pass.facts, key).find(isPage);
      return same ? countOn(evidence, same, pass) : null;
    });
    if (had === null || usual.some((count) => count !== usual[0]) || usual[0] == null) continue;
    const more = had - usual[0];
    if (more <= 0 || more !== Number(now) - Number(before)) return "";
    const texts = new Set(textsOf(bodyOf(page, run.bodies) ?? ""));
    const thing = page === one ? undefined : fresh.find((text) => /\p{L}{3}/u.test(text) && texts.has(text));
    return `; ${requestOf(page, run.facts)} had ${quoted(String(had), 20)} there already${thing === undefined ? "" : ` (${quoted(thing, 60)})`}, before the page sent anything, where the last pass had ${quoted(String(usual[0]), 20)}`;
  }
  return "";
}

const isPage = ({ method, type, status, mediaType }: Exchange): boolean =>
  method === "GET" && type !== "api" && status === 200 && /html/.test(mediaType);

const isSent = (one: Exchange, run: RunEvidence): boolean =>
  one.type !== "api" && isWrite(one, run) && !isTracker(one.url) && !isForeign(one.url, run.facts);

/** What the one element that the test looks at counts on a page; null where it counts nothing. */
function countOn(evidence: Evidence, page: Exchange, its: RunEvidence): number | null {
  const named = namedIn(evidence);
  const body = bodyOf(page, its.bodies) ?? "";
  if (named === null || !body.includes(named.value)) return null;
  const [element, ...others] = elementsOf(evidence, body).filter(named.isIt);
  return element && others.length === 0 && COUNT.test(element.text) ? Number(element.text) : null;
}
