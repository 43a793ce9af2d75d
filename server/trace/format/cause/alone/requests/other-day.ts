import { fillsBefore } from "../../page/filled.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DAY_MS, dayIn } from "../../values/dates.ts";
import { quoted, quotedStep } from "../../words.ts";
import { lastWrite, sentAnew } from "./last-write.ts";
import { textOf } from "./unsaid.ts";

const MOST_DAYS = 20;
const DAY = /^\d{4}-\d\d-\d\d$/;

interface Day {
  text: string;
  day: number;
}

/** Days that were filled in, each of which the write that followed was sent with as the day before or after it: a zone came between. */
export function detectOtherDay(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const last = lastWrite(evidence);
  if (!last) return [];
  const given = fillsBefore(run.facts, last.action).flatMap((step) =>
    daysOf(textOf(step)).map((day) => ({ ...day, step })),
  );
  const sent = last.leaves
    .flatMap(({ path, value }) => daysOf(value).map((day) => ({ ...day, path })))
    .slice(0, MOST_DAYS);
  const first = given.at(-1);
  if (!first || given.some(({ day }) => sent.some((one) => one.day === day))) return [];
  const isSentAs = (ahead: number) => given.every(({ day }) => sent.some((one) => one.day === day + ahead));
  const ahead = [-1, 1].find(isSentAs);
  if (ahead === undefined || !isMet(failed, given, sent)) return [];
  const other = sent.find(({ day }) => day === first.day + ahead)!;
  const how = `${quoted(other.text)} for ${quoted(other.path, 60)}, the day ${ahead < 0 ? "before" : "after"} ${quoted(first.text)}, which ${quotedStep(first.step)} had filled in: a date that goes through another time zone (as by toISOString) becomes the day beside it`;
  return [{ ...sentAnew(last, run, first.step, how), weight: 0.94, isOfTime: true }];
}

const daysOf = (value: unknown): Day[] =>
  typeof value === "string" && DAY.test(value) ? [{ text: value, day: Date.parse(value) / DAY_MS }] : [];

/** Whether the test wants a day that it gave, or met one that was sent. */
function isMet(
  { expected, received, title }: Evidence["failed"],
  given: readonly Day[],
  sent: readonly Day[],
): boolean {
  const says = (text: string | null, days: readonly Day[]) => {
    const said = dayIn(text ?? "");
    return said !== null && days.some(({ day }) => day === said);
  };
  return says(expected, given) || says(title, given) || says(received, sent);
}
