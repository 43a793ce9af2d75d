import type { Comparison } from "./comparison.ts";
import type { Fact } from "./facts.ts";
import type { Place } from "./types.ts";

/** Row of the aligned steps that something belongs to; -1 before the first. */
export function rowOf({ aligned }: Comparison, side: "a" | "b", { step }: Fact): number {
  return (side === "a" ? aligned.rowsA : aligned.rowsB)[step] ?? -1;
}

/** The earlier of the two places. */
export function placeOf(comparison: Comparison, rank: number, one: Fact | null, other: Fact | null): Place {
  const places: Place[] = [];
  for (const [side, fact] of [["a", one] as const, ["b", other] as const]) {
    if (!fact) continue;
    const facts = comparison[side];
    const began = facts.steps[fact.step]?.ts ?? facts.firstTs;
    places.push({ row: rowOf(comparison, side, fact), rank, offset: fact.ts - began });
  }
  return places.sort(byPlace)[0]!;
}

export function byPlace(a: Place, b: Place): number {
  return a.row - b.row || a.rank - b.rank || a.offset - b.offset;
}

/** What items tell of where something is. */
export function momentOf({ seq, ts, step_id }: Fact): { seq: number; ts: number; step_id: string | null } {
  return { seq, ts, step_id };
}

/**
 * Pairs facts of both sides that share a key, in order, by the first kind of key that pairs them. What finds no
 * partner stays alone.
 */
export function pairByKeys<One extends Fact>(
  a: readonly One[],
  b: readonly One[],
  keys: readonly ((fact: One, side: "a" | "b") => string)[],
): { pairs: [One, One][]; onlyA: One[]; onlyB: One[] } {
  const pairs: [One, One][] = [];
  let [onlyA, onlyB] = [[...a], [...b]];
  for (const keyOf of keys) {
    const waiting = new Map<string, One[]>();
    for (const fact of onlyB) {
      const key = keyOf(fact, "b");
      const list = waiting.get(key);
      if (list) list.push(fact);
      else waiting.set(key, [fact]);
    }
    for (const list of waiting.values()) list.reverse();
    const taken = new Set<One>();
    onlyA = onlyA.filter((fact) => {
      const partner = waiting.get(keyOf(fact, "a"))?.pop();
      if (!partner) return true;
      taken.add(partner);
      pairs.push([fact, partner]);
      return false;
    });
    onlyB = onlyB.filter((fact) => !taken.has(fact));
  }
  return { pairs, onlyA, onlyB };
}

/** Facts with the same key as one: its first, and how many there are. */
export function folded<One extends Fact>(
  facts: readonly One[],
  keyOf: (fact: One) => string,
): { key: string; first: One; times: number }[] {
  const groups = new Map<string, { key: string; first: One; times: number }>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const group = groups.get(key);
    if (group) group.times += 1;
    else groups.set(key, { key, first: fact, times: 1 });
  }
  return [...groups.values()];
}
