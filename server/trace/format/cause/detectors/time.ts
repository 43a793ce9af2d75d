import { oneLine } from "../../error-text.ts";
import type { Evidence, Finding } from "../types.ts";
import { quoted } from "../words.ts";
import { languageOf } from "./storage.ts";

const DATE =
  /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\b(?:\d{1,2}\.? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc)[a-zäéûô]*\.?,? ?(?:\d{1,2}(?:st|nd|rd|th)?)?(?:,? \d{4})?\b|\b(?:today|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;
const CLOCK = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?/i;
const AMOUNT = /\d{1,3}(?:[.,' \u00a0\u202f]\d{3})*[.,]\d{1,2}\b|[$€£¥]\s?\d|\d\s?[$€£¥]/;

/** A date, a time or a number that differs as zone, clock or locale make it differ. */
export function detectTime(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const { expected, received } = failed;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const base: Omit<Finding, "title" | "weight"> = {
    kind: "time",
    detail: failed.message,
    step_id: failed.step?.step_id ?? null,
    events: [seq],
    ts: failed.to,
    is_new: passes.length === 0 ? null : true,
  };
  const [mine, theirs] = [
    languageOf(run.facts),
    passes.map(({ facts }) => languageOf(facts)).find((one) => one !== null) ?? null,
  ];
  if (mine !== null && theirs !== null && mine !== theirs && expected !== null)
    return [
      {
        ...base,
        title: `The browser asked for ${quoted(mine, 40)}, in the last pass for ${quoted(theirs, 40)}`,
        weight: 0.9,
      },
    ];
  if (expected === null || received === null) return [];
  const [want, got] = [oneLine(expected), oneLine(received)];
  if (want === got) return [];
  const said = `the test expected ${quoted(want, 80)} and the page showed ${quoted(got, 80)}`;
  const digits = (text: string) => text.replace(/\D/g, "");
  const sorted = (text: string) => [...digits(text)].sort().join("");
  const hasDates = DATE.test(want) && DATE.test(got);
  const hasClocks = CLOCK.test(want) && CLOCK.test(got);
  if (
    digits(want).length >= 3 &&
    sorted(want) === sorted(got) &&
    (hasDates || hasClocks || (AMOUNT.test(want) && AMOUNT.test(got)))
  )
    return [
      {
        ...base,
        title: `Another locale: the same ${hasDates ? "date" : hasClocks ? "time" : "amount"} in another form, for ${said}`,
        weight: 0.88,
      },
    ];
  if (hasDates && rest(want, DATE) === rest(got, DATE))
    return [
      {
        ...base,
        title: `Another day, by the clock or the time zone of the run: ${said}`,
        weight: 0.85,
      },
    ];
  if (hasClocks && rest(want, CLOCK) === rest(got, CLOCK))
    return [
      {
        ...base,
        title: `Another time, by the clock or the time zone of the run: ${said}`,
        weight: 0.85,
      },
    ];
  return [];
}

/** What is around the dates. */
const rest = (text: string, pattern: RegExp) =>
  text
    .replace(new RegExp(pattern.source, "gi"), "<time>")
    .replace(new RegExp(CLOCK.source, "gi"), "<time>")
    .replace(/[\s"']+/g, " ")
    .trim();
