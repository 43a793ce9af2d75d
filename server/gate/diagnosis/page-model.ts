import type { SeenElement } from "../../trace/format/cause/page/page-view.ts";

/** An element of a page with what stands around it. */
export interface Part {
  /** Its place in document order. */
  at: number;
  element: SeenElement;
  parent: Part | null;
  /** The nearest heading of the part of the page that it stands in. */
  heading: string | null;
  /** Tags and roles from the root. */
  path: string;
}

/** A recorded page. */
export interface PageModel {
  url: string;
  title: string;
  /** The step after which it was recorded, and the event. */
  step: number;
  seq: number;
  /** What is not hidden by its markup, in document order. */
  parts: Part[];
  /** The rest. */
  hidden: Part[];
}

export function modelOf(page: {
  url: string;
  title: string;
  step: number;
  seq: number;
  elements: readonly SeenElement[];
}): PageModel {
  const all: Part[] = [];
  const open: Part[] = [];
  for (const [at, element] of page.elements.entries()) {
    while (open.length > 0 && open.at(-1)!.element.depth >= element.depth) open.pop();
    const parent = open.at(-1) ?? null;
    const path = `${parent?.path ?? ""}/${element.tag}${element.role ? `:${element.role}` : ""}`;
    const part = { at, element, parent, heading: null, path };
    all.push(part);
    open.push(part);
  }
  giveHeadings(all);
  return {
    url: page.url,
    title: page.title,
    step: page.step,
    seq: page.seq,
    parts: all.filter(({ element }) => !element.isHidden),
    hidden: all.filter(({ element }) => element.isHidden),
  };
}

/** The nearest element around that holds a heading decides; of several headings there, the last one before the element. */
function giveHeadings(all: Part[]): void {
  const held = new Map<Part, Part[]>();
  for (const part of all) {
    if (part.element.role !== "heading") continue;
    for (let at = part.parent; at; at = at.parent) {
      const known = held.get(at);
      if (known) known.push(part);
      else held.set(at, [part]);
    }
  }
  for (const part of all) {
    for (let at = part.parent; at; at = at.parent) {
      const headings = held.get(at);
      if (!headings) continue;
      const before = headings.filter((one) => one.at < part.at).at(-1) ?? headings[0]!;
      part.heading = before.element.name || null;
      break;
    }
  }
}

/** What an element is called: an edit field and a button by their name, a text by itself. */
export const calledOf = ({ element }: Part): string => element.name || element.text;

/** Whether a part stands in another. */
export function isIn(part: Part, around: Part): boolean {
  for (let at = part.parent; at; at = at.parent) if (at === around) return true;
  return false;
}

/** By what an element is known again on another page when nothing of it changed. */
export const keyOf = ({ element }: Part): string =>
  JSON.stringify([
    element.tag,
    element.role,
    element.role === "" || element.name === "" ? element.own : element.name,
    element.attributes["data-testid"] ?? null,
    element.attributes.id ?? null,
    element.attributes.href ?? null,
  ]);

/** Spaces differ between what markup holds and what a page shows. */
export const squashed = (text: string): string => text.replace(/\s+/g, "");

/** The parts whose own text is a text that people read. */
export const isText = ({ element }: Part): boolean => element.own !== "" && /[\p{L}\p{N}]/u.test(element.own);

const CONTROLS =
  /^(?:button|link|checkbox|radio|textbox|combobox|searchbox|spinbutton|slider|switch|tab|menuitem|option)$/;
export const isControl = ({ element }: Part): boolean => CONTROLS.test(element.role);
