import { oneLine } from "../../error-text.ts";
import { readTarget } from "../run/scenario-words.ts";
import type { Evidence } from "../types.ts";
import { quoted } from "../words.ts";
import { locatedBy } from "./located.ts";
import type { SeenElement } from "./page-view.ts";
import { targetOf } from "./target.ts";
import { insideOf } from "./within.ts";

/** What a locator asks for. */
export interface Wanted {
  role: string | null;
  /** Accessible name or text. */
  name: string | null;
  testId: string | null;
  id: string | null;
  label: boolean;
  /** The attribute that the name is of, where it is no text that stands on the page. */
  attribute: NamingAttribute | null;
  /** Whether the name is to be met to the letter. */
  isExact: boolean;
  /** Present where the name is a text that stands in an element of the role, by whichever name that goes. */
  isWithin?: true;
  /** Of a heading: of which level. Absent where it may be of any. */
  level?: string;
  /** Present where a name begins so: of `/^7 May/` “27 May” is none. */
  isBeginning?: true;
}

/** What a locator is put together of: each part is looked for within what the one before it finds. */
export const partsOf = (locator: string): string[] => locator.split(/ >> |(?<=\))\.(?=getBy|locator\()/);

/** The last part of a locator: what comes before it only says where. */
export function lastPartOf(locator: string): string {
  const parts = locator.split(/ >> |\)\.(?=getBy|locator\()/);
  return parts.findLast((part) => !/^(?:nth|first|last|filter|internal:has)/.test(part)) ?? locator;
}

/**
 * What a locator looks for its element within that is nowhere on a page, of several the outermost; null where all of it is
 * there. Only what goes by a role is looked for.
 */
export const lostScope = (locator: string, elements: readonly SeenElement[]): string | null =>
  partsOf(locator)
    .slice(0, -1)
    .find((part) => wantedBy(part).role !== null && elementsOf(part, elements).length === 0) ?? null;

/** What a locator says of the element, as far as its words tell. */
export function wantedBy(locator: string): Wanted {
  const target = readTarget(locator);
  if (target) return wantedInScenario(target);
  const text = (pattern: RegExp) =>
    pattern
      .exec(locator)
      ?.slice(1)
      .find((one) => one !== undefined) ?? null;
  const role = text(/getByRole\(['"](\w+)['"]|internal:role=(\w+)/);
  const named = text(/name: ?(?:['"]([^'"]+)['"]|\/([^/]+)\/)|name="([^"]+)"/);
  const label = text(
    /getBy(?:Label|Placeholder)\((?:['"]([^'"]+)['"]|\/([^/]+)\/)|internal:(?:label|attr=\[placeholder)="?([^"\]]+)"/,
  );
  const words = text(
    /getBy(?:Text|Title|AltText)\((?:['"]([^'"]+)['"]|\/([^/]+)\/)|internal:text="([^"]+)"|(?:has-text|text)\(?=?["']([^"']+)["']|hasText: ?['"]([^'"]+)['"]/,
  );
  const name = named ?? label ?? words;
  const level = text(/\blevel: ?(\d)|\[level=(\d)/);
  return {
    role,
    name: withoutAnchors(name),
    ...(name?.startsWith("^") && withoutAnchors(name) !== name && { isBeginning: true }),
    ...(level !== null && { level }),
    ...(role !== null && named === null && { isWithin: true }),
    testId: text(/getByTestId\(['"]([^'"]+)['"]|data-test[\w-]*=["']?([^\]"']+)/),
    id: text(/(?:locator\(['"]|^|\s)[\w*]*[#.]([\w-]+)/),
    label: label !== null,
    isExact: /exact: true|internal:\w{1,40}[^>]{0,1000}"s(?:\]|\s|$)/.test(locator),
    attribute: ATTRIBUTES.find(([pattern]) => pattern.test(locator))?.[1] ?? null,
  };
}

/** What a pattern asks for that is plain but for its ends: of `^night` that is `night`. A dot in it is most often one, as in a price. */
const withoutAnchors = (name: string | null): string | null =>
  name
    ?.replace(/^\^((?:[^\\()[\]{}*+?|^$]|\\[^\w\s])+)\$?$|^([\p{L}\p{N} ,:-]+)\$$/u, "$1$2")
    .replace(/\\([^\w\s])/g, "$1") ?? null;

/** A part of a name is enough for a scenario. */
function wantedInScenario({ by, value }: NonNullable<ReturnType<typeof readTarget>>): Wanted {
  const wanted: Wanted = {
    ...{ role: null, name: null, testId: null, id: null },
    ...{ label: false, attribute: null, isExact: false },
  };
  if (by === "testid") return { ...wanted, testId: value };
  if (by === "css") return { ...wanted, id: /(?:^|\s)[\w*]*[#.]([\w-]+)/.exec(value ?? "")?.[1] ?? null };
  if (by === "field") return { ...wanted, name: value, label: true };
  return { ...wanted, name: value, role: by === "text" ? null : by };
}

type NamingAttribute = "title" | "alt" | "placeholder";

const ATTRIBUTES: [RegExp, NamingAttribute][] = [
  [/getByPlaceholder\(|internal:attr=\[placeholder=/, "placeholder"],
  [/getByTitle\(|internal:attr=\[title=/, "title"],
  [/getByAltText\(|internal:attr=\[alt=/, "alt"],
];

/** The test id of an element, by the attributes that suites use for it; null when it has none. */
export const testIdOf = (attributes: Record<string, string>): string | null =>
  attributes[TEST_IDS.find((name) => attributes[name] !== undefined) ?? ""] ?? null;

export const TEST_IDS = ["data-testid", "data-test", "data-test-id", "data-qa", "data-cy"];

/** Whether an element has the wanted role; for a label, whether it is a field. */
export const isOfKind = ({ role, label }: Wanted, element: SeenElement) =>
  role !== null ? element.role === role : label && FIELDS.has(element.role);
/** Roles of what a person writes into, picks or ticks. */
export const FIELDS = new Set([
  "textbox",
  "combobox",
  "searchbox",
  "spinbutton",
  "checkbox",
  "radio",
  "slider",
]);
/** An element as a person says it: `a button “Undo”`. */
export function told({ tag, role, name, attributes }: SeenElement): string {
  const id = testIdOf(attributes);
  const what = role !== "" ? `${/^[aeiou]/.test(role) ? "an" : "a"} ${role}` : `<${tag}>`;
  const title = ["title", "placeholder"]
    .map((one) =>
      attributes[one] && attributes[one] !== name ? ` (${one} ${quoted(attributes[one], 60)})` : "",
    )
    .join("");
  return `${what}${name ? ` ${quoted(oneLine(name), 80)}` : ""}${id ? ` (test id ${quoted(id, 60)})` : attributes.id && !name ? ` (id ${quoted(attributes.id, 60)})` : ""}${title}`;
}

/** The elements of a page that the failed step's locator names; what only says which of them is left out. */
export function wantedOn(
  { failed }: Pick<Evidence, "failed">,
  elements: readonly SeenElement[],
): SeenElement[] {
  const target = targetOf({ failed });
  // What a part before the last one is filtered by stands around the element, and not in it.
  const withText = /hasText: ?['"]([^'"]+)['"]/.exec(partsOf(target).at(-1) ?? "")?.[1];
  return elementsOf(target, elements).filter(({ text }) => withText === undefined || text.includes(withText));
}

/** The visible elements that a locator names by its last part, without the text that a filter wants in them. */
export function elementsOf(locator: string, elements: readonly SeenElement[]): SeenElement[] {
  const last = lastPartOf(locator);
  const target = readTarget(last);
  const css =
    target?.by === "css" && target.value !== null
      ? target.value
      : /^[#.[]/.test(last)
        ? last
        : /^(?:page\.)?locator\((['"])(.+?)\1\)(?:\.(?:first|last|nth|filter)\(.*)?$/.exec(last)?.[2];
  const found = css === undefined ? namedBy(wantedBy(last), elements) : (locatedBy(css, elements) ?? []);
  return found.filter(({ isHidden }) => !isHidden);
}

const MOST_SCOPES = 100;

/** The visible elements that a whole locator names: each part of it is looked for within what the one before it finds. */
export function foundWithin(locator: string, elements: readonly SeenElement[]): SeenElement[] {
  const parts = partsOf(locator);
  let around = elements;
  for (const part of parts.slice(0, -1)) {
    const scopes = elementsOf(part, around).slice(0, MOST_SCOPES);
    const inside = new Set(scopes.flatMap((scope) => insideOf(elements, scope)));
    around = elements.filter((one) => inside.has(one));
  }
  return elementsOf(parts.at(-1) ?? locator, around);
}

const LABELLED = new Set(["input", "select", "textarea", "button"]);

function namedBy(wanted: Wanted, elements: readonly SeenElement[]): SeenElement[] {
  const { role, name, testId, label, attribute, isExact, isBeginning, isWithin, level } = wanted;
  const isNamed = (text: string) => {
    if (name === null) return false;
    const [whole, part] = isExact ? [text, name] : [text.toLowerCase(), name.toLowerCase()];
    return isBeginning ? whole.trimStart().startsWith(part) : whole.includes(part);
  };
  if (testId !== null) return elements.filter(({ attributes }) => testIdOf(attributes) === testId);
  if (role !== null)
    return elements.filter(
      (one) =>
        one.role === role &&
        (level === undefined || levelOf(one) === level) &&
        (name === null || (isNamed(one.name) && (isWithin === true || !isNamelessByRole(one)))),
    );
  if (attribute !== null) return elements.filter(({ attributes }) => isNamed(attributes[attribute] ?? ""));
  if (label)
    return elements.filter(
      (one) =>
        (one.attributes["aria-label"] !== undefined || (LABELLED.has(one.tag) && !isNamedByItself(one))) &&
        isNamed(one.name),
    );
  if (name === null) return [];
  const said = elements.filter(({ own }) => isNamed(own));
  return said.length > 0 ? said : innermost(elements, ({ text }) => isNamed(text));
}

/** Whether a button goes by what stands on it, which is no label. */
const isNamedByItself = ({ role, name, text, attributes }: SeenElement): boolean =>
  role === "button" && (name === text || name === attributes.value);

/** The level of a heading. */
export const levelOf = ({ tag, attributes }: SeenElement): string | undefined =>
  attributes["aria-level"] ?? /^h(\d)$/.exec(tag)?.[1];

/** Roles that what stands in them gives no name (WAI-ARIA 1.2, 5.2.8.5). */
const OF_AUTHOR =
  /^(?:article|region|navigation|main|complementary|list|listitem|form|dialog|alertdialog|search|banner|contentinfo)$/;
const NAMES = ["aria-label", "aria-labelledby", "title"];

export const isNamelessByRole = ({ role, attributes }: SeenElement): boolean =>
  OF_AUTHOR.test(role) && !NAMES.some((name) => attributes[name]);

/** Of elements within each other the inner ones: a text may be put together of several. */
function innermost(elements: readonly SeenElement[], isIt: (element: SeenElement) => boolean): SeenElement[] {
  const found = elements.filter(isIt);
  return found.filter((one, at) => {
    const next = found[at + 1];
    // In the order of the document the next one that is deeper lies within, unless an element of this depth parts them.
    return (
      next === undefined ||
      next.depth <= one.depth ||
      elements
        .slice(elements.indexOf(one) + 1, elements.indexOf(next))
        .some(({ depth }) => depth <= one.depth)
    );
  });
}

/** Whether a locator says nothing that a person would call the element. */
export const isBare = (target: string): boolean =>
  /^(?:page\.)?(?:locator|getByTestId)\(/.test(lastPartOf(target));
