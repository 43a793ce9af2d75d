import { leavesOf } from "../values/json-leaves.ts";
import type { Answer } from "./asked-again.ts";
import { type Varying, varyingIn } from "./differences.ts";

/** What the passes' answers to one question say together. */
export interface Usual {
  varying: Varying;
  /** What all of them say alike, by path. */
  steady: () => ReadonlyMap<string, unknown>;
}

const USUAL = new WeakMap<Answer[], Usual>();

/** What the passes say to one question, which is found once: lists of the same question are the same. */
export function usualOf(others: Answer[][]): Usual {
  const known = USUAL.get(others[0]!);
  if (known) return known;
  const valuesOf = (of: "plain" | "value") =>
    others.map((list) => list.flatMap((answer) => (answer[of] === undefined ? [] : [answer[of]])));
  let steady: ReadonlyMap<string, unknown> | null = null;
  const found: Usual = {
    varying: varyingIn(valuesOf("plain")),
    steady() {
      steady ??= steadyIn(valuesOf("value").flat());
      return steady;
    },
  };
  USUAL.set(others[0]!, found);
  return found;
}

/** What several values say alike, by path; nothing of one value alone. */
function steadyIn(values: unknown[]): Map<string, unknown> {
  const [first, ...others] = values.map((value) => leavesOf(value));
  const steady = new Map(others.length > 0 ? first!.map((leaf) => [leaf.path, leaf.value]) : []);
  for (const leaves of others) {
    const said = new Map(leaves.map((leaf) => [leaf.path, leaf.value]));
    for (const [path, value] of steady) if (said.get(path) !== value) steady.delete(path);
  }
  return steady;
}
