import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DAY_MS, dayIn, EPOCH } from "../../values/dates.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { listsIn } from "../../values/lists.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const FEWEST = 3;
const MOST_NAMES = 40;

/** A list that came the other way round: the page shows the date of its first thing, where the test wants that of its last. */
export function detectReversed(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? "")) as [
    string,
    string,
  ];
  const [wanted, met] = [saidDay(want), saidDay(got)];
  // Within a day the zone decides.
  if (wanted === null || met === null || Math.abs(wanted - met) < 2) return [];
  const [near, far] = [datesNear(met), datesNear(wanted)];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const body = bodyOf(one, run.bodies) ?? "";
    if (![near, far].every((dates) => dates.some((date) => body.includes(date)))) continue;
    for (const { path, items } of listsIn(jsonOf(body))) {
      const name = orderedBy(items, met, wanted);
      if (name === null) continue;
      return [
        {
          ...answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} answered ${path === "" ? "its list" : quoted(path, 60)} in ${met < wanted ? "ascending" : "descending"} order of ${quoted(name, 40)}: the page shows what comes first, ${quoted(onlyDate(got), 60)}; the test wants what comes last, ${quoted(onlyDate(want), 60)}`,
            0.92,
          ),
          isReversed: true,
        },
      ];
    }
  }
  return [];
}

/** A date in figures, whose year comes last. */
const IN_FIGURES = /(\d{1,2})([./-])(\d{1,2})\2(\d{4})/;

/** The day that a text says, also one in figures of which only one can be a month. */
function saidDay(text: string): number | null {
  const [, one, , other, year] = IN_FIGURES.exec(text) ?? [];
  if (year === undefined) return dayIn(text);
  const [first, second] = [Number(one), Number(other)];
  if (Math.min(first, second) > 12 || Math.max(first, second) <= 12) return null;
  return Date.UTC(Number(year), Math.min(first, second) - 1, Math.max(first, second)) / DAY_MS;
}

const LONG = 40;

/** Of a long text with a date in figures, that alone. */
const onlyDate = (text: string): string => (text.length > LONG ? (IN_FIGURES.exec(text)?.[0] ?? text) : text);

/** How a day, or one beside it, begins as answers write it: as a date, and as milliseconds since 1970. */
const datesNear = (day: number): string[] => [
  ...[day - 1, day, day + 1].map((one) => new Date(one * DAY_MS).toISOString().slice(0, 10)),
  ...[day - 1, day, day + 1, day + 2].map((one) => String(one * DAY_MS).slice(0, FIGURES_OF_DAY)),
];

/** So many of the thirteen figures of a moment are the same for more than a day. */
const FIGURES_OF_DAY = 5;

/** The name of the dates that a list is in order by, from one day to another. */
function orderedBy(items: readonly unknown[], first: number, last: number): string | null {
  const things = items.filter(isRecord);
  if (things.length < FEWEST || things.length < items.length) return null;
  const isNear = (day: number | null | undefined, other: number) => day != null && Math.abs(day - other) <= 1;
  return (
    Object.keys(things[0]!)
      .slice(0, MOST_NAMES)
      .find((name) => {
        const [begin, end] = [things[0]![name], things.at(-1)![name]];
        if (!isNear(dayOf(begin), first) || !isNear(dayOf(end), last)) return false;
        const moments = things.map((thing) => momentOf(thing[name]));
        return moments.every(
          (moment, at) =>
            at === 0 || (first < last ? moment >= moments[at - 1]! : moment <= moments[at - 1]!),
        );
      }) ?? null
  );
}

const momentOf = (value: unknown): number => (typeof value === "number" ? value : Date.parse(String(value)));

const dayOf = (value: unknown): number | null =>
  typeof value === "number" && value >= EPOCH[0] && value <= EPOCH[1]
    ? Math.floor(value / DAY_MS)
    : typeof value === "string" && /^\d{4}-/.test(value)
      ? dayIn(value)
      : null;
