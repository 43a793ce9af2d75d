import type { SeenElement } from "./page-view.ts";

/** One part of a selector: `button.primary[type=submit]`. */
interface Compound {
  tag: string | null;
  id: string | null;
  classes: string[];
  attributes: [name: string, value: string | null][];
}

const PART = /([#.])([\w-]+)|\[([\w-]+)(?:[~|^$*]?=["']?([^"'\]]*)["']?)?\]|(?:^)([a-z][\w-]*|\*)/giy;

/**
 * The elements of a page that a plain CSS selector names; what a locator of CSS does beyond that is left out.
 * @returns null for a selector that says more than tags, ids, classes and attributes within each other
 */
export function locatedBy(selector: string, elements: readonly SeenElement[]): SeenElement[] | null {
  const compounds: Compound[] = [];
  for (const text of selector
    .replace(/:(?:visible|nth-child\(\d+\)|first-child|last-child)/g, "")
    .split(/\s*>\s*|\s+/)
    .filter((part) => part !== "")) {
    const compound = compoundOf(text);
    if (!compound) return null;
    compounds.push(compound);
  }
  const last = compounds.pop();
  if (!last) return null;
  const around: SeenElement[] = [];
  return elements.filter((element) => {
    while (around.length > 0 && around.at(-1)!.depth >= element.depth) around.pop();
    const isIt = isLike(element, last) && isInOrder(around, compounds);
    around.push(element);
    return isIt;
  });
}

function compoundOf(text: string): Compound | null {
  const compound: Compound = { tag: null, id: null, classes: [], attributes: [] };
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text);
    if (!found) return null;
    const [, sign, name, attribute, value, tag] = found;
    if (sign === "#") compound.id = name!;
    else if (sign === ".") compound.classes.push(name!);
    else if (attribute !== undefined) compound.attributes.push([attribute.toLowerCase(), value ?? null]);
    else if (tag !== "*") compound.tag = tag!.toLowerCase();
  }
  return compound;
}

function isLike({ tag, attributes }: SeenElement, wanted: Compound): boolean {
  const classes = (attributes.class ?? "").split(/\s+/);
  return (
    (wanted.tag === null || wanted.tag === tag) &&
    (wanted.id === null || wanted.id === attributes.id) &&
    wanted.classes.every((name) => classes.includes(name)) &&
    wanted.attributes.every(([name, value]) => {
      const own = attributes[name];
      return own !== undefined && (value === null || own.includes(value));
    })
  );
}

/** Whether the parts stand around an element, each within the one before. */
function isInOrder(around: readonly SeenElement[], compounds: readonly Compound[]): boolean {
  let at = 0;
  for (const element of around) if (at < compounds.length && isLike(element, compounds[at]!)) at++;
  return at === compounds.length;
}
