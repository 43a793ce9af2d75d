import { cut } from "../error-text.ts";
import type { Comparison } from "./comparison.ts";
import type { WorldFact } from "./facts.ts";
import { momentOf, pairByKeys, placeOf, rowOf } from "./place.ts";
import { changeOf } from "./steps.ts";
import type { DiffSide, PlacedItem } from "./types.ts";
import { differencesOf } from "./values.ts";

const RANK = 2;
const MAX_SHOWN = 500;

/**
 * The dimension `clone`: an item per change of the simulated world, which are states of clones, moves of the clock and
 * injected faults. The changes of one thing are paired within their step first, then in order.
 */
export function compareWorld(comparison: Comparison): PlacedItem[] {
  const { a, b, by } = comparison;
  const subject = ({ kind, subject }: WorldFact, side: "a" | "b") =>
    `${kind} ${comparison[side].normaliser.text(subject)}`.trim();
  const { pairs, onlyA, onlyB } = pairByKeys(a.world, b.world, [
    (fact, side) => `${subject(fact, side)} ${rowOf(comparison, side, fact)}`,
    subject,
  ]);
  const both = [
    ...pairs.map(([one, other]) => [one, other] as const),
    ...onlyA.map((one) => [one, null] as const),
    ...onlyB.map((other) => [null, other] as const),
  ];
  return both.map(([one, other]) => {
    const differences =
      one && other
        ? [
            ...differencesOf("/before", one.before, other.before, by),
            ...differencesOf("/after", one.after, other.after, by),
          ]
        : [];
    return {
      key: cut(other ? subject(other, "b") : subject(one!, "a"), MAX_SHOWN),
      change: changeOf(one, other, differences),
      ...(one && { a: sideOf(one) }),
      ...(other && { b: sideOf(other) }),
      ...(differences.length > 0 && { detail: { differences } }),
      place: placeOf(comparison, RANK, one, other),
    };
  });
}

function sideOf(fact: WorldFact): DiffSide {
  const { kind, subject, before, after } = fact;
  const isClone = kind === "clone.state";
  return {
    ...momentOf(fact),
    kind,
    ...(subject !== "" && { subject: cut(subject, MAX_SHOWN) }),
    ...(isClone && { before: shown(before) }),
    after: shown(after),
  };
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_SHOWN ? value : cut(text, MAX_SHOWN);
}
