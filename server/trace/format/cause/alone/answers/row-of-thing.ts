import { counted } from "../../../words.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { isRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import { isSameText } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { leavesOf } from "../../values/json-leaves.ts";
import { bareOf, isForeign, quoted, requestOf } from "../../words.ts";
import { holds } from "../requests/sought.ts";

const MOST = 40;
const SHORTEST = 3;
/** So many of its values that an element shows say which thing it stands for. */
const FEWEST_SHOWN = 2;
/** A step that takes one of many by its place wants to know what comes there. */
const BY_PLACE = /\.(?:first|last|nth)\(/;
const NAME = /^\p{L}[\p{L} '-]{2,60}$/u;

/**
 * What an answer says of the thing that an element shows, where the test wants a name in it that the page leaves out though the
 * answer has it, or that none of the things has.
 */
export function detectRowOfThing(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [bareOf(failed.expected ?? ""), bareOf(failed.received ?? "")];
  if (!NAME.test(want) || got === "" || holds(got, want)) return [];
  const reads = answersBefore(
    evidence,
    MOST,
    (one) => isRead(one, run) && /^(?:xhr|fetch)$/.test(one.type ?? "") && !isForeign(one.url, run.facts),
  );
  for (const one of reads.toReversed()) {
    const things = thingsOf(one, run.bodies);
    const thing = things.find((of) => shownOf(of, got).length >= FEWEST_SHOWN);
    if (!thing) continue;
    const shown = shownOf(thing, got)
      .slice(0, FEWEST_SHOWN)
      .map((text) => quoted(text, 40));
    const field = leavesOf(thing).find(({ value }) => typeof value === "string" && isSameText(value, want));
    const isNowhere = BY_PLACE.test(targetOf(evidence)) && !holds(JSON.stringify(things), want);
    const how = field
      ? `answered ${quoted(String(field.value), 60)} for ${quoted(field.path, 60)} of a thing of which the page shows ${shown.join(" and ")}: it leaves that out, or knows it by another name`
      : isNowhere
        ? `answered with ${counted(things.length, "item")}, none of which has ${quoted(want, 60)}; what the page shows in its place is one of them (${shown.join(", ")})`
        : null;
    return how === null
      ? []
      : [answerFinding(evidence, one, `${requestOf(one, run.facts)} ${how}`, field ? 0.84 : 0.82)];
  }
  return [];
}

/** The texts of a thing that an element shows. */
const shownOf = (thing: Record<string, unknown>, text: string): string[] =>
  leavesOf(thing).flatMap(({ value }) =>
    typeof value === "string" && value.length >= SHORTEST && text.includes(value) ? [value] : [],
  );
