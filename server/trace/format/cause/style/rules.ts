import { type AtRule, type ChildNode, type Container, parse, type Rule } from "postcss";
import type { PageSheet } from "../types.ts";
import { both, type Certainty, MAYBE, NO, YES } from "./certainty.ts";
import { mediaHold, type WindowSize } from "./media.ts";
import { readSelectors, type Selector, splitList } from "./selector.ts";

/** A declaration of a style sheet that may hide an element, or show it again. */
export interface StyleRule {
  selector: Selector;
  property: string;
  value: string;
  isImportant: boolean;
  /** Of the layer that it stands in, by the order of the layers; those in none come last. */
  layer: number;
  /** Whether the conditions around it hold. */
  holds: Certainty;
  /** The media queries around it. */
  media: string[];
  sheet: PageSheet;
}

/** Properties by which a style sheet withholds an element, or gives it back. */
export const PROPERTIES = new Set([
  "display",
  "visibility",
  "content-visibility",
  "pointer-events",
  "width",
  "height",
  "max-width",
  "max-height",
  "min-width",
  "min-height",
  "flex",
  "flex-grow",
  "overflow",
]);

const MOST_RULES = 20_000;
const MOST_NODES = 200_000;
const MOST_LAYERS = 200;
const DEEPEST = 12;
const LONGEST = 500;
const IN_NO_LAYER = Number.POSITIVE_INFINITY;

interface Around {
  parents: string[] | null;
  layer: string | null;
  holds: Certainty;
  media: string[];
}

/** What of a page's style sheets may hide an element in a window, in their order; a sheet that cannot be read is left out. */
export function rulesOf(sheets: readonly PageSheet[], window: WindowSize | null): StyleRule[] {
  const found: StyleRule[] = [];
  const layers = new Map<string, number>();
  let nodes = 0;
  for (const sheet of sheets) {
    const media = sheet.media.filter((one) => one !== "");
    const holds = media.map((one) => mediaHold(one, window)).reduce(both, YES);
    if (holds !== NO) walk(rootOf(sheet.text), { parents: null, layer: null, holds, media }, sheet, 0);
  }
  return found;

  function walk(container: Container, around: Around, sheet: PageSheet, depth: number) {
    if (depth > DEEPEST) return;
    for (const node of (container.nodes ?? []) as ChildNode[]) {
      if (++nodes > MOST_NODES || found.length >= MOST_RULES) return;
      if (node.type === "atrule") intoAtRule(node, around, sheet, depth);
      else if (node.type === "rule") intoRule(node, around, sheet, depth);
      // Declarations within a condition that stands in a rule.
      else if (node.type === "decl" && container.type === "atrule" && around.parents !== null)
        add(around.parents.join(","), [node], around, sheet);
    }
  }

  function intoRule(rule: Rule, around: Around, sheet: PageSheet, depth: number) {
    const selector = nested(rule.selector, around.parents);
    if (selector === null) return;
    const declarations = rule.nodes.filter((node) => node.type === "decl");
    add(selector, declarations, around, sheet);
    if (declarations.length < rule.nodes.length)
      walk(rule, { ...around, parents: splitList(selector) }, sheet, depth + 1);
  }

  function intoAtRule(rule: AtRule, around: Around, sheet: PageSheet, depth: number) {
    const name = rule.name.toLowerCase();
    if (name === "layer") {
      const names = rule.params.split(",").map((one) => within(around.layer, one.trim()));
      for (const one of names) placeOf(one);
      if (rule.nodes) walk(rule, { ...around, layer: names[0]! }, sheet, depth + 1);
      return;
    }
    if (!rule.nodes || !CONDITIONS.has(name)) return;
    const own = name === "media" ? mediaHold(rule.params, window) : MAYBE;
    const holds = both(around.holds, own);
    if (holds === NO) return;
    const media = name === "media" ? [...around.media, rule.params] : around.media;
    walk(rule, { ...around, holds, media }, sheet, depth + 1);
  }

  function placeOf(layer: string): number {
    if (!layers.has(layer) && layers.size < MOST_LAYERS) layers.set(layer, layers.size);
    return layers.get(layer) ?? MOST_LAYERS;
  }

  function add(list: string, declarations: readonly ChildNode[], around: Around, sheet: PageSheet) {
    const telling = declarations.flatMap((one) =>
      one.type === "decl" && PROPERTIES.has(one.prop.toLowerCase()) ? [one] : [],
    );
    if (telling.length === 0) return;
    const layer = around.layer === null ? IN_NO_LAYER : placeOf(around.layer);
    for (const selector of readSelectors(list))
      for (const { prop, value, important } of telling) {
        if (found.length >= MOST_RULES) return;
        found.push({
          ...{ selector, layer, sheet, holds: around.holds, media: around.media },
          property: prop.toLowerCase(),
          value: value.trim().toLowerCase().slice(0, LONGEST),
          isImportant: important === true,
        });
      }
  }
}

const CONDITIONS = new Set(["media", "supports", "container", "scope"]);

const within = (layer: string | null, name: string): string => (layer === null ? name : `${layer}.${name}`);

/** A selector that stands in another rule, written out; null where that would be too long. */
function nested(selector: string, parents: string[] | null): string | null {
  if (parents === null) return selector;
  const [only] = parents;
  const parent = parents.length === 1 ? only!.trim() : `:is(${parents.join(",")})`;
  const written = splitList(selector)
    .map((one) => (one.includes("&") ? one.replaceAll("&", () => parent) : `${parent} ${one.trim()}`))
    .join(",");
  return written.length > LONGEST ? null : written;
}

/** The rules of a sheet; none of one that is not written as style sheets are. */
function rootOf(text: string): Container {
  try {
    return parse(text);
  } catch {
    return parse("");
  }
}
