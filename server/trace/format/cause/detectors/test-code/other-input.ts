import type { Happening, RunFacts, Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { aboutDialog } from "../page/happenings.ts";

/** What was typed, picked, opened or answered otherwise than in every pass: the test's own data are others. */
export function detectOtherInput(evidence: Evidence): Finding[] {
  const unanswered = unansweredDialog(evidence);
  return evidence.passes.length === 0
    ? unanswered
    : [...otherValue(evidence), ...otherAnswer(evidence), ...unanswered];
}

const ANSWERS = /(?:^|\.)dialog\.(accept|dismiss)$/i;

/** A dialog that the test did not answer as in every pass. */
function otherAnswer({ run, passes, failed }: Evidence): Finding[] {
  const answersIn = ({ steps }: RunFacts) => steps.filter(({ name }) => ANSWERS.test(name));
  const theirs = passes.map(({ facts }) => answersIn(facts));
  for (const [nth, step] of answersIn(run.facts).entries()) {
    if (step.ts > failed.to) break;
    const before = theirs.map((steps) => steps[nth]?.name);
    if (before[0] === undefined || before.some((name) => name !== before[0]) || before[0] === step.name)
      continue;
    const dialog = run.facts.happenings.findLast(({ what, ts }) => what === "dialog" && ts <= step.ts);
    const message =
      typeof dialog?.fields.message === "string" ? ` ${quoted(dialog.fields.message, 120)}` : "";
    const isDismissed = /dismiss$/i.test(step.name);
    return [
      {
        kind: "test_code",
        title: `The test ${isDismissed ? "dismissed" : "accepted"} the dialog${message}, which it ${isDismissed ? "accepted" : "dismissed"} in the last pass`,
        detail: null,
        step_id: step.step_id,
        events: [...(dialog ? [dialog.seq] : []), step.seq],
        ts: step.end,
        is_new: true,
        weight: 0.93,
        isGivenOtherwise: true,
      },
    ];
  }
  return [];
}

/** A question that the test left to Playwright, which dismisses what nobody handles; where passes answer it, or were not asked. */
function unansweredDialog({ run, passes, failed }: Evidence): Finding[] {
  const theirs = passes.map(({ facts }) => questionsIn(facts));
  for (const [nth, { dialog, answer }] of questionsIn(run.facts).entries()) {
    if (dialog.ts > failed.to) break;
    const usual = theirs.flatMap((questions) => questions[nth] ?? []);
    if (answer !== null || usual.some((question) => question.answer === null)) continue;
    const message = typeof dialog.fields.message === "string" ? quoted(dialog.fields.message, 120) : "";
    const before = usual[0]?.answer
      ? `, which it ${/dismiss$/i.test(usual[0].answer.name) ? "dismissed" : "accepted"} in the last pass`
      : passes.length > 0
        ? ", and no pass was asked"
        : "";
    return [
      {
        kind: "dialog",
        title: `The page asked ${message}${passes.length === 0 ? ` in a native ${String(dialog.fields.type)} dialog` : ""} and Playwright dismissed it: the test had no handler for the dialog${before}`,
        detail: "Playwright dismisses what no handler of page.on('dialog') answers.",
        step_id: dialog.step_id,
        events: [dialog.seq],
        ts: dialog.ts,
        is_new: passes.length === 0 ? null : true,
        weight: passes.length === 0 ? 0.9 : 0.93,
        about: aboutDialog(dialog),
      },
    ];
  }
  return [];
}

/** Questions of a page to the person, each with the step that answered it. */
function questionsIn({ happenings, steps }: RunFacts): { dialog: Happening; answer: Step | null }[] {
  const asked = happenings.filter(
    ({ what, fields }) => what === "dialog" && /^(?:confirm|prompt)$/.test(String(fields.type)),
  );
  const answers = new Set(steps.filter(({ name }) => ANSWERS.test(name)));
  return asked.map((dialog, at) => {
    const until = asked[at + 1]?.ts ?? Number.POSITIVE_INFINITY;
    const answer = [...answers].find(({ ts }) => ts >= dialog.ts - CLOCKS_APART_MS && ts < until) ?? null;
    // A second question may come before the clocks tell which of the two was answered.
    if (answer) answers.delete(answer);
    return { dialog, answer };
  });
}

/** What the runner and the browser say of one moment. */
const CLOCKS_APART_MS = 50;

/** A field that was given another value than in every pass. */
function otherValue({ run, passes, failed }: Evidence): Finding[] {
  const theirs = passes.map(({ facts }) => inputsOf(facts));
  const mine = inputsOf(run.facts, failed.from);
  const inputs = [...mine];
  const isOther = ([key, { value }]: (typeof inputs)[number]): boolean => {
    const before = theirs.map((given) => given.get(key)?.value);
    // What differs between passes differs always.
    return before[0] !== undefined && before[0] !== value && before.every((one) => one === before[0]);
  };
  const at = inputs.findLastIndex(isOther);
  if (at < 0) return [];
  // Whose secret it is says more than that it is another one.
  const [owner, last] = [inputs[at - 1], inputs[at]!];
  const other = SECRET.test(last[0]) && owner && isOther(owner) ? owner : last;
  const [key, { step, value }] = other;
  const before = theirs[0]!.get(key)!.value;
  const isHidden = SECRET.test(key);
  return [
    {
      kind: "test_code",
      title: `The test gave ${placeOf(step)} ${otherThan(before, value, isHidden)}`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq],
      ts: step.end,
      is_new: true,
      // One pass does not tell whether a value is made for each run.
      weight: passes.length > 1 ? 0.8 : 0.55,
      isGivenOtherwise: true,
      ...(value === "" && { isGivenNothing: true }),
      ...(!isHidden && { said: value }),
    },
  ];
}

/** What was given, beside what was given before: of a secret no more than whether there was one. */
function otherThan(before: string, value: string, isHidden: boolean): string {
  if (value !== "" && isHidden) return "another value than in the last pass";
  const said = (text: string) => (text === "" ? "an empty text" : isHidden ? "something" : quoted(text, 60));
  return `${said(value)}, where it gave ${said(before)} in the last pass`;
}

const TYPES = /(?:^|\.)(?:fill|type|pressSequentially|insertText|selectOption|press)$/;
/** What is told of by its place alone. */
const SECRET = /pass|secret|token|pin|otp|card|cvc|iban/i;

const placeOf = ({ params, title }: Step) =>
  /(?:locator|getBy\w+)\(.*\)$/.exec(title)?.[0] ??
  (typeof params.selector === "string" ? quoted(params.selector, 80) : "the page");

/** What each field was given, by the field and how often it had been given something before. */
function inputsOf(
  { steps, normaliser }: RunFacts,
  until = Number.POSITIVE_INFINITY,
): Map<string, { step: Step; value: string }> {
  const inputs = new Map<string, { step: Step; value: string }>();
  const times = new Map<string, number>();
  for (const step of steps) {
    if (step.kind !== "agent.action" || step.isFailed || step.ts > until || !TYPES.test(step.name)) continue;
    const given = [step.params.value, step.params.text, step.params.key].find(
      (one) => typeof one === "string",
    );
    if (typeof given !== "string") continue;
    const field = `${step.name} ${typeof step.params.selector === "string" ? step.params.selector : ""}`;
    const nth = (times.get(field) ?? 0) + 1;
    times.set(field, nth);
    inputs.set(`${field} ${nth}`, { step, value: normaliser.text(given) });
  }
  return inputs;
}
