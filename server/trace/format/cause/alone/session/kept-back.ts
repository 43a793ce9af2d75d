import { isAway } from "../../detectors/session/storage.ts";
import { cookieNames, hasRawHeaders } from "../../exchanges/cookie-terms.ts";
import { CHANGING } from "../../exchanges/sent.ts";
import { exchangeKey } from "../../run/keys.ts";
import type { Exchange, RunFacts } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, isForeign, pathOf, quoted, requestOf, SIGN_IN } from "../../words.ts";
import { leadsTo } from "./cookies.ts";

/**
 * A page that a sign-in led to and that was sent back there without a cookie which others have carried since: the browser
 * keeps that for other paths (RFC 6265, 5.4). What an answer sets that leads on, recorders may not tell.
 */
export function detectKeptBack({ run: { facts }, failed }: Evidence): Finding[] {
  const away = facts.exchanges.findLast((one) => one.ts <= failed.to && isSentBack(one, facts));
  const signIn = away && ledTo(away, facts);
  if (!signIn) return [];
  const found = carriedSince(away, signIn, facts);
  if (!found) return [];
  return [
    {
      kind: "storage",
      title: `${requestOf(away, facts)} came without the cookie ${quoted(found.name, 60)} and was sent to ${addressOf(leadsTo(away)!, facts)}, though ${requestOf(signIn, facts)} had led there; ${requestOf(found.one, facts)} carried it afterwards, so it may be set for another path`,
      detail: null,
      step_id: away.step_id,
      events: [away.seq, signIn.seq, found.one.seq],
      ts: away.end ?? away.ts,
      is_new: null,
      weight: 0.92,
      about: `cookie ${found.name}`,
    },
  ];
}

const isSentBack = (one: Exchange, facts: RunFacts): boolean =>
  one.type === "document" &&
  one.method === "GET" &&
  isAway(one) &&
  hasRawHeaders(one) &&
  SIGN_IN.test(pathOf(leadsTo(one) ?? "")) &&
  !isForeign(one.url, facts);

/** The write that led to the page. */
const ledTo = (page: Exchange, { exchanges }: RunFacts): Exchange | undefined =>
  exchanges.findLast(
    (one) =>
      one.ts <= page.ts &&
      CHANGING.has(one.method) &&
      isAway(one) &&
      pathOf(leadsTo(one) ?? "") === pathOf(page.url),
  );

/** A cookie that came with the sign-in: the same request went without it from the sign-in's page before. */
function carriedSince(
  away: Exchange,
  signIn: Exchange,
  facts: RunFacts,
): { one: Exchange; name: string } | undefined {
  const door = pathOf(leadsTo(away)!);
  const known = cookieNames(away);
  const without = new Set<string>();
  let at = "";
  for (const one of facts.exchanges) {
    if (isForeign(one.url, facts)) continue;
    if (one.type === "document" && one.status === 200) at = pathOf(one.url);
    const key = exchangeKey(one, facts);
    if (one.ts < signIn.ts) {
      for (const name of cookieNames(one)) known.add(name);
      if (at === door && hasRawHeaders(one)) without.add(key);
    } else if (one.ts >= away.ts && without.has(key)) {
      const name = [...cookieNames(one)].find((cookie) => !known.has(cookie));
      if (name !== undefined) return { one, name };
    }
  }
  return undefined;
}
