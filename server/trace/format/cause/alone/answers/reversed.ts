import { answerFinding } from "../../answer-finding.ts";
import { isRecord } from "../../differences.ts";
import { jsonOf } from "../../json-leaves.ts";
import { answersBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { DAY_MS, dayIn } from "./days.ts";
import { listsIn } from "./left-out.ts";

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
  const [wanted, met] = [dayIn(want), dayIn(got)];
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
            `${requestOf(one, run.facts)} answered ${path === "" ? "its list" : quoted(path, 60)} in ${met < wanted ? "ascending" : "descending"} order of ${quoted(name, 40)}: the page shows what comes first, ${quoted(got, 60)}; the test wants what comes last, ${quoted(want, 60)}`,
            0.92,
          ),
          isReversed: true,
        },
      ];
    }
  }
  return [];
}

/** A day as answers write it, with those before and after it. */
const datesNear = (day: number): string[] =>
  [day - 1, day, day + 1].map((one) => new Date(one * DAY_MS).toISOString().slice(0, 10));

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
        const moments = things.map((thing) => Date.parse(String(thing[name])));
        return moments.every(
          (moment, at) =>
            at === 0 || (first < last ? moment >= moments[at - 1]! : moment <= moments[at - 1]!),
        );
      }) ?? null
  );
}

const dayOf = (value: unknown): number | null =>
  typeof value === "string" && /^\d{4}-/.test(value) ? dayIn(value) : null;
