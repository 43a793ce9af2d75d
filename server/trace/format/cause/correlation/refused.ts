import { isBefore } from "../compare.ts";
import { isWrite } from "../exchanges/sent.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { aboutUrl, isForeign, isTracker, quoted, requestOf } from "../words.ts";
import { nameOf } from "./tokens.ts";

/** The last writes that were refused. */
const MOST = 5;
/** How servers refuse who comes with a token that is over; 419 is a framework's own. */
export const REFUSALS: ReadonlySet<number | null> = new Set([400, 401, 403, 409, 412, 419, 422]);

/** The requests to the product itself that were refused before the failure, oldest first. */
export function ownRefusals(evidence: Evidence): Exchange[] {
  const { facts } = evidence.run;
  return facts.exchanges.filter(
    (one) =>
      one.status !== null &&
      isFailedExchange(one) &&
      isBefore(evidence, one.end ?? one.ts) &&
      !isForeign(one.url, facts) &&
      !isTracker(one.url),
  );
}

/** The last writes among them. */
export const refusedWrites = (evidence: Evidence): Exchange[] =>
  ownRefusals(evidence)
    .filter((one) => isWrite(one, evidence.run))
    .slice(-MOST);

/** A token of a request that is not the one which an answer had given by then. */
interface Replaced {
  /** Where the request has it. */
  sent: string;
  by: Exchange;
  /** Where that answer has the other one. */
  place: string;
  isOlder: boolean;
}

export const replacedFinding = (
  { run: { facts }, passes }: Evidence,
  one: Exchange,
  { sent, by, place, isOlder }: Replaced,
): Finding => ({
  kind: "storage",
  title: `${requestOf(one, facts)} was sent with ${isOlder ? "an older" : "another"} ${quoted(nameOf(sent), 60)} than the one that ${requestOf(by, facts)} had given by then in ${place}${passes.length === 0 ? "" : ", which every pass sends"}; it was answered with ${one.status}`,
  detail: null,
  step_id: one.step_id,
  events: [one.requestSeq ?? one.seq, by.seq, one.seq],
  ts: one.end ?? one.ts,
  is_new: passes.length === 0 ? null : true,
  weight: 0.97,
  about: aboutUrl(one.url, facts),
});
