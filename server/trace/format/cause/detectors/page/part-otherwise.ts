import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, told, wantedOn } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence } from "../../types.ts";
import { quoted } from "../../words.ts";
import { saidToScripts } from "./drawn-by.ts";

const MOST_NAMED = 2;
const MOST_INSIDE = 200;
/** What parts a page, and what lies in it can be told by. */
const PARTS = /^(?:section|form|article|main|dialog|fieldset|aside|nav|table|body)$/;

/** A part of the page that has something else in it than in each pass. */
export interface PartOtherwise {
  /** As a clause: `the section “Team” has …`. */
  words: string;
  /** Whether it stood so before the last action. */
  isAsBefore: boolean;
}

/** What the page has in the place of the element that the step looks for in vain; null where a pass has it not either, or all around it is another page. */
export function partOtherwise(evidence: Evidence): PartOtherwise | null {
  const { run, passes } = evidence;
  const { page } = run;
  const [usual, ...others] = passes.map((pass) => pass.page?.elements);
  const sought = usual && soughtIn(evidence, usual);
  if (!page || !usual || !sought || others.some((one) => !one)) return null;
  const key = keyBy(evidence);
  const always = others.map((elements) => new Set(elements!.map(key)));
  const isAlways = (one: SeenElement) => always.every((keys) => keys.has(key(one)));
  for (const around of aroundOf(usual, sought).filter(({ tag }) => PARTS.test(tag))) {
    const here = page.elements.find((one) => !one.isHidden && isSamePart(page.elements, one, usual, around));
    if (!here) continue;
    const [mine, theirs] = [insideOf(page.elements, here), insideOf(usual, around)].map((inside) =>
      inside.filter(({ isHidden }) => !isHidden).slice(0, MOST_INSIDE),
    ) as [SeenElement[], SeenElement[]];
    const gone = outermost(theirs, unlike(theirs, mine, key).filter(isAlways));
    const known = passes.flatMap((pass) => pass.page!.elements);
    const come = outermost(mine, unlike(mine, known, key));
    if (gone.length === 0) return null;
    if ((come.length > 0 ? come : gone).some((one) => saidToScripts(evidence, oneLine(one.own || one.name))))
      return null;
    const where = around.tag === "main" || around.tag === "body" ? "it" : partAsSaid(usual, around);
    return {
      words: `${where} has ${come.length === 0 ? "no longer" : `${namesOf(come)} where the last pass has`} ${namesOf(gone)}`,
      isAsBefore: come.length > 0 && stoodThere(evidence, come, gone, key),
    };
  }
  return null;
}

const soughtIn = (evidence: Evidence, elements: readonly SeenElement[]): SeenElement | undefined =>
  foundWithin(targetOf(evidence), elements)[0] ?? wantedOn(evidence, elements)[0];

type Key = (element: SeenElement) => string;

/** What tells an element from others, whatever ids and times are in its text. */
const keyBy =
  ({ run: { facts } }: Evidence): Key =>
  ({ tag, role, name, own }) =>
    `${tag} ${role} ${facts.normaliser.text(oneLine(role === "" ? own : name || own))}`;

/** What says or offers something, and is not among the others. */
function unlike(some: readonly SeenElement[], others: readonly SeenElement[], key: Key): SeenElement[] {
  const known = new Set(others.map(key));
  return some.filter((one) => isTelling(one) && !known.has(key(one)));
}

const isTelling = ({ role, own, name }: SeenElement): boolean =>
  role === "" ? own.length > 2 : role !== "listitem" && role !== "row" && (name !== "" || own !== "");

/** Of elements within each other the outer ones. */
function outermost(elements: readonly SeenElement[], some: readonly SeenElement[]): SeenElement[] {
  const within = new Set(some.flatMap((one) => insideOf(elements, one)));
  return some.filter((one) => !within.has(one));
}

/** Whether two elements are the same part of a page: of one kind in one place, under one name or heading. */
const isSamePart = (
  mine: readonly SeenElement[],
  one: SeenElement,
  theirs: readonly SeenElement[],
  other: SeenElement,
): boolean =>
  one.tag === other.tag &&
  one.depth === other.depth &&
  (one.tag === "main" || one.tag === "body" || calledOf(mine, one) === calledOf(theirs, other));

/** The name or the heading of a part. */
function calledOf(elements: readonly SeenElement[], part: SeenElement): string {
  const heading = insideOf(elements, part).find(({ role }) => role === "heading");
  return oneLine(heading?.name || part.attributes["aria-label"] || part.attributes.id || "");
}

function partAsSaid(elements: readonly SeenElement[], part: SeenElement): string {
  const called = calledOf(elements, part);
  return `the ${part.role || part.tag}${called === "" ? "" : ` ${quoted(called, 50)}`}`;
}

function namesOf(elements: readonly SeenElement[]): string {
  const more = elements.length - MOST_NAMED;
  const words = elements
    .slice(0, MOST_NAMED)
    .map((one) =>
      one.role === "" ? `the text ${quoted(one.text, 80)}` : told({ ...one, name: one.name || one.own }),
    );
  return `${words.join(" and ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Whether the last action met the page with all that has come, and without what is gone. */
function stoodThere(
  { run: { before } }: Evidence,
  come: readonly SeenElement[],
  gone: readonly SeenElement[],
  key: Key,
): boolean {
  const stood = new Set(before?.elements.filter(({ isHidden }) => !isHidden).map(key));
  return come.every((one) => stood.has(key(one))) && !gone.some((one) => stood.has(key(one)));
}
