import { isBefore } from "../compare.ts";
import { isNoValue } from "../exchanges/sent.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { aboutUrl, bodyOf, headerOf, isForeign, quoted, requestOf } from "../words.ts";
import { ACCESS } from "./refused-again.ts";

/** The first requests of that kind, and the answers before one of them that may have given a token. */
const MOST = 10;
const MOST_ANSWERS = 100;

/** A request that was refused since it had no value in the place of its token (“Bearer undefined”), though an answer before had given one. */
export function detectWithoutToken(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  const refused = facts.exchanges
    .filter((one) => isRefusedSo(one) && isBefore(evidence, one.ts) && !isForeign(one.url, facts))
    .slice(0, MOST);
  for (const one of refused) {
    const by = lastOf(
      facts.exchanges,
      MOST_ANSWERS,
      (other) => other.end !== null && other.end <= one.ts && other.page === one.page,
    ).findLast((other) => !isFailedExchange(other) && tokenFieldOf(other, run) !== null);
    if (!by) continue;
    const field = tokenFieldOf(by, run)!;
    const before = usualField(by, evidence);
    return [
      {
        kind: "storage",
        title: `${requestOf(one, facts)} was sent with ${quoted(headerOf(one.requestHeaders, "authorization")!, 40)} and answered with ${one.status}, though ${requestOf(by, facts)} had given a token as ${quoted(field, 60)}${before === null || before === field ? "" : `, which is ${quoted(before, 60)} in the last pass`}`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq, by.seq, one.seq],
        ts: one.end ?? one.ts,
        is_new: passes.length === 0 ? null : !passes.some((pass) => pass.facts.exchanges.some(isRefusedSo)),
        weight: 0.97,
        about: aboutUrl(one.url, facts, one.operation),
      },
    ];
  }
  return [];
}

const isRefusedSo = ({ status, requestHeaders }: Exchange): boolean =>
  (status === 401 || status === 403) &&
  isNoValue(/^Bearer (.+)$/i.exec(headerOf(requestHeaders, "authorization") ?? "")?.[1]?.trim());

/** Where an answer has a token to be sent along; null where it has none. */
function tokenFieldOf(one: Exchange, { bodies }: RunEvidence): string | null {
  const given = leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).find(
    ({ path, value }) => ACCESS.test(path) && typeof value === "string" && value !== "",
  );
  return given?.path ?? null;
}

function usualField(by: Exchange, { run, passes }: Evidence): string | null {
  const [pass] = passes;
  if (!pass) return null;
  const theirs = exchangesOf(pass.facts, exchangeKey(by, run.facts));
  return theirs.map((other) => tokenFieldOf(other, pass)).find((field) => field !== null) ?? null;
}
