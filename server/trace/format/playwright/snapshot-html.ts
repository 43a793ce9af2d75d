import { textIn } from "../event.ts";
import { type Raw, record, text } from "./shape.ts";
import {
  type AttributeContext,
  escapeText,
  LIFTED,
  renderAttributes,
  SCROLLED,
  type SnapshotLinks,
} from "./snapshot-attributes.ts";
import { rewriteCss } from "./snapshot-css.ts";
import { endsForeign, type Inside, insideOf, namespaceAt } from "./snapshot-namespace.ts";
import { isElement, referenceOf, type SnapshotTrees } from "./snapshot-tree.ts";

export interface RenderInput {
  trees: SnapshotTrees;
  /** Place of the snapshot among those of its frame. */
  at: number;
  /** What action targets of this snapshot are marked with, beside the empty mark of newer recorders. */
  names: readonly string[];
  /** URL of the frame, which relative ones start from unless the page says otherwise. */
  url: string;
  /** Without one the page is laid out in quirks mode. */
  doctype: string | null;
  links: SnapshotLinks;
  /** Sandbox of frames within: nothing, unless the viewer's own inspector is to run in what they show. */
  framesMay?: "" | "allow-scripts";
}

/** Fragment of a rendered page's address that scrolls it to where it was. */
export const SCROLL_MARK = "tracedeck-scroll";

/** What a rendered page that is not in quirks mode begins with. */
export const DOCTYPE = "<!DOCTYPE html>";

const MOST_CHARACTERS = 64 * 1024 * 1024;
const MOST_NODES = 3_000_000;
const DEEPEST = 1000;

const NAME = /^[a-z][\w:.-]{0,100}$/i;
const VOID = new Set(
  "AREA BASE BR COL EMBED HR IMG INPUT LINK META PARAM SOURCE TRACK WBR KEYGEN BASEFONT BGSOUND FRAME".split(
    " ",
  ),
);
/** What runs, loads programs, says where relative links start, or would swallow the rest of the page. */
const LEFT_OUT = new Set(
  "SCRIPT NOSCRIPT BASE OBJECT EMBED APPLET PARAM PORTAL FENCEDFRAME NOFRAMES NOEMBED BGSOUND KEYGEN".split(
    " ",
  ),
);
/** Of HTML: elements whose content is no markup, shown by one whose is; and one that a parser takes for a picture. */
const RENAMED: Record<string, string> = { XMP: "PRE", PLAINTEXT: "PRE", LISTING: "PRE", IMAGE: "SPAN" };
/** Of HTML: a parser drops the first line end in them. */
const LINE_DROPPED = new Set(["PRE", "TEXTAREA"]);

/**
 * Rules without weight, which any of the page's own outdo: a box that was scrolled holds the mark that scrolls it, and
 * what a script had lifted above the page lies above it.
 */
const HELPERS =
  `:where([${SCROLLED}]){position:relative}` +
  `:where([${LIFTED}]){display:block;z-index:2147483647}` +
  `:where([${LIFTED}=modal]){position:fixed;inset:0;width:fit-content;height:fit-content;margin:auto;max-width:calc(100% - 38px);max-height:calc(100% - 38px);overflow:auto;box-shadow:0 0 0 100vmax #0000001a}`;
const ROOT_SCROLLED = "html{scroll-behavior:auto!important;scroll-padding:0!important}";

/**
 * Markup of a recorded snapshot that shows the page as it was and can do nothing: no scripts, no handlers, no links or
 * forms that lead away, nothing loaded but what `links` gives. Form values, checked boxes, scroll positions, shadow
 * roots and adopted style sheets are written into the markup, since no script may set them.
 */
export function renderSnapshot(input: RenderInput): string {
  const out: string[] = [];
  const budget = { characters: MOST_CHARACTERS, nodes: MOST_NODES };
  const isQuirky = input.doctype === null;
  const context: AttributeContext = {
    base: input.url,
    links: input.links,
    framesMay: input.framesMay ?? "",
    isTarget: (mark) => mark === "" || input.names.includes(mark),
  };
  let hasBase = false;
  let needsHelpers = false;
  let rootScroll: { top: number; left: number } | null = null;

  function put(text: string) {
    budget.characters -= text.length;
    out.push(text);
  }

  function render(node: unknown, at: number, inside: Inside, depth: number) {
    if (budget.nodes-- <= 0 || budget.characters <= 0 || depth > DEEPEST) return;
    const target = pointedTo(node, at);
    if (target) render(target.node, target.at, inside, depth + 1);
    else if (typeof node === "string") put(escapeText(node));
    else if (isElement(node)) element(node, at, inside, depth);
  }

  /** What a reference stands for. It never leads to another one: only texts and elements have numbers. */
  function pointedTo(node: unknown, at: number): { node: unknown; at: number } | null {
    const reference = referenceOf(node, at);
    return reference && { node: input.trees.get(reference.at)?.nodes[reference.index], at: reference.at };
  }

  /** The texts right within an element, for elements that hold nothing else. */
  function textWithin(element: unknown[], at: number): string {
    let text = "";
    for (const child of element.slice(2)) {
      const node = pointedTo(child, at)?.node ?? child;
      if (typeof node === "string" && text.length < budget.characters) text += node;
    }
    return text;
  }

  /** Nothing in it can be taken for markup, wherever a parser may have put the style element. */
  function styleText(css: string): string {
    const text = rewriteCss(css.replace(/^\s*<!--/, ""), context.base, context.links);
    return text.replaceAll("\0", "").replace(/<(?=[a-z!/?])/gi, "\\3c ");
  }

  function element(node: [string, ...unknown[]], at: number, around: Inside, depth: number) {
    const tag = node[0].toUpperCase();
    const attributes = inSmallLetters(record(node[1]));
    const namespace = namespaceAt(around, tag);
    if (tag === "BASE" && !hasBase) {
      hasBase = true;
      context.base = URL.parse(textIn(attributes.href), context.base)?.href ?? context.base;
    }
    if (LEFT_OUT.has(tag) || !NAME.test(tag) || isUseless(tag, attributes)) return;
    // Such an element was put there by a script, and is not shown there.
    if (endsForeign(namespace, tag, attributes)) return;
    if (tag === "TEMPLATE" && typeof attributes.__playwright_style_sheet_ === "string")
      return put(`<style>${styleText(attributes.__playwright_style_sheet_)}</style>`);
    if (tag === "TEMPLATE" && "__playwright_shadow_root_" in attributes)
      return namespace === "html" ? shadowRoot(node, at, depth) : undefined;
    const name = (namespace === "html" && RENAMED[tag]) || node[0];
    const rendered = renderAttributes(tag, attributes, context);
    put(`<${name}${rendered.markup}>`);
    needsHelpers ||= rendered.isLifted;
    if (namespace === "html" && VOID.has(tag)) return;
    if (tag === "STYLE") {
      const text = styleText(textWithin(node, at));
      put(namespace === "html" ? text : escapeText(text));
    } else if (namespace === "html" && LINE_DROPPED.has(RENAMED[tag] ?? tag)) put("\n");
    if (tag === "TEXTAREA" && namespace === "html") put(escapeText(rendered.value ?? textWithin(node, at)));
    else if (tag === "TITLE" && namespace === "html") put(escapeText(textWithin(node, at)));
    else if (tag !== "STYLE" && tag !== "IFRAME")
      children(node, at, tag, insideOf(namespace, tag, attributes), depth);
    if (rendered.scroll && (tag === "HTML" || (tag === "BODY" && isQuirky))) rootScroll = rendered.scroll;
    else if (rendered.scroll && namespace === "html" && !UNSCROLLED.has(tag)) {
      needsHelpers = true;
      put(scrollMark(rendered.scroll));
    }
    if (tag === "HTML" && namespace === "html") documentEnd();
    put(`</${name}>`);
  }

  function children(node: unknown[], at: number, tag: string, inside: Inside, depth: number) {
    const hasPicture = tag === "PICTURE" && node.some(hasCurrentSource);
    for (let child = 2; child < node.length; child++) {
      if (hasPicture && isElement(node[child]) && (node[child] as [string])[0] === "SOURCE") continue;
      render(node[child], at, inside, depth + 1);
    }
  }

  function shadowRoot(node: unknown[], at: number, depth: number) {
    const outside = needsHelpers;
    needsHelpers = false;
    put('<template shadowrootmode="open">');
    children(node, at, "TEMPLATE", "html", depth);
    if (needsHelpers) put(`<style>${HELPERS}</style>`);
    put("</template>");
    needsHelpers = outside;
  }

  function documentEnd() {
    if (rootScroll) {
      const { top, left } = rootScroll;
      put(`<style>${ROOT_SCROLLED}</style>`);
      put(
        `<i id="${SCROLL_MARK}" style="position:absolute;top:${top}px;left:${left}px;width:100vw;${UNSEEN}"></i>`,
      );
    }
    if (needsHelpers) put(`<style>${HELPERS}</style>`);
  }

  put(isQuirky ? "" : DOCTYPE);
  render(input.trees.get(input.at)?.root, input.at, "html", 0);
  if (budget.nodes <= 0 || budget.characters <= 0)
    put("<p>The rest of this page is larger than can be shown.</p>");
  return out.join("");
}

/** Elements that hold text alone. */
const UNSCROLLED = new Set(["TEXTAREA", "SELECT", "TITLE", "STYLE", "IFRAME"]);
const UNSEEN = "visibility:hidden;pointer-events:none";

/** As large as the box it lies in, so that the box scrolls to exactly this place whichever edge it is aligned to. */
function scrollMark({ top, left }: { top: number; left: number }): string {
  return `<i style="position:absolute;top:${top}px;left:${left}px;width:100%;height:100%;scroll-initial-target:nearest;${UNSEEN}"></i>`;
}

/** A parser takes the first of attributes whose names differ in capitals alone, and so does this. */
function inSmallLetters(recorded: Raw): Raw {
  const attributes = new Map<string, unknown>();
  for (const [key, value] of Object.entries(recorded)) {
    const name = key.toLowerCase();
    if (!attributes.has(name)) attributes.set(name, value);
  }
  return Object.fromEntries(attributes);
}

function hasCurrentSource(child: unknown): boolean {
  return isElement(child) && child[0] === "IMG" && Boolean(record(child[1]).__playwright_current_src__);
}

function isUseless(tag: string, attributes: Raw): boolean {
  const of = (name: string) => (typeof attributes[name] === "string" ? attributes[name].toLowerCase() : "");
  if (tag === "META") return of("name") !== "color-scheme";
  if (tag === "LINK") {
    const kinds = of("rel").split(/\s+/);
    return !kinds.includes("stylesheet") || kinds.includes("alternate");
  }
  // An animation may set a link that was cleaned.
  if (tag === "SET" || tag.startsWith("ANIMATE")) return of("attributename").includes("href");
  return false;
}

/** The page and doctype of a snapshot's line, which every version writes alike. */
export function snapshotOfLine(line: string): { html: unknown; doctype: string | null } {
  const { html, doctype } = record(record(JSON.parse(line)).snapshot);
  return { html, doctype: text(doctype, 200) ?? null };
}
