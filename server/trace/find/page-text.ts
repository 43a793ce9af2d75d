import { textIn } from "../format/event.ts";
import { isElement } from "../format/playwright/snapshot-tree.ts";
import { type BodyMatch, hasNoCapital, type Margins, MOST_COUNTED, SHOWN } from "./match.ts";

/** Where a recorded page has the text: of an element's text its tag, `<td>`; of an attribute its name. */
export type PageMatch = Pick<BodyMatch, "excerpt" | "count"> & { field: string };

/** What shows nothing of what it holds. */
const SILENT = new Set(["STYLE", "SCRIPT", "NOSCRIPT"]);
/** Deeper than any page is nested. */
const DEEPEST = 3_000;
/** What the recorder noted of an element's state beside its attributes: what was typed. Other notes are its own. */
const NOTES = "__playwright_";
const TYPED = "__playwright_value_";
/** Where recorded markup is long and says nothing: pictures in themselves, rules, paths of drawings. */
const UNTOLD = new Set(["style", "d", "points", "integrity"]);

/**
 * Looks for a text in what a snapshot of a page has that the snapshots before it had not: texts of elements, and their
 * attributes. White space is one space, as on the screen.
 * @returns a function of the snapshot's tree and of the attributes that matched before in the same page: an element is
 * recorded anew whenever something in it changes
 */
export function createPageMatcher(
  text: string,
  margins: Margins = SHOWN,
): (root: unknown, seen: Set<string>) => PageMatch | null {
  const words = text.trim().split(/\s+/);
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("\\s+");
  const matcher = new RegExp(pattern, hasNoCapital(text) ? "gi" : "g");

  // Of white space alone every page is full.
  if (pattern === "") return () => null;

  return (root, seen) => {
    let inText: PageMatch | null = null;
    let inAttribute: PageMatch | null = null;
    let count = 0;
    const look = (value: string, field: string): PageMatch | null => {
      let first: PageMatch | null = null;
      for (const match of value.matchAll(matcher)) {
        first ??= { ...excerptOf(value, match.index, match[0], margins), field, count: 0 };
        count += 1;
        if (count >= MOST_COUNTED) break;
      }
      return first;
    };
    const lookAtAttribute = (value: string, name: string) => {
      const key = `${name} ${value.length} ${Bun.hash(value)}`;
      if (seen.has(key)) return;
      const found = look(value, name);
      if (found) seen.add(key);
      inAttribute ??= found;
    };
    const visit = (node: unknown, tag: string, depth: number): void => {
      if (typeof node === "string") {
        const found = look(node, `<${tag.toLowerCase().slice(0, 40)}>`);
        inText ??= found;
      }
      // A reference to what an earlier snapshot had is no element.
      if (!isElement(node) || depth > DEEPEST || SILENT.has(node[0].toUpperCase())) return;
      for (const [name, value] of toldAttributes(node[1])) lookAtAttribute(value, name);
      for (let at = 2; at < node.length && count < MOST_COUNTED; at++) visit(node[at], node[0], depth + 1);
    };
    visit(root, "", 0);
    // What is read is what was looked for, if there is both.
    const first: PageMatch | null = inText ?? inAttribute;
    return first && { ...(first as PageMatch), count };
  };
}

function toldAttributes(recorded: unknown): [string, string][] {
  if (typeof recorded !== "object" || recorded === null || Array.isArray(recorded)) return [];
  const attributes = recorded as Record<string, unknown>;
  const isSecret = textIn(attributes.type).toLowerCase() === "password";
  return Object.entries(attributes).flatMap(([name, value]): [string, string][] => {
    if (typeof value !== "string" || UNTOLD.has(name) || value.startsWith("data:")) return [];
    const isValue = name === TYPED || name === "value";
    if (isValue ? isSecret : name.startsWith(NOTES)) return [];
    return [[isValue ? "value" : name.slice(0, 40), value]];
  });
}

function excerptOf(
  value: string,
  at: number,
  match: string,
  { before, after }: Margins,
): Pick<BodyMatch, "excerpt"> {
  const end = at + match.length;
  return {
    excerpt: {
      before: value.slice(Math.max(0, at - before), at),
      match,
      after: value.slice(end, end + after),
    },
  };
}
