import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, testIdOf, told } from "../../page/wanted.ts";
import type { Evidence, RunEvidence } from "../../types.ts";

const MOST_NAMED = 3;

/**
 * Which elements a locator found that is meant for one, and which of them stands on no page of the passes, as a clause; empty where
 * nothing tells them apart, or the recorded page has not as many of them.
 */
export function whichMatched(evidence: Evidence, count: number): string {
  const { run, passes } = evidence;
  const foundIn = ({ page }: RunEvidence) => foundWithin(targetOf(evidence), page?.elements ?? []);
  const mine = foundIn(run);
  const theirs = passes.map(foundIn);
  if (mine.length !== count || theirs.length === 0 || theirs.some((found) => found.length === 0)) return "";
  const usual = new Set(theirs.flat().map(keyOf));
  const fresh = mine.filter((one) => !usual.has(keyOf(one)));
  const known = mine.filter((one) => usual.has(keyOf(one)));
  if (fresh.length === 0 || known.length === 0 || mine.length > MOST_NAMED) return "";
  const named = fresh.map(told).join(" and ");
  return `: ${known.map(told).join(", ")} and ${named}, which ${fresh.length === 1 ? "stands" : "stand"} there in no pass`;
}

/** What only says something is the same element whatever it says. */
const keyOf = ({ tag, role, name, attributes }: SeenElement): string =>
  `${tag} ${role} ${role === "" ? "" : name} ${testIdOf(attributes) ?? ""}`;
