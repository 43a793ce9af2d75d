import { writtenIn } from "../../page/field-values.ts";
import { targetOf } from "../../page/target.ts";
import { LACKS } from "../../plausibility/words.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, NOTHING, quoted } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/** What an answer without a value, or an error of the page, tells comes before it. */
const WEIGHT = 0.72;

/** A page that shows what scripts write where they have no value, and the passes a value in its place. */
export function detectShownNoValue(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const shown = NOTHING.exec(got)?.[0];
  const { page } = run;
  if (passes.length === 0 || shown === undefined || NOTHING.test(want) || LACKS.test(got) || !page) return [];
  // What a test reads in vain elsewhere goes by the same words.
  if (!page.elements.some((one) => !one.isHidden && (writtenIn(one) ?? one.own).includes(shown))) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "page_changed",
      title: `${targetOf(evidence)} shows ${quoted(got, 80)}, which is ${MEANINGS[shown] ?? "no value at all"}, where the last pass has ${quoted(want, 80)}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [
        ...(failed.step ? [failed.step.seq] : []),
        page.shot.seq,
        ...(script === null ? [] : [script.seq]),
      ],
      ts: failed.to,
      is_new: true,
      weight: WEIGHT,
      about: `no value ${got}`,
    },
  ];
}

/** What each of them says of what the script did. */
const MEANINGS: Record<string, string> = {
  NaN: "no number: the script calculates with something that is none",
  "Invalid Date": "no date: the script reads something as a date that is none",
  "[object Object]": "a whole object written as a text",
};
