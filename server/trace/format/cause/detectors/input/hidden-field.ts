import type { SeenElement } from "../../page/page-view.ts";
import { FIELD, nameOf } from "../../page/written.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { changedCode } from "../../run/select.ts";
import { type HidingRule, hidingRule } from "../../style/hiding-rule.ts";
import { windowOf } from "../../style/media.ts";
import { rulesOf } from "../../style/rules.ts";
import type { Act, Evidence, RunEvidence } from "../../types.ts";
import { bodyOf } from "../../words.ts";
import { hidingWords } from "../elements/styled.ts";

const MOST_SHEETS = 10;

/** What hides a field: a rule of a style sheet that changed, and that hid nothing of it in the last pass. */
export interface HiddenField {
  words: string;
  /** Sequence number of the answer that brought the style sheet. */
  seq: number;
}

/** The rule of a changed style sheet that hides the field which an action was to type into; null where none does. */
export function hiddenField({ run, passes: [pass] }: Evidence, act: Act, name: string): HiddenField | null {
  const { elements } = act.left ?? act.met;
  const [field, ...others] = elements.filter((one) => FIELD.test(one.tag) && nameOf(one) === name);
  if (!pass || !field || others.length > 0) return null;
  const changed = changedCode(run.facts, pass.facts);
  for (const [at, sheet] of changed.run.entries()) {
    if (at >= MOST_SHEETS || sheet.type !== "stylesheet" || sheet.ts > act.step.ts) continue;
    const hiding = hidingIn(sheet, run, elements, field);
    if (hiding && !hidingIn(changed.pass[at]!, pass, elements, field))
      return { words: hidingWords(withWindow(run), field, hiding), seq: sheet.seq };
  }
  return null;
}

function hidingIn(
  one: Exchange,
  run: RunEvidence,
  elements: readonly SeenElement[],
  field: SeenElement,
): HidingRule | null {
  const text = bodyOf(one, run.bodies);
  if (text === undefined) return null;
  const sheet = { text, url: one.url, seq: one.seq, media: [] };
  return hidingRule(elements, field, rulesOf([sheet], withWindow(run).window ?? null), "unseen");
}

const withWindow = (run: RunEvidence): RunEvidence => ({
  ...run,
  window: windowOf(run.environment.viewport),
});
