import { answerFinding } from "../../exchanges/answer-finding.ts";
import { pickedBy } from "../../page/field-values.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { wantedOn } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { DAY_MS } from "../../values/dates.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";

const MOST_ANSWERS = 60;
/** What two lists have in common by chance is less. */
const FEWEST = 2;

/** An option that the step picks and that every pass offers, where the answer that the list of options is made of has it no longer. */
export function detectMissingOption(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const [picked, ...more] = failed.step === null ? [] : pickedBy(failed.step);
  const now = optionsIn(evidence, run);
  if (picked === undefined || more.length > 0 || now.length === 0 || passes.length === 0) return [];
  const isIt = (option: SeenElement) => option.own === picked || option.attributes.value === picked;
  const usual = passes.map((pass) => optionsIn(evidence, pass).find(isIt));
  const wanted = usual[0];
  if (now.some(isIt) || !wanted || usual.includes(undefined)) return [];
  const offered = new Set(now.flatMap(wordsOf));
  // What the page leaves out of a list by itself, no answer took away.
  const isWhole = (list: readonly string[]) =>
    list.length >= FEWEST && list.every((value) => offered.has(value));
  for (const one of answersBefore(evidence, MOST_ANSWERS).toReversed()) {
    const lists = [...listsIn(one, run)];
    if (lists.some(([, list]) => hasOption(list, wanted))) continue;
    for (const [place, mine] of lists) {
      const theirs = isWhole(mine) ? listOfPass(evidence, one, place, wanted) : null;
      if (theirs === null) continue;
      return [
        {
          ...answerFinding(
            evidence,
            one,
            `${requestOf(one, run.facts)} answered without ${quoted(picked, 60)}, so that ${targetOf(evidence)} does not offer it as in the last pass${apartIn(quoted(place.replaceAll(".*", ""), 60), mine, theirs)}`,
            0.95,
          ),
          isOther: "count",
        },
      ];
    }
  }
  return [];
}

/** In what else two lists differ, as a clause; empty where nothing says it. */
function apartIn(name: string, mine: readonly string[], theirs: readonly string[]): string {
  const shift = shiftBetween(mine, theirs);
  if (shift !== null) return `: all of ${name} is ${shift} than in the last pass, as by another time zone`;
  if (mine.length !== theirs.length)
    return `: it has ${mine.length} items for ${name} instead of ${theirs.length}`;
  const [come, ...more] = mine.filter((value) => !theirs.includes(value));
  return come === undefined || more.length > 0 ? "" : `: it has ${quoted(come, 60)} in its place`;
}

/** What can be picked in the list that the step goes to. */
function optionsIn(evidence: Evidence, { page }: RunEvidence): SeenElement[] {
  const elements = page?.elements ?? [];
  const list = wantedOn(evidence, elements).find(({ tag }) => tag === "select");
  return list ? insideOf(elements, list).filter(({ tag }) => tag === "option") : [];
}

const wordsOf = ({ own, attributes }: SeenElement): string[] =>
  [attributes.value, own].filter((text) => text !== undefined && text !== "") as string[];

/** The values of an answer that stand at one place of the items of a list, by that place: `slots.*.start`. */
function listsIn(one: Exchange, { bodies }: RunEvidence): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const { path, value } of leavesOf(jsonOf(bodyOf(one, bodies) ?? ""))) {
    const place = path.replace(/(?<=^|\.)\d+(?=\.|$)/, "*");
    if (place === path) continue;
    const list = lists.get(place);
    if (list) list.push(String(value));
    else lists.set(place, [String(value)]);
  }
  return lists;
}

/** The same list of the newest pass, where it has the wanted option; null where it has not. */
function listOfPass(
  { run, passes }: Evidence,
  one: Exchange,
  place: string,
  wanted: SeenElement,
): string[] | null {
  const pass = passes[0]!;
  const lists = exchangesOf(pass.facts, exchangeKey(one, run.facts))
    .slice(-MOST_ANSWERS)
    .map((other) => listsIn(other, pass).get(place) ?? []);
  return lists.findLast((list) => hasOption(list, wanted)) ?? null;
}

const hasOption = (list: readonly string[], option: SeenElement): boolean => {
  const words = wordsOf(option);
  return list.some((value) => words.includes(value));
};

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const HOUR_MS = 3_600_000;

/** By how much each moment of a list is another hour of its day than in the other list; null where they differ otherwise. */
function shiftBetween(mine: readonly string[], theirs: readonly string[]): string | null {
  if (mine.length !== theirs.length || ![...mine, ...theirs].every((value) => MOMENT.test(value)))
    return null;
  const spans = mine.map((value, at) => Date.parse(value) - Date.parse(theirs[at]!));
  const ofDay = spans.map((span) => (((span % DAY_MS) + 1.5 * DAY_MS) % DAY_MS) - DAY_MS / 2);
  const hours = ofDay[0]! / HOUR_MS;
  if (!Number.isInteger(hours * 4) || hours === 0 || ofDay.some((span) => span !== ofDay[0])) return null;
  return `${Math.abs(hours)} h ${hours > 0 ? "later" : "earlier"}`;
}
