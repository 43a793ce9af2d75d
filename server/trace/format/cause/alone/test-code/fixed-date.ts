import { requestText } from "../../exchanges/sent.ts";
import { answersBefore } from "../../run/select.ts";
import { statementAt } from "../../test-code/statements.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DATE } from "../../values/clock-texts.ts";
import { DAY_MS, dayIn, dayOf } from "../../values/dates.ts";
import { bareOf, bodyOf, quoted } from "../../words.ts";

const DATES = new RegExp(DATE.source, "gi");
const MOST_DATES = 2;

/** A date that the test has written out and that has passed, where the page shows the day of the run, or a span that this is in. */
export function detectFixedDate(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const { step, from } = failed;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "").match(DATES) ?? []);
  if (!step || want!.length === 0 || want!.length > MOST_DATES || want!.length !== got!.length) return [];
  // By its own clock a page shows another day on purpose.
  if (run.facts.steps.some(({ name, ts }) => /(?:^|\.)clock/i.test(name) && ts <= from)) return [];
  const frame = step.stack.find(({ file }) => run.sources?.has(file));
  const written = frame && statementAt(run.sources!.get(frame.file)!.split("\n"), frame.line)?.text;
  if (!written || !want!.every((date) => written.includes(date))) return [];
  if (want!.some((date) => isOfRun(date, evidence))) return [];
  const today = from / DAY_MS;
  const isPast = daysOf(want!.at(-1)!).some((day) => day + 2 <= today);
  const isToday = daysOf(got![0]!).some((first) =>
    daysOf(got!.at(-1)!).some(
      (last) => first <= today + HALF_DAY && last + 1 >= today - HALF_DAY && last - first < LONGEST_SPAN,
    ),
  );
  if (!isPast || !isToday) return [];
  const [expected, shown] = [want!, got!].map((dates) => quoted(dates.join(" – "), 60));
  return [
    {
      kind: "test_code",
      title: `The test expects the fixed date ${expected}, written out in its code, and that has passed: the page shows ${shown}, the ${want!.length === 1 ? "day" : "current dates at the time"} of this run`,
      detail: null,
      step_id: step.step_id,
      events: [step.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.93,
    },
  ];
}

const MOST_ANSWERS = 60;

/** Whether a date is of a thing of this run: the test gave it to the page, or an answer has it. */
function isOfRun(date: string, evidence: Evidence): boolean {
  const { run, failed } = evidence;
  const forms = [date, ...daysOf(date).flatMap((day) => dayOf(day * DAY_MS) ?? [])];
  const has = (text: string) => forms.some((form) => text.includes(form));
  return (
    run.facts.steps.some(
      ({ params, kind, ts }) => kind === "agent.action" && ts <= failed.from && has(JSON.stringify(params)),
    ) ||
    answersBefore(evidence, MOST_ANSWERS).some(
      (one) => has(bodyOf(one, run.bodies) ?? "") || has(requestText(one, run.bodies)),
    )
  );
}

/** No zone is further from another one, in days. */
const HALF_DAY = 14 / 24;
const LONGEST_SPAN = 32;

/** The days that a date may be, since 1970: of one in figures it is not known which is the month. */
function daysOf(date: string): number[] {
  const [, one, other, year] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(date) ?? [];
  if (one === undefined) return [dayIn(date)].filter((day) => day !== null);
  return [
    [one, other],
    [other, one],
  ].flatMap(([day, month]) =>
    Number(month) <= 12 && Number(day) <= 31
      ? [Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS]
      : [],
  );
}
