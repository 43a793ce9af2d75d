import type { CompiledScenario, CompiledStep } from "../../run/language/ast.ts";
import { type Grounds, isUnwelcome, isWeaker } from "./step.ts";

/** What a patch may not do, one sentence each. */
export interface Refusal {
  rule: "expectation" | "wait" | "step" | "outside_of_steps" | "goal" | "size" | "path" | "rejected";
  message: string;
}

const MOST_CHANGED = 6;
const MOST_ADDED = 4;

/** What a patch changes of a scenario's steps. */
export interface StepChanges {
  replaced: { before: CompiledStep; after: CompiledStep }[];
  added: CompiledStep[];
}

/**
 * Holds a changed scenario against what it was: every step before has its counterpart, in the same order, that asks for no
 * less; what is added may stand there; nothing but steps has changed.
 * @param texts of the two files
 * @returns every reason to refuse it; none when it may be proposed
 */
export function judgeScenario(
  before: CompiledScenario,
  after: CompiledScenario,
  texts: { before: string; after: string },
  grounds: Grounds,
): { refusals: Refusal[]; changes: StepChanges } {
  const refusals: Refusal[] = [];
  const changes: StepChanges = { replaced: [], added: [] };
  if (outsideOfSteps(texts.before, before) !== outsideOfSteps(texts.after, after))
    refusals.push({
      rule: "outside_of_steps",
      message:
        "The patch changes the file outside of its steps: its frontmatter and its prose stay as they are.",
    });
  const paired = pair(before.steps, after.steps, grounds);
  if (paired === null) {
    refusals.push(whyUnpaired(before.steps, after.steps, grounds));
    return { refusals, changes };
  }
  const taken = new Set(paired);
  before.steps.forEach((step, at) => {
    const now = after.steps[paired[at]!]!;
    if (!Bun.deepEquals([step.action, step.within_ms], [now.action, now.within_ms]))
      changes.replaced.push({ before: step, after: now });
  });
  for (const { before: step, after: now } of changes.replaced) {
    const twin = before.steps.find((one) => one !== step && Bun.deepEquals(one.action, now.action));
    if (now.action.verb === "expect" && twin)
      refusals.push({
        rule: "expectation",
        message: `The patch weakens step ${step.index}: "${step.source}" would be "${now.source}", which step ${twin.index} expects already.`,
      });
  }
  after.steps.forEach((step, at) => {
    if (taken.has(at)) return;
    changes.added.push(step);
    const why = isUnwelcome(step, after.steps.slice(at + 1));
    if (why !== null)
      refusals.push({ rule: "step", message: `The patch adds the step "${step.source}", and ${why}.` });
  });
  if (changes.replaced.length > MOST_CHANGED || changes.added.length > MOST_ADDED)
    refusals.push({
      rule: "size",
      message: `The patch changes ${changes.replaced.length} steps and adds ${changes.added.length}; at most ${MOST_CHANGED} and ${MOST_ADDED} are looked through at a glance.`,
    });
  refusals.push(...goalMissed(changes, after.steps));
  return { refusals, changes };
}

/** An act on another element says nothing by itself: something has to be expected after it. */
function goalMissed({ replaced, added }: StepChanges, steps: readonly CompiledStep[]): Refusal[] {
  const acts = [...replaced.map(({ after }) => after), ...added].filter(
    ({ action }) => action.verb !== "expect",
  );
  const last = acts.at(-1);
  const lastIndex = Math.max(0, ...acts.map(({ index }) => index));
  const isAsserted = steps.some(
    ({ index, action }) => index > lastIndex && action.verb === "expect" && !action.not,
  );
  if (!last || isAsserted) return [];
  return [
    {
      rule: "goal",
      message: `Nothing is expected after the changed step "${last.source}", so that nothing would show whether it still reaches the scenario's goal.`,
    },
  ];
}

/** What stands between the steps at the beginning and the end that are the same is held against each other as a whole, up to so many pairs. */
const MOST_PAIRS = 40_000;

/** The place of each step's counterpart, in the same order; null when one has none. */
function pair(
  before: readonly CompiledStep[],
  after: readonly CompiledStep[],
  grounds: Grounds,
): number[] | null {
  if (after.length < before.length) return null;
  let first = 0;
  while (first < before.length && isSame(before[first]!, after[first]!)) first += 1;
  let last = 0;
  while (last < before.length - first && isSame(before.at(-1 - last)!, after.at(-1 - last)!)) last += 1;
  const inner = pairInner(
    before.slice(first, before.length - last),
    after.slice(first, after.length - last),
    grounds,
  );
  if (inner === null) return null;
  return [
    ...Array.from({ length: first }, (_, at) => at),
    ...inner.map((at) => at + first),
    ...Array.from({ length: last }, (_, at) => after.length - last + at),
  ];
}

/** As many as can be stay as they are. */
function pairInner(
  before: readonly CompiledStep[],
  after: readonly CompiledStep[],
  grounds: Grounds,
): number[] | null {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > MOST_PAIRS) return null;
  // reach[i][j]: how many steps stay as they are when before[i…] are paired within after[j…]; -1 when they cannot be.
  const reach = Array.from({ length: rows + 1 }, () => new Int32Array(columns + 1).fill(-1));
  reach[rows]!.fill(0);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - (rows - i); j >= 0; j--) {
      const skipped = reach[i]![j + 1]!;
      const rest = reach[i + 1]![j + 1]!;
      const taken =
        rest >= 0 && isWeaker(before[i]!, after[j]!, grounds) === null
          ? rest + (isSame(before[i]!, after[j]!) ? 1 : 0)
          : -1;
      reach[i]![j] = Math.max(skipped, taken);
    }
  if (reach[0]![0]! < 0) return null;
  const places: number[] = [];
  let j = 0;
  for (let i = 0; i < rows; i++) {
    for (; ; j++) {
      const rest = reach[i + 1]![j + 1]!;
      const fits = rest >= 0 && isWeaker(before[i]!, after[j]!, grounds) === null;
      if (fits && rest + (isSame(before[i]!, after[j]!) ? 1 : 0) === reach[i]![j]!) break;
    }
    places.push(j);
    j += 1;
  }
  return places;
}

const isSame = (a: CompiledStep, b: CompiledStep): boolean =>
  Bun.deepEquals([a.action, a.within_ms], [b.action, b.within_ms]);

/** Names the first step that lost its counterpart. */
function whyUnpaired(
  before: readonly CompiledStep[],
  after: readonly CompiledStep[],
  grounds: Grounds,
): Refusal {
  const at = before.findIndex(
    (step, index) => !after[index] || isWeaker(step, after[index]!, grounds) !== null,
  );
  const step = before[at] ?? before.at(-1)!;
  const now = after[at];
  const why = now ? isWeaker(step, now, grounds) : null;
  const isExpectation = step.action.verb === "expect";
  if (why === "it waits longer")
    return {
      rule: "wait",
      message: `The patch widens the wait of step ${step.index}, "${step.source}": it may not wait longer than before.`,
    };
  if (before.length > after.length || why === null)
    return {
      rule: isExpectation ? "expectation" : "step",
      message: `The patch removes or moves step ${step.index}, "${step.source}": every step stays, in its order.`,
    };
  return {
    rule: isExpectation ? "expectation" : "step",
    message: `The patch weakens step ${step.index}: "${step.source}" would be "${now!.source}", and ${why}.`,
  };
}

/** The file without its own steps' lines, and without blank lines, which a new step may bring. */
function outsideOfSteps(text: string, scenario: CompiledScenario): string {
  const own = new Set(scenario.steps.filter(({ from }) => from === null).map(({ at }) => at.line));
  return (
    text
      .split(/\r\n|\n|\r/)
      .filter((line, at) => !own.has(at + 1) && line.trim() !== "")
      // The number before `use` counts the steps above it.
      .map((line) => line.replace(/^( {0,3})\d{1,9}(?=[.)][ \t]+use[ \t])/, "$1"))
      .join("\n")
  );
}
