import { oneLine } from "../../../error-text.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { askedFor, mayRead } from "../../exchanges/sent.ts";
import { thingsOf } from "../../exchanges/things.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, isBare } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, SeenPage } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { steadyFieldOf } from "../../values/list-order.ts";
import { bareOf, quoted, quotedStep, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { MOVES_ON } from "../requests/same-question.ts";
import { holds } from "../requests/sought.ts";
import { lastActOf, listLookedAt, placesOn } from "./listed.ts";

const MOST = 40;
const FEWEST = 3;
const SHORTEST = 3;
export const WAY = /^(?:asc|desc)(?:ending)?$/i;
export const FIRST = /\.first\(\)|\.nth\([01]\)|nth=[01]\b|:first-child/;

/** A list whose things stand the other way round than the test wants them: its own order, its first thing as the last, or what the next page should have on the one before. */
export function detectOtherOrder(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  if (!run.page) return [];
  const turned =
    failed.received === null ? onPageBefore(evidence) : (turnedOf(evidence) ?? lastFirstOf(evidence));
  if (!turned) return [];
  const { words, first } = turned;
  const one = answersBefore(evidence, MOST, (read) => mayRead(read, run) && !isBeside(read)).findLast(
    (read) => hasFirst(read, first, evidence),
  );
  const way = one && wayOf(one, evidence);
  const title = one
    ? `${requestOf(one, run.facts)} answered with ${way ?? "a list in another order than the test wants"}: ${words}`
    : `The page lists things in another order than the test wants: ${words}`;
  return [
    one
      ? answerFinding(evidence, one, title, 0.86)
      : {
          kind: "page_changed",
          title,
          detail: null,
          step_id: failed.step?.step_id ?? null,
          events: [run.page.shot.seq],
          ts: run.page.shot.ts,
          is_new: null,
          weight: 0.8,
          about: "order of list",
        },
  ];
}

interface Turned {
  words: string;
  /** What stands first. */
  first: string;
}

/** The very texts that the test wants, in reverse. */
function turnedOf({ failed }: Evidence): Turned | null {
  const [wanted, met] = [failed.expected, failed.received].map((text) => textsOf(text ?? ""));
  if (!wanted || !met || met.length < FEWEST || wanted.length !== met.length) return null;
  return met.toReversed().every((text, at) => text === wanted[at]) && new Set(met).size === met.length
    ? {
        words: `it begins with ${quoted(met[0]!, 60)} and ends with ${quoted(met.at(-1)!, 60)}, the very reverse of what the test wants`,
        first: met[0]!,
      }
    : null;
}

/** The texts of a list, as assertions print it. */
export function textsOf(text: string): string[] | null {
  const all = jsonOf(text.replace(/^Array /, "").replace(/,\s*\]$/, "]"));
  return Array.isArray(all) && all.every((one) => typeof one === "string") ? all.map(oneLine) : null;
}

/** The first of several things, where what the test wants of it stands in the last one alone. */
function lastFirstOf(evidence: Evidence): Turned | null {
  const { failed, run } = evidence;
  const want = bareOf(failed.expected ?? "");
  if (want.length < SHORTEST || !FIRST.test(targetOf(evidence))) return null;
  const items = listLookedAt(evidence, run.page!.elements) ?? [];
  const [first, last] = [items[0], items.at(-1)];
  if (items.length < FEWEST || !holds(last!, want) || items.slice(0, -1).some((item) => holds(item, want)))
    return null;
  return {
    words: `the first thing is ${quoted(first!, 60)}, and what the test wants there (${quoted(want, 40)}) stands last of ${items.length}`,
    first: first!,
  };
}

/** What is looked for on the next page of a list, and stood on the page before. */
function onPageBefore(evidence: Evidence): Turned | null {
  const act = lastActOf(evidence);
  const target = targetOf(evidence);
  if (!act || !isMissing(evidence) || !MOVES_ON.test(act.action.title) || isBare(target)) return null;
  const [found] = foundWithin(target, act.met.elements);
  const before =
    found && placesOn(act.met.elements).find((items) => items.some((item) => isIn(item, found, act.met)));
  const now =
    before &&
    placesOn(evidence.run.page!.elements).find(
      ([one]) => one!.depth === before[0]!.depth && one!.tag === before[0]!.tag,
    );
  const first = now && oneLine(now[0]!.text);
  if (!before || !first || before.length < FEWEST) return null;
  const at = before.findIndex((item) => isIn(item, found!, act.met)) + 1;
  return {
    words: `${quoted(oneLine(found!.name), 60)} stood on the page before ${quotedStep(act.action)}, as number ${at} of ${before.length}, and this one begins with ${quoted(first, 60)}`,
    first,
  };
}

const isIn = (item: SeenElement, one: SeenElement, { elements }: SeenPage): boolean =>
  item === one || aroundOf(elements, one).includes(item);

/** Whether the first thing of an answer's list is what stands first. */
function hasFirst(one: Exchange, first: string, { run }: Evidence): boolean {
  const things = thingsOf(one, run.bodies);
  return (
    things.length >= FEWEST &&
    leavesOf(things[0]).some(
      ({ value }) =>
        typeof value === "string" && value.length >= SHORTEST && (value === first || first.startsWith(value)),
    )
  );
}

/** In which order an answer has its things: by the field and the way that were asked for, or as they stand. */
function wayOf(one: Exchange, { run }: Evidence): string | null {
  const asked = askedFor(one, run).find(([, value]) => WAY.test(value));
  const steady = steadyFieldOf(thingsOf(one, run.bodies));
  if (!steady) return null;
  const way = steady.isDescending ? "descending" : "ascending";
  return `its list in ${way} order of ${quoted(steady.field, 40)} (${quoted(String(steady.from), 30)} to ${quoted(String(steady.to), 30)}${asked ? `, as asked for with ${quoted(asked.join("="), 40)}` : ""})`;
}
