import type { Finding } from "../types.ts";
import { SIGN_IN } from "../words.ts";
import { all, atLeast, because, explained, type Rule } from "./rule.ts";

/** Below it a value may be made for each run. */
const SURE = 0.8;
/** Statuses by which a server refuses what it was sent. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 401, 403, 422]);

const isOfNothing = ({ isGivenNothing, is_new, weight }: Finding): boolean =>
  isGivenNothing === true && is_new === true && weight >= SURE;

/** Whether something may come of a field that was left empty: what was sent was refused, nothing was sent, or the page went to its sign-in. */
function isOutcome({ kind, is_new, status, about, title }: Finding): boolean {
  if (is_new !== true) return false;
  if (kind === "request_failed") return REFUSALS.has(status);
  if (kind === "redirected") return SIGN_IN.test(title);
  return kind === "request_unsent" || about?.startsWith("idle ") === true;
}

const isAfter = ({ ts }: Finding, given: Finding): boolean => (ts ?? 0) >= (given.ts ?? 0);

/** A field that the test gave nothing, where it gives something in the passes, comes before what came of that, and is told with what was refused. */
export const gaveNothing: Rule = (finding, { news }) => {
  if (!isOfNothing(finding))
    return isOutcome(finding) && news.some((given) => isOfNothing(given) && isAfter(finding, given))
      ? explained
      : null;
  const came = news.filter((one) => isOutcome(one) && isAfter(one, finding));
  if (came.length === 0) return null;
  const refused = came.find(({ kind }) => kind === "request_failed");
  return all(...(refused ? [because(refused)] : []), atLeast(0.985));
};
