import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { judgeScenario } from "../../../../server/gate/guardrails/scenario.ts";
import { compileScenario } from "../../../../server/run/language/compile.ts";

setDefaultTimeout(60_000);

/** A step as its parts, so that edits of it are known to weaken it, or not to. */
interface Step {
  verb: "click" | "expect text" | "expect visible button" | "expect url" | "expect title";
  words: string[];
  amount: number | null;
  within: number | null;
  scope: "main" | "navigation" | null;
}

const NOUNS = "amber basil cedar delta ember flint grove hazel ivory jasper".split(" ");
const word = fc.constantFrom(...NOUNS);
const anyStep: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom("click", "expect text", "expect visible button", "expect url", "expect title"),
  words: fc.uniqueArray(word, { minLength: 3, maxLength: 6 }),
  amount: fc.option(fc.integer({ min: 1, max: 999 })),
  within: fc.option(fc.integer({ min: 1000, max: 4000 })),
  scope: fc.option(fc.constantFrom("main" as const, "navigation" as const)),
});
const anySteps = fc.array(anyStep, { minLength: 2, maxLength: 8 });

function write({ verb, words, amount, within, scope }: Step): string {
  const text = [...words, ...(amount === null ? [] : [String(amount)])];
  const wait = within === null ? "" : ` within ${within}ms`;
  if (verb === "expect url") return `expect url "/${text.join("/")}"${wait}`;
  if (verb === "expect title") return `expect title "${text.join(" ")}"${wait}`;
  const place = scope === null ? "" : ` in ${scope}`;
  return `${verb}${verb === "click" ? " button" : ""} "${text.join(" ")}"${place}${wait}`;
}

const isExpected = ({ verb }: Step): boolean => verb !== "click";

type Weakening = (step: Step, pick: number) => Step | null;

/** What each may do to a step; null where it has no such thing. */
const WEAKENINGS: Record<string, Weakening> = {
  "fewer words": (step, pick) =>
    isExpected(step)
      ? { ...step, words: step.words.filter((_, at) => at !== pick % step.words.length) }
      : null,
  "a part of the text": (step, pick) =>
    isExpected(step) ? { ...step, words: step.words.slice(0, 1 + (pick % (step.words.length - 1))) } : null,
  "the same words without their number": (step) =>
    isExpected(step) && step.amount !== null ? { ...step, amount: null } : null,
  "another number": (step, pick) =>
    step.verb !== "expect url" && step.amount !== null
      ? { ...step, amount: (step.amount + 1 + (pick % 500)) % 1000 || 1000 }
      : null,
  "a longer wait": (step, pick) => ({ ...step, within: (step.within ?? 5000) + 1 + (pick % 60_000) }),
  "more places": (step) =>
    step.scope !== null && /visible|text/.test(step.verb) ? { ...step, scope: null } : null,
  "another kind of expectation": (step) =>
    step.verb === "expect title" || step.verb === "expect url"
      ? { ...step, verb: "expect text", scope: null }
      : null,
  "an act for an expectation": (step) => (isExpected(step) ? { ...step, verb: "click" } : null),
  "a word that says how it ended": (step) =>
    step.verb === "expect text" ? { ...step, words: [...step.words, "failed"] } : null,
};

/** A button by another name, which no guardrail minds. */
const renamed = (step: Step): Step =>
  step.verb === "click" ? { ...step, words: step.words.map((one) => `${one}ish`) } : step;

const fileOf = (steps: readonly string[]) =>
  `---\nslug: any\ntitle: Any\n---\n1. go to "/"\n${steps.map((step, at) => `${at + 2}. ${step}`).join("\n")}\n${steps.length + 2}. expect text "the very end of it"\n`;

function refusals(before: string, after: string): string[] {
  const compile = (text: string) => compileScenario({ name: "any.scenario.md", text }, () => null).scenario;
  const [old, now] = [compile(before), compile(after)];
  if (!old) throw new Error(before);
  return now
    ? judgeScenario(old, now, { before, after }, { isBorneOut: false }).refusals.map(({ message }) => message)
    : ["none"];
}

test("renaming what is clicked alone is let through, so that what follows is refused for its own sake", () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const few = steps.slice(0, 5);
      expect(refusals(fileOf(few.map(write)), fileOf(few.map(renamed).map(write)))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

for (const [name, weaken] of Object.entries(WEAKENINGS))
  test(`${name} in any step, among any steps and changes, is refused`, () => {
    fc.assert(
      fc.property(anySteps, fc.nat(), fc.nat(10_000), fc.boolean(), (steps, where, pick, isAlone) => {
        const at = where % steps.length;
        const weaker = weaken(steps[at]!, pick);
        fc.pre(weaker !== null);
        const changed = steps.map((step, index) => (index === at ? weaker! : isAlone ? step : renamed(step)));
        // What became another step of the same scenario is judged by the next test.
        fc.pre(!steps.some((step, index) => index !== at && write(step) === write(weaker!)));
        expect(refusals(fileOf(steps.map(write)), fileOf(changed.map(write)))).not.toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

test("whatever steps are dropped, moved or put in the place of others, no expectation gets lost", () => {
  fc.assert(
    fc.property(anySteps, fc.array(fc.nat(20), { minLength: 1, maxLength: 8 }), (steps, order) => {
      const written = steps.map(write);
      const taken = order.map((at) => written[at % written.length]!);
      const kept = refusals(fileOf(written), fileOf(taken)).length === 0;
      // Then each expectation of before stands there still, in its order.
      if (!kept) return;
      let from = 0;
      for (const [at, step] of steps.entries()) {
        if (!isExpected(step)) continue;
        const found = taken.indexOf(written[at]!, from);
        expect(found).toBeGreaterThanOrEqual(0);
        from = found + 1;
      }
    }),
    { numRuns: 300 },
  );
});
