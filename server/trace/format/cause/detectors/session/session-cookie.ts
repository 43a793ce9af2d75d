import { cookieNames, cookiePath, hasRawHeaders, isSentTo } from "../../exchanges/cookie-terms.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { headerOf, quoted, requestOf } from "../../words.ts";
import { cookiesOf } from "../answers/headers.ts";
import { livesOf } from "./short-cookie.ts";

const MOST = 200;

/** A cookie that every pass keeps for a while and that ends with its browser here, where a later browser came without it. */
export function detectSessionCookie(evidence: Evidence): Finding[] {
  if (evidence.passes.length === 0) return [];
  const setters = answersBefore(evidence, MOST, ({ headers }) => headerOf(headers, "set-cookie") !== null);
  for (const one of setters)
    for (const [name, life] of livesOf(one)) {
      const usual = life.term === null ? keptAs(evidence, one, name) : null;
      const without = usual === null ? undefined : firstWithout(evidence, one, name);
      if (without) return [findingOf(evidence, one, { name, usual: usual!, without })];
    }
  return [];
}

/** The term by which every pass keeps the cookie; null where one of them does not. */
function keptAs({ run, passes }: Evidence, one: Exchange, name: string): string | null {
  const key = exchangeKey(one, run.facts);
  const all = passes.map(({ facts }) =>
    exchangesOf(facts, key).flatMap((other) => livesOf(other).get(name) ?? []),
  );
  const isKept = all.every((lives) => lives.length > 0 && lives.every(({ term }) => term !== null));
  return isKept ? all[0]![0]!.term : null;
}

/** The first request of another tab that had not the cookie, though it is sent with such a one in every pass. */
function firstWithout({ run, passes, failed }: Evidence, one: Exchange, name: string): Exchange | undefined {
  const { facts } = run;
  const path = cookiePath(cookiesOf(one).get(name) ?? [], one);
  const host = URL.parse(one.url)?.host;
  return facts.exchanges.find(
    (later) =>
      later.ts > (one.end ?? one.ts) &&
      later.ts <= failed.to &&
      later.page !== one.page &&
      URL.parse(later.url)?.host === host &&
      isSentTo(later.url, path) &&
      hasRawHeaders(later) &&
      !cookieNames(later).has(name) &&
      passes.every((pass) =>
        exchangesOf(pass.facts, exchangeKey(later, facts)).some((other) => cookieNames(other).has(name)),
      ),
  );
}

const findingOf = (
  { run: { facts }, failed }: Evidence,
  one: Exchange,
  { name, usual, without }: { name: string; usual: string; without: Exchange },
): Finding => ({
  kind: "storage",
  title: `${requestOf(one, facts)} sets the cookie ${quoted(name, 60)} without Max-Age and Expires, where the last pass has ${usual}: it ends with its browser, and ${requestOf(without, facts)} came without it`,
  detail: null,
  step_id: without.step_id,
  events: [one.seq, without.seq],
  ts: Math.max(without.ts, failed.from),
  is_new: true,
  weight: 0.985,
  about: `cookie ${name}`,
});
