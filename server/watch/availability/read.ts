import { restsOf } from "../../../store/records/check-rests.ts";
import type { CheckRow } from "../../../store/records/checks.ts";
import type { Db } from "../../../store/records/db.ts";
import { foldOf, hoursOf, resultsBehind } from "../../../store/records/result-hours.ts";
import { aroundOf } from "./around.ts";
import { addSums, fromRow, HOUR_MS, hourOf, noSums, type Sums, toHours } from "./hours.ts";
import { joined, lengthOf, outside, type Span, type Spoken, spokenBy, within } from "./spans.ts";

const DAY_MS = 24 * HOUR_MS;
/** Results of a series that are not in its hours yet, and are read one by one: three days of one every minute. */
const MOST_LOOSE = 5000;

/** What a check's region came to in a part of the window; `rest` is how long the check rested. */
export interface Part extends Span {
  sums: Sums;
  rest: number;
}

/** What is known of a check's regions within a window. */
export interface Known {
  from: number;
  to: number;
  regions: { region: string; parts: Part[] }[];
  /** False where more results wait for their hours than are read. */
  isWhole: boolean;
}

/**
 * Reads what the results of a check's regions came to, in parts of so many hours: a row for each hour, and the few results that are in
 * none yet. What lies before the check was made is no part of the window.
 */
export async function readWindow(
  db: Db,
  check: CheckRow,
  { days, partHours, now }: { days: number; partHours: number; now: number },
): Promise<Known> {
  const end = hourOf(now) + HOUR_MS;
  const begins = end - days * DAY_MS;
  const from = Math.min(now, Math.max(begins, check.created_at));
  const rests = joined(
    (await restsOf(db, [check.id], from)).map(({ from_at, until_at }) => ({
      from: from_at,
      to: until_at ?? now,
    })),
  );
  const spans: Span[] = [];
  for (let at = begins; at < now; at += partHours * HOUR_MS) {
    const span = { from: Math.max(at, from), to: Math.min(at + partHours * HOUR_MS, now) };
    if (span.to > span.from) spans.push(span);
  }
  let isWhole = true;
  const regions: Known["regions"] = [];
  for (const region of JSON.parse(check.regions) as string[]) {
    const { hours, isAll } = await readHours(db, check, region, { from, to: now });
    isWhole &&= isAll;
    const parts = spans.map((span) => ({ ...span, sums: noSums(), rest: lengthOf(within(rests, span)) }));
    const placeOf = (at: number) => Math.floor((at - begins) / (partHours * HOUR_MS));
    for (const [hour, sums] of hours) {
      const part = parts[placeOf(Math.max(hour, from)) - placeOf(from)];
      if (part) addSums(part.sums, sums);
    }
    regions.push({ region, parts });
  }
  return { from, to: now, regions, isWhole };
}

async function readHours(db: Db, check: CheckRow, region: string, { from, to }: Span) {
  const series = { scenario_id: check.scenario_id, region, org_id: check.org_id };
  const fold = await foldOf(db, series);
  const hours = new Map((await hoursOf(db, series, hourOf(from))).map((row) => [row.hour, fromRow(row)]));
  const loose = await resultsBehind(db, series, { after: fold, until: to, limit: MOST_LOOSE });
  const before = fold ?? loose[0];
  if (!before) return { hours, isAll: true };
  const isAll = loose.length < MOST_LOOSE;
  const around = await aroundOf(db, series, { from: before.at, to });
  const until = isAll ? to : loose.at(-1)!.at;
  for (const [hour, sums] of toHours(fold, loose, around, until)) {
    if (hour < hourOf(from)) continue;
    const known = hours.get(hour);
    if (known) addSums(known, sums);
    else hours.set(hour, sums);
  }
  return { hours, isAll };
}

/** How long a check's regions were up and down since a time, to the moment; maintenance is neither. */
export async function readRecent(
  db: Db,
  check: CheckRow,
  { from, to }: Span,
): Promise<(since: number) => { up: number; down: number }> {
  const parts: Spoken[] = [];
  for (const region of JSON.parse(check.regions) as string[]) {
    const series = { scenario_id: check.scenario_id, region, org_id: check.org_id };
    const around = await aroundOf(db, series, { from: from - 2 * HOUR_MS, to });
    const after = { at: from - around.holdMs, run_id: "" };
    const results = await resultsBehind(db, series, { after, until: to, limit: MOST_LOOSE });
    const quiet = joined(around.maintenance);
    parts.push(...spokenBy(results, { ...around, until: to }).flatMap((spoken) => outside(spoken, quiet)));
  }
  return (since) => {
    const meant = within(parts, { from: since, to });
    const lengthIn = (state: Spoken["state"]) => lengthOf(meant.filter((part) => part.state === state));
    return { up: lengthIn("up"), down: lengthIn("down") };
  };
}
