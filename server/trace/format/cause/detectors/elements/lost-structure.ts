import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { elementsOf, partsOf, wantedBy } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";
import { tagOf } from "./tag.ts";

/** Roles by which a page gives its data a structure, which the same data may have without them. */
const OF_STRUCTURE =
  /^(?:table|grid|treegrid|rowgroup|row|cell|gridcell|columnheader|rowheader|list|listitem)$/;
/** Roles of boxes that come and go: one text that stands elsewhere now says less of them. */
const OF_BOX = /^(?:dialog|alertdialog|region|group|form|article|toolbar|menu|listbox|tabpanel)$/;
const MOST_SCOPES = 10;
const MOST_TEXTS = 60;
/** Shorter texts stand anywhere. */
const SHORTEST = 3;

/** The part of a locator that goes by a role of structure which the page has nowhere now, though what stood in it in the last pass stands there in other markup. */
export function lostStructure(
  evidence: Evidence,
  pass: RunEvidence,
): { target: string; lost: string } | null {
  const [mine, theirs] = [evidence.run.page?.elements ?? [], pass.page?.elements ?? []];
  const parts = partsOf(targetOf(evidence));
  const at = parts.findIndex((part) => {
    const { role } = wantedBy(part);
    return (
      role !== null &&
      (OF_STRUCTURE.test(role) || OF_BOX.test(role)) &&
      !mine.some((one) => isShown(one) && one.role === role)
    );
  });
  const target = parts[at];
  if (target === undefined) return null;
  const scopes = elementsOf(target, theirs).slice(0, MOST_SCOPES);
  const inside = new Set(scopes.flatMap((scope) => [scope, ...insideOf(theirs, scope)]));
  const outside = new Set(theirs.filter((one) => isShown(one) && !inside.has(one)).map(ownOf));
  const known = new Set(
    [...inside]
      .filter(isShown)
      .map(ownOf)
      .filter((text) => text.length >= SHORTEST),
  );
  const texts = [...parts.slice(at).flatMap(textsIn), ...[...known].slice(0, MOST_TEXTS)];
  const moved = texts.flatMap((text) => {
    if (!known.has(text) || outside.has(text)) return [];
    const now = mine.find((one) => isShown(one) && ownOf(one) === text);
    return now ? [{ text, now }] : [];
  });
  const [first] = moved;
  const { role } = wantedBy(target);
  if (!first || (OF_BOX.test(role!) && new Set(moved.map(({ text }) => text)).size < FEWEST_IN_BOX))
    return null;
  return {
    target,
    lost: `the page has no ${role} any more, and ${quoted(first.text, 60)}, which stood in one in the last pass, stands in ${markupOf(first.now, mine)} now`,
  };
}

const FEWEST_IN_BOX = 2;

const isShown = ({ isHidden }: SeenElement): boolean => !isHidden;

const ownOf = ({ own }: SeenElement): string => oneLine(own);

/** The texts that a part of a locator names. */
const textsIn = (part: string): string[] =>
  [/hasText: ?['"]([^'"]+)['"]/.exec(part)?.[1], wantedBy(part).name].filter(
    (text) => text !== undefined && text !== null,
  );

/** The markup that a text stands in: where its own element has no class, with that of the box around it. */
function markupOf(element: SeenElement, elements: readonly SeenElement[]): string {
  const box = element.attributes.class
    ? undefined
    : aroundOf(elements, element).find(({ attributes, tag }) => attributes.class && tag !== "body");
  return box ? `${tagOf(element)} in ${tagOf(box)}` : tagOf(element);
}
