import { queryOf } from "../../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence } from "../../types.ts";
import { headerOf, pathOf } from "../../words.ts";

/** Without content, and without a cookie that later requests may need. */
const isEmpty = ({ status, headers }: Exchange): boolean =>
  EMPTY.has(status!) && headerOf(headers, "set-cookie") === null;

/** Answers without content (RFC 9110, 15.3.5 and 15.3.6). */
const EMPTY = new Set([204, 205]);

/** Views are counted at every page: this many tell. */
const MOST_VIEWS = 50;

/**
 * Whether a page reads at another server's what is always answered without content, in this run or its passes, or only tells it where
 * the browser is: nothing of the page can depend on it.
 */
export function bringsNothing({ run, passes }: Evidence, one: Exchange): boolean {
  if (one.method !== "GET" || URL.parse(one.url)?.host === run.facts.authority) return false;
  const key = exchangeKey(one, run.facts);
  const answered = [run, ...passes]
    .flatMap(({ facts }) => exchangesOf(facts, key))
    .filter(({ status }) => status !== null && status < 400);
  return answered.length > 0 ? answered.every(isEmpty) : countsViews(run.facts, key);
}

/** Whether requests of that name told of more than one page that the browser was there: it got on without an answer to them. */
function countsViews(facts: RunFacts, key: string): boolean {
  const pages = new Set(facts.pages.map(({ url }) => pathOf(url)));
  const told = exchangesOf(facts, key)
    .slice(-MOST_VIEWS)
    .flatMap((view) => queryOf(view).map(([, value]) => pathOf(value).replace(/[?#].*/s, "")));
  return new Set(told.filter((path) => pages.has(path))).size > 1;
}
