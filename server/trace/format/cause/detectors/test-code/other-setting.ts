import type { RunFacts, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quotedStep } from "../../words.ts";

/** Calls by which a test sets up its browser: the clock, the place, the window, what is sent along. */
const SETS =
  /(?:^|\.)(?:clock\w*|setFixedTime|setSystemTime|setGeolocation|grantPermissions|clearPermissions|emulateMedia|setViewportSize|setOffline|setExtraHTTPHeaders|addCookies|clearCookies)$/i;

/** A call of the test that set up its browser otherwise than in every pass. */
export function detectOtherSetting({ run, passes, failed }: Evidence): Finding[] {
  if (passes.length === 0) return [];
  const mine = settingsIn(run.facts);
  const theirs = passes.map(({ facts }) => settingsIn(facts));
  for (const [key, { step, value }] of mine) {
    if (step.ts > failed.to) continue;
    const [before, ...others] = theirs.map((settings) => settings.get(key));
    // What differs between passes differs always.
    if (!before || before.value === value || others.some((other) => other?.value !== before.value)) continue;
    return [
      {
        kind: "test_code",
        title: `The test set up its browser otherwise: ${quotedStep(step)}, in the last pass ${quotedStep(before.step)}`,
        detail: step.title === before.step.title ? `${before.value} → ${value}` : null,
        step_id: step.step_id,
        events: [step.seq],
        ts: step.end,
        is_new: true,
        // One pass does not tell whether a value is made for each run.
        weight: passes.length > 1 ? 0.94 : 0.6,
        isGivenOtherwise: true,
      },
    ];
  }
  return [];
}

/** What each such call was given, by its name and how often it had been made before. */
function settingsIn({ steps, normaliser }: RunFacts): Map<string, { step: Step; value: string }> {
  const settings = new Map<string, { step: Step; value: string }>();
  const times = new Map<string, number>();
  for (const step of steps) {
    if (step.kind !== "agent.action" || step.isFailed || !SETS.test(step.name)) continue;
    const nth = (times.get(step.name) ?? 0) + 1;
    times.set(step.name, nth);
    // Moments are what a clock is set to: nothing of them is left out.
    const given = /clock|time/i.test(step.name) ? step.params : normaliser.json(step.params);
    settings.set(`${step.name} ${nth}`, { step, value: `${step.title} ${JSON.stringify(given)}` });
  }
  return settings;
}
