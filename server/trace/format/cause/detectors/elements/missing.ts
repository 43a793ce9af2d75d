import { type Likeness, likenessTo } from "../../../similarity.ts";
import { forPerson } from "../../alone/session/for-person.ts";
import { PICKS, wantedOf } from "../../page/hidden-from-role.ts";
import { hasOtherTestId, inPlaceOf } from "../../page/in-place.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { isElsewhere, scopeOf } from "../../page/scope.ts";
import { targetOf } from "../../page/target.ts";
import {
  elementsOf,
  FIELDS,
  isOfKind,
  partsOf,
  testIdOf,
  told,
  type Wanted,
  wantedOn,
} from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import { readTarget } from "../../run/scenario-words.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { isTimeMoved } from "../../values/told-otherwise.ts";
import { bodyOf, quoted, requestOf } from "../../words.ts";
import { otherDay } from "../environment/other-day.ts";
import { calledBySign } from "./called-by-sign.ts";
import { closedMenu } from "./closed-menu.ts";
import { comeInstead, inPass, isOfStyle, isPart, keyOf, stoodBefore, testIdsInstead } from "./come.ts";
import { detectFilteredOut } from "./filtered.ts";
import { regionOf } from "./in-region.ts";
import { renamedScope } from "./renamed-scope.ts";
import { shutInShadow } from "./shadow.ts";
import { detectUnheard } from "./shut-off.ts";
import { isByOtherAttribute } from "./test-id-attribute.ts";
import { detectUnseen } from "./unseen.ts";

/** Names that have less in common are two things. */
export const LIKE_ENOUGH = 0.6;
/** What has only its role and that it is new on the page. */
export const BY_ROLE = 0.62;

/** Such a name is the wanted one but for a letter or two. */
const ALMOST = 0.9;

/** What stands where a pass has it says most likely why it is not there. */
const IN_REGION = 0.64;

/** An element that never came: it went by another name, or is not on the page at all. */
export function detectMissing(evidence: Evidence): Finding[] {
  if (!isMissing(evidence) || isByOtherAttribute(evidence) || renamedScope(evidence, "scope")) return [];
  const filtered = detectFilteredOut(evidence);
  if (filtered.length > 0) return filtered;
  const unheard = detectUnheard(evidence);
  if (unheard.length > 0) return unheard;
  const unseen = detectUnseen(evidence);
  if (unseen.length > 0) return unseen;
  const { failed, run } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const target = targetOf(evidence);
  const wanted = wantedOf(evidence);
  const shared = {
    step_id: failed.step?.step_id ?? null,
    events: run.page ? [seq, run.page.shot.seq] : [seq],
    ts: failed.to,
    is_new: evidence.passes.length === 0 ? null : true,
  };
  const closest = run.page && closestTo(wanted, run.page.elements, evidence);
  const region = regionOf(evidence, "region");
  const inRegion = region?.words ?? "";
  const shut = shutInShadow(evidence);
  const missing: Finding = {
    ...shared,
    kind: "element_missing",
    title: `${target}${inPass(evidence)} was nowhere on the page${forPerson(evidence)}${shut || inRegion || `${instead(wanted, evidence)}${testIdsInstead(wanted, evidence)}`}`,
    detail: closest ? `The closest element: ${told(closest.element)}.` : null,
    weight: shut !== "" ? 0.84 : inRegion === "" ? 0.5 : IN_REGION,
  };
  if (shut !== "") return [missing];
  const other = inPlaceOf(evidence);
  const isOther = other !== null && (!closest || closest.likeness <= BY_ROLE);
  const isOtherId = other !== null && hasOtherTestId(other);
  if (isOther && !(wanted.name !== null && isTimeMoved(wanted.name, other.now.own || other.now.name)))
    return [
      {
        ...shared,
        kind: "element_renamed",
        title: `${target} was not found; where the last pass has ${told(other.before)}, the page has ${told(other.now)}${lostNameOf(other)}${closedMenu(other, wanted)}${isNameOfText(other.now.own) ? ": the key of a text, without its translation" : ""}`,
        detail: null,
        weight: isOtherId ? 0.95 : lostNameOf(other) === "" ? 0.76 : 0.86,
        about: `place ${(!isOtherId && other.now.name) || testIdOf(other.now.attributes) || other.now.attributes.title || other.now.own}`,
      },
    ];
  const sign =
    evidence.passes.length === 0 && (closest?.likeness ?? 0) < ALMOST ? calledBySign(wanted, evidence) : null;
  if (sign !== null)
    return [
      {
        ...shared,
        kind: "element_renamed",
        title: `${target} was not found; ${sign}`,
        detail: null,
        weight: 0.84,
      },
    ];
  if (!closest || closest.likeness < LIKE_ENOUGH) return saysRunner(target, missing) ? [] : [missing];
  const unmet = unmetOf(closest.element, evidence);
  if (unmet !== null) return [{ ...missing, ...unmet }];
  const come = comeInstead(wanted, closest.element, evidence);
  if (come !== null) return [{ ...missing, title: `${target} was nowhere on the page; ${come}` }];
  if (wanted.name !== null && isTimeMoved(wanted.name, closest.element.own || closest.element.name)) {
    const day = otherDay(wanted.name, run.page?.elements ?? []);
    return [
      {
        ...shared,
        kind: "time",
        title: `Another ${day === null ? "time" : "day"}, by the clock or the time zone of the run: ${day ?? `the test looked for ${quoted(wanted.name, 80)}, the page shows ${quoted(closest.element.own || closest.element.name, 80)}`}`,
        detail: null,
        weight: 0.86,
        otherTime: day === null ? "time" : "day",
      },
    ];
  }
  const isKey = isTextKey(closest.element.name);
  const isOtherFigure = wanted.role === null && !wanted.label && hasOtherFigures(wanted, closest.element);
  return [
    {
      ...shared,
      kind: isOtherFigure ? "page_changed" : "element_renamed",
      title: `${target} was not found; the page has ${told(closest.element)} in its place${isKey ? `: the key of a text, without its translation${untranslatedBy(evidence, closest.element.name)}` : ""}`,
      detail: null,
      weight: closest.isInPlace
        ? 0.72
        : isOfStyle(wanted, evidence) || isPart(wanted, closest.element, evidence)
          ? 0.5
          : 0.52 + 0.32 * closest.likeness ** 2,
      isTextKey: isKey,
      isOtherFigure,
    },
  ];
}

/** That an element has lost the attribute that it was called by, as a clause; empty where it has not. */
function lostNameOf({ before, now }: NonNullable<ReturnType<typeof inPlaceOf>>): string {
  const lost = ["aria-label", "alt", "title", "placeholder"].find(
    (one) => before.attributes[one] === before.name && before.name !== before.own,
  );
  return lost === undefined || before.name === "" || now.attributes[lost]
    ? ""
    : `: it has lost its ${lost} ${quoted(before.name, 80)}`;
}

/** What is told of an element that is the wanted one by its own words, and that the step did not find all the same. */
function unmetOf(
  element: SeenElement,
  evidence: Evidence,
): Pick<Finding, "kind" | "title" | "weight"> | null {
  const elements = evidence.run.page?.elements ?? [];
  const { testId } = wantedOf(evidence);
  if (testId !== null && testIdOf(element.attributes) === testId && partsOf(targetOf(evidence)).length === 1)
    return {
      kind: "element_missing",
      title: `${targetOf(evidence)} was not found, though the page has ${told(element)} in the end: it came only then, or the test looks for test ids in another attribute`,
      weight: 0.7,
    };
  // Roles leave out what is not visible; a text or a title is found wherever it stands.
  if (wantedOf(evidence).role === null || !wantedOn(evidence, elements).includes(element)) return null;
  const target = targetOf(evidence);
  const around = partsOf(target).slice(0, -1);
  const holders = aroundOf(elements, element);
  const isThere = around.every((part) => elementsOf(part, elements).some((one) => holders.includes(one)));
  // Of what is picked among several it is not known which one it was.
  return isThere && !around.some((part) => PICKS.test(part))
    ? {
        kind: "element_hidden",
        title: `${target} is in the page's markup (${told(element)}), but the step could not see it: it is hidden, or was not there yet`,
        weight: 0.7,
      }
    : {
        kind: "element_missing",
        title: `${target} was not found where it is looked for; ${told(element)} stands elsewhere on the page`,
        weight: 0.55,
      };
}

/** Whether the runner of scenarios says all of it, and what it found in the place of a text. */
const saysRunner = (target: string, { title, detail }: Finding): boolean => {
  const wanted = readTarget(target);
  return (
    wanted !== null &&
    (wanted.by === "text" || (title === `${target} was nowhere on the page` && detail === null))
  );
};

/** The answer that has texts of such keys, and none for this one. */
function untranslatedBy(evidence: Evidence, key: string): string {
  const family = key.slice(0, Math.max(key.lastIndexOf("."), key.lastIndexOf(":")) + 1);
  for (const one of answersBefore(evidence, MOST_ANSWERS).toReversed()) {
    const paths = leavesOf(jsonOf(bodyOf(one, evidence.run.bodies) ?? "")).flatMap(({ path, value }) =>
      typeof value === "string" ? [path] : [],
    );
    if (paths.some((path) => path.startsWith(family)) && !paths.includes(key))
      return `, which ${requestOf(one, evidence.run.facts)} has not`;
  }
  return "";
}

const MOST_ANSWERS = 60;

/** What the page has in the place of an element that never came, with the name that was looked for. */
export function closestElement(
  evidence: Evidence,
): { wanted: string; element: SeenElement; likeness: number; isInPlace: boolean } | null {
  const { run } = evidence;
  if (run.page === null || !isMissing(evidence)) return null;
  const wanted = wantedOf(evidence);
  const closest = wanted.name === null ? null : closestTo(wanted, run.page.elements, evidence);
  return closest && { ...closest, wanted: wanted.name! };
}

const MOST_NAMED = 6;

/** What the page has of the wanted role where it is looked for, and nothing goes by a name like the wanted one. */
function instead(wanted: Wanted, { run, passes, failed }: Evidence): string {
  const { name, label } = wanted;
  const role = wanted.role ?? (label ? "field" : null);
  if (role === null || name === null) return "";
  const all = run.page?.elements ?? [];
  const scope = passes.length === 0 ? scopeOf(targetOf({ failed }), all) : null;
  const names = all.flatMap((one) =>
    isOfKind(wanted, one) && !one.isHidden && one.name !== "" && (scope?.has(one) ?? true) ? [one.name] : [],
  );
  const few = [...new Set(names)].slice(0, MOST_NAMED);
  if (few.length === 0) return `; it has no ${role} ${scope === null ? "at all" : "there"}`;
  return `; its ${role}${few.length === 1 ? " is" : `${role.endsWith("x") ? "e" : ""}s${scope === null ? "" : " there"} are`} ${few.map((one) => quoted(one, 50)).join(", ")}${names.length > few.length ? ", …" : ""}`;
}

/** The same text with other figures in it is the same element that shows another value. */
function hasOtherFigures({ name }: Wanted, { own }: SeenElement): boolean {
  const bare = (text: string) => text.replace(/[\d.,]+/g, "0");
  return name !== null && own !== name && /\d/.test(name) && bare(own) === bare(name);
}

/** The element that is most like the wanted one, of those that the page of a pass has not. */
function closestTo(wanted: Wanted, elements: SeenElement[], evidence: Evidence) {
  const { passes } = evidence;
  const known = new Set(passes.flatMap(({ page }) => page?.elements.map(keyOf) ?? []));
  // What stands beside the wanted element in a pass has not come in its place.
  const isBeside = passes.some(
    ({ page }) =>
      page?.elements.some(
        ({ own, name }) => wanted.name !== null && (own === wanted.name || name === wanted.name),
      ) ||
      (wanted.name === null && wantedOn(evidence, page?.elements ?? []).length > 0),
  );
  const forms = new Set(
    passes.flatMap(({ page }) =>
      wanted.name === null && wanted.testId === null && isBeside ? (page?.elements.map(formOf) ?? []) : [],
    ),
  );
  const alike = new Set(elements.filter((element) => isAlike(wanted, element)).map(({ name }) => name));
  const isOneOfMany = elements.filter((element) => hasOtherFigures(wanted, element)).length >= MANY;
  const like = likenessTo(wanted.testId ?? wanted.name ?? wanted.id ?? "");
  let best: Closest | null = null;
  let fresh: Closest | null = null;
  const stood = stoodBefore(evidence);
  const region = regionOf(evidence, "region");
  const isApart = passes.length === 0 ? isElsewhere(evidence, elements) : null;
  for (const element of elements) {
    if (element.isHidden) continue;
    const isKnown = known.has(keyOf(element));
    if (
      ((isKnown || forms.has(formOf(element))) && isBeside) ||
      (isOneOfMany && hasOtherFigures(wanted, element))
    )
      continue;
    if (alike.size > 1 && isAlike(wanted, element)) continue;
    const named = likenessOf(wanted, element, like);
    if (named < ALMOST && isApart?.(element)) continue;
    // What is of the wanted role and stands on no pass's page has most likely come in its place.
    const isInPlace =
      known.size > 0 &&
      !isKnown &&
      isOfKind(wanted, element) &&
      element.name !== "" &&
      (region?.inside.has(element) ?? true);
    const isKey = wanted.name !== null && isOfKind(wanted, element) && isTextKey(element.name);
    const likeness = Math.max(
      named - (isKnown || (passes.length === 0 && isThingOf(wanted, element)) ? 0.25 : 0),
      isInPlace ? BY_ROLE : 0,
      isKey && !isKnown ? 0.8 : 0,
      // Without a pass nothing else says that this is the one.
      passes.length === 0 && wanted.role === null && hasOtherFigures(wanted, element) ? 0.9 : 0,
    );
    if (likeness > (best?.likeness ?? 0.3)) best = { element, likeness, isInPlace };
    if (stood && !stood.has(keyOf(element)) && likeness > (fresh?.likeness ?? 0.3))
      fresh = { element, likeness: Math.min(1, likeness + FRESH), isInPlace };
  }
  // What shows another number is what it was, whatever came since.
  if (best && hasOtherFigures(wanted, best.element)) return best;
  // What came with the last action is more likely in the place of what was waited for than what stood there before.
  return best && stood?.has(keyOf(best.element)) && fresh && fresh.likeness >= LIKE_ENOUGH ? fresh : best;
}

interface Closest {
  element: SeenElement;
  likeness: number;
  isInPlace: boolean;
}

const FRESH = 0.1;

/** “Reserve Dune” to “Reserve Piranesi”: the same action on another thing, where there are several of the kind. */
function isAlike(wanted: Wanted, element: SeenElement): boolean {
  const [action, thing] = [wanted.name?.split(" ")[0] ?? "", wanted.name?.includes(" ")];
  return (
    thing === true &&
    action.length > 2 &&
    isOfKind(wanted, element) &&
    element.name !== wanted.name &&
    element.name.startsWith(`${action} `)
  );
}

/** “New ticket” to “Tickets”: where a page has its things, and not what is done with one. */
function isThingOf({ name }: Wanted, element: SeenElement): boolean {
  const wordsOf = (text: string) =>
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/s$/, ""));
  const [, ...thing] = wordsOf(name ?? "");
  return thing.length > 0 && wordsOf(element.name).join(" ") === thing.join(" ");
}

/** So many texts that differ in their figures alone are a list of things, and none stands for another. */
const MANY = 3;

const formOf = ({ tag, attributes }: SeenElement) =>
  `${tag} ${attributes.id ?? ""} ${attributes.class ?? ""} ${testIdOf(attributes) ?? ""}`;
/** `home.find`, `checkout.pay_now`: what stands there when a translation lacks a text. */
const isTextKey = (name: string) =>
  /^[a-z][\w-]*(?:[.:][a-z][\w-]*)+$/i.test(name) && !/\.(?:com|org|net|io|html?|pdf)$/i.test(name);

/** A key of one word too, where a pass has a text in its place: `stepName`, `step_name`. */
const isNameOfText = (name: string) =>
  isTextKey(name) || /^[a-z]{2,}(?:[A-Z][a-z]+)+$|^[a-z]{2,}(?:_[a-z]{2,})+$/.test(name);

const WITH_WORDS = 0.8;

/** Whether a test id has another one in it as words of its own: `grand-total` has `total`. */
function hasWords(id: string, part: string): boolean {
  const bare = (text: string) =>
    `-${text
      .replace(/([a-z])([A-Z])/g, "$1-$2")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")}-`;
  return part.length >= SHORTEST_ID && bare(id).includes(bare(part));
}

const SHORTEST_ID = 4;

const LIKE_ROLES: Record<string, string> = { button: "link", link: "button" };

/** @param like to what is wanted: the test id, else the name, else the id */
function likenessOf(
  { role, name, testId, id, label, attribute }: Wanted,
  element: SeenElement,
  like: Likeness,
): number {
  if (testId !== null) {
    const own = testIdOf(element.attributes);
    if (own === null) return 0;
    // “grand-total” is a total; “subtotal” is another thing.
    return hasWords(own, testId) ? Math.max(like(own), WITH_WORDS) : like(own);
  }
  if (role !== null) {
    const isSame = element.role === role;
    if (!isSame && LIKE_ROLES[role] !== element.role) return 0;
    if (name === null) return isSame ? 0.4 : 0.3;
    return (isSame ? 0.35 : 0.2) + 0.65 * like(element.name);
  }
  if (label && !FIELDS.has(element.role)) return 0;
  if (attribute !== null) {
    const own = element.attributes[attribute];
    return own === undefined ? 0 : 0.1 + 0.9 * like(own);
  }
  if (name !== null)
    return (label ? 0.35 : 0.1) + (label ? 0.65 : 0.9) * like(label ? element.name : element.own);
  if (id !== null) {
    const names = [element.attributes.id ?? "", ...(element.attributes.class ?? "").split(/\s+/)];
    // `.comments` is where each `.comment` stands, and none of them.
    return Math.max(0, ...names.filter((one) => one !== "" && one !== `${id}s`).map(like));
  }
  return 0;
}
