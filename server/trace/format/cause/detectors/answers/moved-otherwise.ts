import { answerFinding } from "../../exchanges/answer-finding.ts";
import type { ServedElement } from "../../exchanges/served-elements.ts";
import { placeOf } from "../../exchanges/served-place.ts";
import { cellPlaceIn } from "../../page/cell-place.ts";
import { targetOf } from "../../page/target.ts";
import { partsOf, wantedBy } from "../../page/wanted.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { takenBetween } from "./served-before.ts";
import { elementsOf } from "./served-element.ts";
import { namedBy } from "./served-value.ts";

const MOST_PAGES = 6;
/** Amounts are told to their hundredths. */
const LEEWAY = 0.005;

/**
 * A figure of a served page that a write changes by as much in every pass, and by another amount here, or not at all: what figure it is
 * may be another one in each run.
 */
export function detectMovedOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const locator = passes.length === 0 || failed.received === null ? null : locatorIn(evidence);
  if (locator === null) return [];
  for (const one of answersBefore(evidence, MOST_PAGES, isPage).toReversed()) {
    const visits = visitsOf(run, one, run);
    const write = takenBetween(run, visits[visits.indexOf(one) - 1], one);
    const mine = write && figuresAt(evidence, run, one, locator);
    if (!mine || !isSameFigure(mine.after.text, failed.received!)) continue;
    const theirs = passes.map((pass) => usualAt(evidence, pass, one, locator));
    const [usual] = theirs;
    if (!usual || theirs.some((each) => each === null || !isNear(each.by, usual.by))) return [];
    if (isNear(mine.by, usual.by) || isNear(usual.by, 0)) return [];
    // A figure that is the same in all passes is told by itself.
    if (namedBy(locator) !== null && theirs.every((each) => each!.after.text === usual.after.text)) return [];
    return [findingOf(evidence, one, { write, mine, usual })];
  }
  return [];
}

const isPage = ({ method, type, status, mediaType }: Exchange): boolean =>
  method === "GET" && type !== "api" && status === 200 && /html/.test(mediaType);

/** What the test looks at, or read last before it compared two values. */
function locatorIn(evidence: Evidence): string | null {
  const { run, failed } = evidence;
  const target = targetOf(evidence);
  if (/^(?:page\.)?(?:getBy|locator\()/.test(target)) return target;
  const read = run.facts.steps.findLast(({ name, ts }) => READS.test(name) && ts <= failed.from);
  const title = read?.title ?? "";
  const at = title.search(/\b(?:locator|getBy[A-Za-z]{2,20})\(/);
  return at < 0 ? null : title.slice(at, title.lastIndexOf(")") + 1) || null;
}

const READS = /(?:^|\.)(?:textContent|innerText|inputValue)$/;

interface Moved {
  before: ServedElement;
  after: ServedElement;
  by: number;
  label: string;
}

/** The figure that an element has on a page, and what it had at the visit before. */
function figuresAt(evidence: Evidence, its: RunEvidence, one: Exchange, locator: string): Moved | null {
  const visits = visitsOf(its, one, evidence.run);
  return movedBetween(evidence, its, visits[visits.indexOf(one) - 1], one, locator);
}

function usualAt(evidence: Evidence, pass: RunEvidence, one: Exchange, locator: string): Moved | null {
  const nth = visitsOf(evidence.run, one, evidence.run).indexOf(one);
  const [before, after] = [nth - 1, nth].map((at) => visitsOf(pass, one, evidence.run)[at]);
  return movedBetween(evidence, pass, before, after, locator);
}

const visitsOf = ({ facts }: RunEvidence, one: Exchange, run: RunEvidence): Exchange[] =>
  exchangesOf(facts, exchangeKey(one, run.facts)).filter(isPage);

function movedBetween(
  evidence: Evidence,
  its: RunEvidence,
  earlier: Exchange | undefined,
  later: Exchange | undefined,
  locator: string,
): Moved | null {
  const [before, after] = [earlier, later].map((page) => {
    const elements = page ? elementsOf(evidence, bodyOf(page, its.bodies) ?? "") : [];
    const element = elementAt(elements, locator);
    return element && { element, elements };
  });
  const [then, now] = [before, after].map((each) => amountOf(each?.element.text));
  if (!before || !after || then == null || now == null) return null;
  return {
    before: before.element,
    after: after.element,
    by: now - then,
    label: labelOf(after.element, after.elements, locator),
  };
}

/** The one element that a locator names by an id of its own, or as a cell of a row by its place. */
function elementAt(elements: readonly ServedElement[], locator: string): ServedElement | null {
  const named = namedBy(locator);
  const found = named === null ? cellsAt(elements, locator) : elements.filter(named.isIt);
  return found.length === 1 ? found[0]! : null;
}

function cellsAt(elements: readonly ServedElement[], locator: string): ServedElement[] {
  const place = cellPlaceIn(locator);
  const row = wantedBy(partsOf(locator).at(-2) ?? "");
  if (place === null || row.role !== "row" || row.name === null) return [];
  const rows = elements.filter(({ tag, text }) => tag === "tr" && text.includes(row.name!));
  if (rows.length !== 1) return [];
  return elements.filter(({ tag, around }) => tag === "td" && around === rows[0]).slice(place, place + 1);
}

function labelOf(element: ServedElement, elements: readonly ServedElement[], locator: string): string {
  const named = namedBy(locator);
  if (named !== null) {
    const place = placeOf(element, elements);
    return place === null ? named.words : quoted(place.label, 60);
  }
  const cells = elements.filter(({ around }) => around === element.around);
  const table = elements.slice(0, elements.indexOf(element)).findLast(({ tag }) => tag === "table");
  const heads = elements.filter((one) => one.tag === "th" && isWithin(one, table));
  const head = heads.length === cells.length ? heads[cells.indexOf(element)]!.text : "";
  const row = quoted(wantedBy(partsOf(locator).at(-2)!).name!, 60);
  return head === "" ? `the row ${row}` : `${quoted(head, 40)} of ${row}`;
}

function isWithin(one: ServedElement, table: ServedElement | undefined): boolean {
  for (let each = one.around; each; each = each.around) if (each === table) return true;
  return false;
}

const amountOf = (text: string | undefined): number | null => {
  const figure = figureOf(text ?? "");
  return figure && Number(figure.text);
};

const isNear = (one: number, other: number): boolean => Math.abs(one - other) < LEEWAY;

/** Whether a text has the figure that the test met; a test may count in hundredths. */
const isSameFigure = (text: string, received: string): boolean =>
  text.replace(/\D/g, "") === bareOf(received).replace(/\D/g, "");

function findingOf(
  evidence: Evidence,
  one: Exchange,
  { write, mine, usual }: { write: Exchange; mine: Moved; usual: Moved },
): Finding {
  const { facts } = evidence.run;
  const wrote = `${requestOf(write, facts)}, which was answered with ${write.status}`;
  const by = (change: number) => `${Number(Math.abs(change).toFixed(2))} ${change < 0 ? "less" : "more"}`;
  const had = quoted(mine.before.text, 40);
  const title = isNear(mine.by, 0)
    ? `${requestOf(one, facts)} came with ${had} for ${mine.label}, still as before ${wrote}: it did not change, where it came to be ${by(usual.by)} in the last pass`
    : `${requestOf(one, facts)} came with ${quoted(mine.after.text, 40)} for ${mine.label}, after ${had} before ${wrote}: ${by(mine.by)}, where it came to be ${by(usual.by)} in the last pass`;
  return {
    ...answerFinding(evidence, one, title, 0.92),
    events: [one.seq, write.seq],
    isRead: true,
    isServed: true,
  };
}
