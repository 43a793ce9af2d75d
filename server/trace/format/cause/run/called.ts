import { createNormaliser } from "../../diff/normalise.ts";
import { contentNames } from "./content-names.ts";
import { exchangeKey, isConsole, lineKey } from "./keys.ts";
import { idsOf } from "./own-ids.ts";
import type { RunFacts } from "./run-facts.ts";
import { testIdsOf } from "./test-ids.ts";

/** What depends on how things are called across runs. */
export type Called = Pick<RunFacts, "normaliser" | "byKey" | "forgetKeys" | "hasLine">;

/** What a run tells, its requests and lines called as they are across runs. @param made words that are ids */
export function called(facts: Omit<RunFacts, keyof Called>, made: readonly string[]): RunFacts {
  const whole = { ...facts, normaliser: createNormaliser(facts.host, made) };
  let lineKeys: Set<string> | null = null;
  let byKey: RunFacts["byKey"] | null = null;
  return {
    ...whole,
    // Of a run of thousands it takes long, and hardly anybody asks where there is no pass.
    get byKey() {
      byKey ??= Map.groupBy(facts.exchanges, (one) => exchangeKey(one, whole));
      return byKey;
    },
    forgetKeys() {
      byKey = null;
    },
    hasLine(key) {
      lineKeys ??= new Set(facts.lines.filter(isConsole).map((line) => lineKey(line, whole)));
      return lineKeys.has(key);
    },
  };
}

/** Runs of one test, newest first, that call alike what each of them named by an id of its own. */
export function calledAlike(runs: readonly RunFacts[]): RunFacts[] {
  const made = [...idsOf(runs), ...contentNames(runs), ...testIdsOf(runs)];
  return made.length === 0 ? [...runs] : runs.map((facts) => called(facts, made));
}
