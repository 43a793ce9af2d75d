import { otherDay } from "../../detectors/environment/other-day.ts";
import { isDayOf } from "../../detectors/environment/shown-moments.ts";
import { wantedOf } from "../../page/hidden-from-role.ts";
import { isMissing } from "../../run/missing-element.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DATE } from "../../values/clock-texts.ts";
import { EPOCH } from "../../values/dates.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const HOUR_MS = 3_600_000;
/** How far the zones of the world are from UTC. */
const ZONES = Array.from({ length: 25 }, (_, at) => (at - 11) * HOUR_MS);

/** An element of a day that the page has under the day beside it, as its zone makes of a moment that an answer gives. */
export function detectDayByZone(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  const { name } = wantedOf(evidence);
  if (!isMissing(evidence) || run.page === null || seq === null || name === null || !DATE.test(name))
    return [];
  const said = otherDay(name, run.page.elements);
  if (said === null) return [];
  const shown = run.page.elements.flatMap(({ own, isHidden }) => (!isHidden && DATE.test(own) ? [own] : []));
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ value }) => typeof value === "number" && isMovedDay(value, name, shown),
    );
    if (!leaf) continue;
    return [
      {
        kind: "time",
        title: `Another day, by the time zone of the run: ${said}; ${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 20)} for ${quoted(leaf.path, 60)}, ${momentOf(Number(leaf.value))} UTC, which is the wanted day in some zones and the day beside it in others`,
        detail: null,
        step_id: failed.step?.step_id ?? null,
        events: [seq, one.seq],
        ts: failed.to,
        is_new: null,
        weight: 0.9,
        otherTime: "day",
      },
    ];
  }
  return [];
}

/** Whether a moment begins the wanted day in some zone, and in UTC or another one is of a day that the page shows in its place. */
function isMovedDay(value: number, wanted: string, shown: readonly string[]): boolean {
  // A day begins at a whole hour, as far as most zones go.
  if (value < EPOCH[0] || value > EPOCH[1] || value % HOUR_MS !== 0) return false;
  const begins = ZONES.find((apart) => isMidnight(value + apart));
  if (begins === undefined || !isDayOf(new Date(value + begins), wanted)) return false;
  const beside = new Date(value + begins - HOUR_MS);
  return shown.some((text) => isDayOf(beside, text));
}

const isMidnight = (moment: number): boolean => new Date(moment).getUTCHours() === 0;

const momentOf = (moment: number): string => new Date(moment).toISOString().slice(0, 16).replace("T", " ");
