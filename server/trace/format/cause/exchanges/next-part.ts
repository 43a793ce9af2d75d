import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf } from "../words.ts";
import { queryOf } from "./sent.ts";

const SHORTEST = 4;
/** What answers call the place from which a list goes on. */
const MARK = /(?:^|\.)\w{0,60}(?:cursor|next|after|continu|marker|page_?token|offset)\w{0,60}$/i;

/**
 * The mark by which a request asks for the next part of a list, as an answer before it gave it; null where it asks by none. Where such
 * a part begins hangs on all that is in the list.
 */
export function markOf(one: Exchange, { facts, bodies }: RunEvidence): string | null {
  const given = one.method === "GET" ? queryOf(one).filter(([, value]) => value.length >= SHORTEST) : [];
  const address = one.url.replace(/[?#].*/s, "");
  for (const [, value] of given) {
    const isGiven = facts.exchanges.some(
      (answer) =>
        answer.ts < one.ts &&
        (answer.url === address || answer.url.startsWith(`${address}?`)) &&
        (bodyOf(answer, bodies) ?? "").includes(value) &&
        leavesOf(jsonOf(bodyOf(answer, bodies)!)).some(
          (leaf) => leaf.value === value && MARK.test(leaf.path),
        ),
    );
    if (isGiven) return value;
  }
  return null;
}
