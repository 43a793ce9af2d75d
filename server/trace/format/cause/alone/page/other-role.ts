import { oneLine } from "../../../error-text.ts";
import { foldedAway } from "../../detectors/elements/folded.ts";
import { wantedOf } from "../../page/hidden-from-role.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { scopeOf } from "../../page/scope.ts";
import { targetOf } from "../../page/target.ts";
import {
  elementsOf,
  foundWithin,
  lostScope,
  partsOf,
  told,
  type Wanted,
  wantedBy,
} from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

/** What a person works a page by: one of these may stand for another. */
const WORKED = new Set(
  "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem".split(" "),
);
/** What is said to be so by its role alone, and looks the same without. */
const TOLD = new Set(["heading", "alert", "status", "listitem", "row", "cell", "gridcell"]);
/** More of one name are a list, of which none is the one. */
const MOST = 3;

/** An element that stands where it is looked for under the very name, and by another role, or none. */
export function detectOtherRole(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (!run.page || seq === null || !(isMissing(evidence) || failed.received === "0")) return [];
  const { elements } = run.page;
  const found =
    otherItself(evidence, elements) ?? otherAround(evidence, elements) ?? otherSaid(evidence, elements);
  if (found === null) return [];
  return [
    {
      kind: "element_renamed",
      title: `${targetOf(evidence)} was not found: ${found}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.9,
      hasLostRole: true,
    },
  ];
}

/** The one element that goes by the wanted name within all that it is looked for in. */
function otherItself(evidence: Evidence, elements: readonly SeenElement[]): string | null {
  const target = targetOf(evidence);
  const { role, name } = wantedOf(evidence);
  if (role === null || name === null || lostScope(target, elements) !== null) return null;
  const holders = holdersOf(target, elements);
  const isOther = (one: SeenElement) =>
    !one.isHidden &&
    isNamed(one, name) &&
    isInsteadOf(role, one) &&
    holders.every((all) => aroundOf(elements, one).some((outer) => all.includes(outer)));
  const found = foundWithin(target, elements);
  // What a closed part holds nobody finds by its role.
  if (found.length > 0 && foldedAway(evidence, found) === null) return null;
  const [other, ...others] = elements.filter(isOther);
  return other && others.length < MOST && others.every((one) => one.role === other.role)
    ? `${told(other)} stands there, which is no ${role}${other.role === "" ? " by its role" : ""}`
    : null;
}

/** Shorter texts stand in many places. */
const SHORTEST = 6;

/** The one place that has the very text which the test wants something of that role to say, and has not the role. */
function otherSaid({ failed }: Evidence, elements: readonly SeenElement[]): string | null {
  const target = targetOf({ failed });
  // What it is looked for in is not there: what says the same elsewhere is another thing.
  if (lostScope(target, elements) !== null) return null;
  const scope = scopeOf(target, elements);
  const { role, name } = wantedOf({ failed });
  const text = oneLine(bareOf(failed.expected ?? ""));
  if (role === null || name !== null || !TOLD.has(role) || text.length < SHORTEST) return null;
  const [one, ...others] = elements.filter(
    (element) => !element.isHidden && oneLine(element.own) === text && (scope?.has(element) ?? true),
  );
  if (!one || others.length > 0) return null;
  const around = aroundOf(elements, one);
  if ([one, ...around].some((outer) => outer.role === role)) return null;
  const box = around.find((outer) => oneLine(outer.text) === text) ?? one;
  const classes = box.attributes.class === undefined ? "" : ` class=${quoted(box.attributes.class, 60)}`;
  return `${quoted(text, 60)} stands there in <${box.tag}${classes}>, which is no ${role}`;
}

/** What each part of a locator finds around its last one. */
const holdersOf = (target: string, elements: readonly SeenElement[]): SeenElement[][] =>
  partsOf(target)
    .slice(0, -1)
    .map((part) => elementsOf(part, elements));

function isInsteadOf(wanted: string, element: SeenElement): boolean {
  const { role, own } = element;
  if (WORKED.has(wanted)) return role === "" ? isWorkedBare(element) : role !== wanted && WORKED.has(role);
  return TOLD.has(wanted) && role === "" && own !== "";
}

/** Whether an element without a role looks or works like one that has: what only says the same words is none. */
const isWorkedBare = ({ tag, own, attributes }: SeenElement): boolean =>
  own !== "" &&
  (tag === "div" || tag === "span" || tag === "a") &&
  (attributes.tabindex !== undefined ||
    attributes.onclick !== undefined ||
    /(?:^|[\s_-])(?:btn|button)(?:$|[\s_-])/i.test(attributes.class ?? ""));

/** Frameworks put a text together of pieces. */
const isNamed = ({ name, own, role }: SeenElement, wanted: string): boolean =>
  bare(role === "" ? own : name) === bare(wanted);

const bare = (text: string): string => text.replace(/\s+/g, "").toLowerCase();

/** What the element is looked for in has no role any more, and is called so by its class all the same. */
function otherAround(evidence: Evidence, elements: readonly SeenElement[]): string | null {
  const target = targetOf(evidence);
  const scope = lostScope(target, elements);
  const around = scope === null ? null : wantedBy(scope);
  if (scope === null || around?.role == null) return null;
  const last = partsOf(target).at(-1)!;
  const found = elementsOf(last, elements).flatMap((one) => {
    const holders = aroundOf(elements, one);
    // What has the role goes by another name.
    if (holders.some((outer) => outer.role === around.role)) return [];
    const holder = holders.find((outer) => isCalled(outer, around));
    return holder ? [{ one, holder }] : [];
  });
  const [first] = found;
  return first && found.every(({ holder }) => holder === first.holder)
    ? `${told(first.one)} stands in <${first.holder.tag} class=${quoted(first.holder.attributes.class ?? "", 60)}>, which has no role “${around.role}”: ${scope} finds nothing`
    : null;
}

const isCalled = ({ role, isHidden, attributes }: SeenElement, wanted: Wanted): boolean =>
  role === "" && !isHidden && (attributes.class ?? "").split(/[\s_-]+/).includes(wanted.role!);
