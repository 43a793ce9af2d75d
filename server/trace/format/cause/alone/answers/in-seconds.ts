import { closestElement } from "../../detectors/elements/missing.ts";
import { isDayOf } from "../../detectors/environment/shown-moments.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isMissing } from "../../run/missing-element.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { DATE } from "../../values/clock-texts.ts";
import { DAY_MS } from "../../values/dates.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
/** From 2001 to 2096, in seconds. */
const SECONDS = [1_000_000_000, 4_000_000_000] as const;

/** A moment that an answer gives in seconds, and that the page takes for milliseconds: it shows a day of January or February 1970. */
export function detectInSeconds(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const texts = textsOf(evidence);
  if (texts === null || !DATE.test(texts.want) || !DATE.test(texts.got)) return [];
  for (const one of answersBefore(evidence, MOST).toReversed()) {
    const leaf = leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).find(
      ({ value }) =>
        typeof value === "number" &&
        value >= SECONDS[0] &&
        value <= SECONDS[1] &&
        isNearDay(value, texts.got) &&
        !isNearDay(value * 1_000, texts.got),
    );
    if (!leaf) continue;
    return [
      {
        ...answerFinding(
          evidence,
          one,
          `${requestOf(one, run.facts)} answered ${quoted(String(leaf.value), 20)} for ${quoted(leaf.path, 60)}: a moment in seconds, which the page takes for milliseconds and shows as a day in ${yearOf(Number(leaf.value))}: ${quoted(texts.got, 60)}, where the test wants ${quoted(texts.want, 60)}`,
          0.93,
        ),
        isOfTime: true,
      },
    ];
  }
  return [];
}

const yearOf = (moment: number): number => new Date(moment).getUTCFullYear();

/** What was wanted and what stands in its place. */
function textsOf(evidence: Evidence): { want: string; got: string } | null {
  const { expected, received } = evidence.failed;
  if (isMissing(evidence)) {
    const closest = closestElement(evidence);
    return closest && { want: closest.wanted, got: closest.element.own || closest.element.name };
  }
  return expected === null || received === null ? null : { want: bareOf(expected), got: bareOf(received) };
}

/** Whether a text says the day of a moment, in whatever zone. */
const isNearDay = (moment: number, text: string): boolean =>
  [-DAY_MS / 2, 0, DAY_MS / 2].some((apart) => isDayOf(new Date(moment + apart), text));
