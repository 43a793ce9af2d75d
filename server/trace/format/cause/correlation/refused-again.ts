import { isBefore } from "../compare.ts";
import { isNoValue } from "../exchanges/sent.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, requestOf } from "../words.ts";

/** The last requests that were refused, and the answers before one of them that may have given a new token. */
const MOST = 10;
const MOST_ANSWERS = 100;

/** A request that was refused with a token that had been refused before, though an answer in between had given a new one. */
export function detectRefusedAgain(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const found = refusedAgain(run).filter(
    ({ again }) => isBefore(evidence, again.ts) && !isMadeUpFor(run, again),
  );
  const [last] = found.slice(-1);
  if (!last) return [];
  const { again, by, isSame } = last;
  return [
    {
      kind: "storage",
      title: `${requestOf(again, run.facts)} was sent ${isSame ? "again " : ""}with the old token that had been refused already, though ${requestOf(by, run.facts)} had given a new one by then; it was answered with ${again.status} as well`,
      detail: null,
      step_id: again.step_id,
      events: [again.requestSeq ?? again.seq, by.seq, again.seq],
      ts: again.end ?? again.ts,
      is_new: passes.length === 0 ? null : passes.every((pass) => refusedAgain(pass).length === 0),
      weight: 0.97,
      about: aboutUrl(again.url, run.facts, again.operation),
    },
  ];
}

interface Again {
  again: Exchange;
  /** What gave the new token. */
  by: Exchange;
  /** Whether it is the very request that was refused before. */
  isSame: boolean;
}

/** Whether the same was sent later on and went well: requests that are under way while a token is renewed are refused once more. */
const isMadeUpFor = ({ facts }: RunEvidence, { method, url, ts }: Exchange): boolean =>
  facts.exchanges.some(
    (one) =>
      one.ts > ts &&
      one.url === url &&
      one.method === method &&
      one.status !== null &&
      !isFailedExchange(one),
  );

function refusedAgain({ facts, bodies }: RunEvidence): Again[] {
  const isRefused = (one: Exchange) =>
    one.status === 401 && tokenOf(one) !== null && !isForeign(one.url, facts);
  const refused = lastOf(facts.exchanges, MOST, isRefused);
  return refused.flatMap((again): Again[] => {
    const token = tokenOf(again)!;
    const earlier = refused.filter(
      (one) => one.end !== null && one.end <= again.ts && one.page === again.page && tokenOf(one) === token,
    );
    const [before] = earlier;
    if (!before) return [];
    const isSame = earlier.some(({ method, url }) => method === again.method && url === again.url);
    const by = lastOf(
      facts.exchanges,
      MOST_ANSWERS,
      (one) => one.ts >= before.ts && one.end !== null && one.end <= again.ts && one.page === again.page,
    ).findLast((one) => !isFailedExchange(one) && givesAnother(one, token, bodies));
    return by ? [{ again, by, isSame }] : [];
  });
}

/** What a request was known by: the token of its Authorization header, where scripts had one to write there. */
function tokenOf({ requestHeaders }: Exchange): string | null {
  const token = /^Bearer (\S+)$/i.exec(headerOf(requestHeaders, "authorization") ?? "")?.[1];
  return token === undefined || isNoValue(token) ? null : token;
}

const givesAnother = (one: Exchange, token: string, bodies: RunEvidence["bodies"]): boolean => {
  const given = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).find(({ path }) => ACCESS.test(path));
  return typeof given?.value === "string" && given.value !== "" && given.value !== token;
};

/** What a token to be sent along is called, other than those that renew it. */
export const ACCESS = /(?:^|[._])(?:access_?token|id_?token|jwt|bearer|token)$/i;
