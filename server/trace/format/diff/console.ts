import { cut } from "../error-text.ts";
import type { Comparison } from "./comparison.ts";
import type { ConsoleFact } from "./facts.ts";
import { folded, momentOf, pairByKeys, placeOf } from "./place.ts";
import { changeOf } from "./steps.ts";
import type { Difference, DiffSide, PlacedItem } from "./types.ts";
import { differenceAt } from "./values.ts";

const RANK = 3;
const MAX_SHOWN = 500;

type Line = ReturnType<typeof folded<ConsoleFact>>[number];

/**
 * An item per line that was said, however often it was: how often a line repeats is noise. A line that was said from
 * the same place, or with the same words at another level, is that line changed.
 */
export function compareConsole(comparison: Comparison): PlacedItem[] {
  const { a, b, by } = comparison;
  const lines = (side: "a" | "b") => {
    const { consoles, normaliser } = comparison[side];
    return folded(consoles, ({ kind, text }) => `${kind} ${normaliser.text(text)}`).map((line) => ({
      ...line.first,
      line,
    }));
  };
  const textOf = (fact: ConsoleFact, side: "a" | "b") => comparison[side].normaliser.text(fact.text);
  const { pairs, onlyA, onlyB } = pairByKeys(lines("a"), lines("b"), [
    ({ line }) => line.key,
    textOf,
    (fact, side) =>
      fact.location === null
        ? `${side} ${fact.seq}`
        : `${fact.kind} ${comparison[side].normaliser.url(fact.location.replace(/:\w+:\w+$/, ""))} ${fact.location.match(/:\w+:\w+$/)?.[0]}`,
  ]);
  const items: PlacedItem[] = [];
  const both = [
    ...pairs.map(([one, other]) => [one, other] as const),
    ...onlyA.map((one) => [one, null] as const),
    ...onlyB.map((other) => [null, other] as const),
  ];
  for (const [one, other] of both) {
    const found: Difference[] = [];
    if (one && other) {
      found.push(...differenceAt("/kind", one.kind, other.kind));
      if (by.a.text(one.text) !== by.b.text(other.text))
        found.push(...differenceAt("/text", one.text, other.text));
    }
    const times = { a: one?.line.times ?? 0, b: other?.line.times ?? 0 };
    const detail = {
      ...(found.length > 0 && { differences: found }),
      ...(times.a + times.b > (one && other ? 2 : 1) && { times }),
    };
    items.push({
      key: cut((other ?? one)!.line.key, MAX_SHOWN),
      change: changeOf(one, other, found),
      ...(one && { a: sideOf(one.line) }),
      ...(other && { b: sideOf(other.line) }),
      ...(Object.keys(detail).length > 0 && { detail }),
      place: placeOf({ ...comparison, a, b }, RANK, one, other),
    });
  }
  return items;
}

function sideOf({ first }: Line): DiffSide {
  const { kind, text, location } = first;
  return { ...momentOf(first), kind, text: cut(text, MAX_SHOWN), ...(location !== null && { location }) };
}
