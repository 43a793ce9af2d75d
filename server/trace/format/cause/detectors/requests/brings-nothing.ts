import { exchangeKey, exchangesOf } from "../../keys.ts";
import type { Exchange } from "../../run-facts.ts";
import type { Evidence } from "../../types.ts";
import { headerOf } from "../../words.ts";

/** Without content, and without a cookie that later requests may need. */
const isEmpty = ({ status, headers }: Exchange): boolean =>
  EMPTY.has(status!) && headerOf(headers, "set-cookie") === null;

/** Answers without content (RFC 9110, 15.3.5 and 15.3.6). */
const EMPTY = new Set([204, 205]);

/**
 * Whether a page reads at another server's what is always answered without content, in this run or its passes: it only tells that
 * somebody was there, and nothing of the page can depend on it.
 */
export function bringsNothing({ run, passes }: Evidence, one: Exchange): boolean {
  if (one.method !== "GET" || URL.parse(one.url)?.host === run.facts.authority) return false;
  const key = exchangeKey(one, run.facts);
  const answered = [run, ...passes]
    .flatMap(({ facts }) => exchangesOf(facts, key))
    .filter(({ status }) => status !== null && status < 400);
  return answered.length > 0 && answered.every(isEmpty);
}
