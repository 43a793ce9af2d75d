import { absoluteUrl, type CssLinks, rewriteCss } from "./snapshot-css.ts";

/** Addresses for what a rendered page may load: relative to the page, null when nothing was recorded. */
export interface SnapshotLinks extends CssLinks {
  /** The page of a nested frame at the same moment. */
  frame(frameId: string): string | null;
}

/** Of a snapshot, what rendering its elements needs. */
export interface AttributeContext {
  base: string;
  links: SnapshotLinks;
  /** Sandbox of frames within. */
  framesMay: string;
  /** Whether the mark of the action's target belongs to this snapshot. */
  isTarget(mark: string): boolean;
}

/** An element's attributes as they go into markup, and what was recorded of its state beside them. */
export interface RenderedAttributes {
  markup: string;
  /** Of a text area. */
  value: string | null;
  scroll: { top: number; left: number } | null;
  /** Whether the page's own helper styles are needed. */
  isLifted: boolean;
}

/** Zero-specificity stand-ins for what only scripts can set; see `markup`. */
export const SCROLLED = "data-tracedeck-scrolled";
export const LIFTED = "data-tracedeck-lifted";

/** Leads nowhere, yet keeps a link a link in the eyes of a style sheet. */
const NOWHERE = "#_";
/** How the target of an action is outlined. */
export const TARGET_STYLE =
  "outline:2px solid #d9480f!important;outline-offset:1px!important;box-shadow:0 0 0 4px #d9480f55!important";

const NAME = /^[^\s"'<>/=\p{Cc}]{1,200}$/u;
/** Code, where a form or a link leads, what a frame may do, what takes the focus or plays by itself. */
const DROPPED = new Set(
  `action allow archive attributionsrc autofocus autoplay classid code codebase crossorigin csp data download elementtiming
  form formaction formmethod formtarget http-equiv imagesizes imagesrcset integrity is itemid itemtype loading longdesc lowsrc
  manifest method nonce ping popovertarget profile referrerpolicy sandbox shadowrootclonable shadowrootdelegatesfocus
  shadowrootmode shadowrootserializable srcdoc target usemap ${SCROLLED} ${LIFTED}`.split(/\s+/),
);
/** Of these the name decides how form controls look or group. */
const NAMED = new Set(["INPUT", "DETAILS", "SLOT", "BUTTON", "SELECT", "TEXTAREA"]);
const LOADING = new Set(["IMG", "INPUT", "SOURCE", "VIDEO", "AUDIO", "TRACK"]);
/** Of SVG: what says in the words of a style sheet how something is drawn, and what it is animated to. */
const STYLED = new Set(
  "clip-path cursor fill filter marker marker-end marker-mid marker-start mask stroke by from to values".split(
    " ",
  ),
);
const CODE = /^[\s\p{Cc}]*(?:javascript|vbscript|data\s*:\s*(?:text\/html|application\/xhtml|image\/svg))/iu;
const OWN = "__playwright_";

/**
 * The attributes of a captured element without anything that acts, and with its recorded state written into them.
 * @param tag in capitals
 * @param recorded by their names in small letters
 */
export function renderAttributes(
  tag: string,
  recorded: Record<string, unknown>,
  context: AttributeContext,
): RenderedAttributes {
  const attributes = new Map<string, string>();
  for (const [name, value] of Object.entries(recorded)) {
    if (typeof value !== "string" || name.startsWith(OWN)) continue;
    const kept = keep(tag, name, value, recorded, context);
    if (kept !== null) attributes.set(name, kept);
  }
  const state = (name: string) => {
    const value = recorded[`${OWN}${name}`];
    return typeof value === "string" ? value : null;
  };
  const value = state("value_");
  if (tag === "INPUT" && value !== null && attributes.get("type")?.toLowerCase() !== "file")
    attributes.set("value", value);
  if (tag === "INPUT") toggle(attributes, "checked", state("checked_"));
  if (tag === "OPTION") toggle(attributes, "selected", state("selected_"));
  if (tag === "DIALOG" && state("dialog_open_") !== null) attributes.set("open", "");
  const isLifted = state("popover_open_") !== null || state("dialog_open_") === "modal";
  if (isLifted) attributes.set(LIFTED, state("dialog_open_") === "modal" ? "modal" : "popover");
  const scroll = scrollOf(state("scroll_top_"), state("scroll_left_"));
  if (scroll) attributes.set(SCROLLED, "");
  const mark = state("target__");
  if (mark !== null && context.isTarget(mark)) {
    const style = attributes.get("style");
    attributes.set("style", style ? `${style};${TARGET_STYLE}` : TARGET_STYLE);
  }
  if (tag === "IFRAME") attributes.set("sandbox", context.framesMay);
  let markup = "";
  for (const [name, kept] of attributes) markup += ` ${name}="${escapeAttribute(kept)}"`;
  return { markup, value, scroll, isLifted };
}

function keep(
  tag: string,
  name: string,
  value: string,
  recorded: Record<string, unknown>,
  { base, links }: AttributeContext,
): string | null {
  const current = tag === "IMG" ? recorded[`${OWN}current_src__`] : undefined;
  switch (name) {
    case "style":
      return rewriteCss(value, base, links);
    case "src":
      if (tag === "IFRAME" || tag === "FRAME") return frameAddress(value, links);
      if (!LOADING.has(tag)) return null;
      return picture(typeof current === "string" && current !== "" ? current : value, base, links);
    case "srcset":
      if (typeof current === "string" && current !== "") return null;
      return tag === "IMG" || tag === "SOURCE" ? pictureSet(value, base, links) : null;
    case "poster":
    case "background":
      return picture(value, base, links);
    case "href":
    case "xlink:href":
      return reference(tag, value, base, links);
    case "name":
      return NAMED.has(tag) ? value : null;
    default:
      if (STYLED.has(name)) return rewriteCss(value, base, links);
      if (!NAME.test(name) || name.startsWith("on") || DROPPED.has(name) || CODE.test(value)) return null;
      return value;
  }
}

/** Recorders write `/snapshot/<frame id>` for a frame that they have seen. */
function frameAddress(value: string, links: SnapshotLinks): string | null {
  const id = /^\/snapshot\/([^/?#]{1,200})$/.exec(value)?.[1];
  return id ? links.frame(id) : null;
}

function reference(tag: string, value: string, base: string, links: SnapshotLinks): string | null {
  if (tag === "LINK") {
    const url = absoluteUrl(value.trim(), base);
    return url === null ? null : links.sheet(url);
  }
  if (value.startsWith("#")) return value;
  const lower = tag.toLowerCase();
  if (lower === "a" || lower === "area") return NOWHERE;
  return lower === "image" || lower === "feimage" ? picture(value, base, links) : null;
}

function picture(value: string, base: string, links: SnapshotLinks): string | null {
  const trimmed = value.trim();
  if (/^data:(?:image|font|audio|video)\//i.test(trimmed)) return trimmed;
  const url = absoluteUrl(trimmed, base);
  return url === null ? null : links.resource(url);
}

function pictureSet(value: string, base: string, links: SnapshotLinks): string | null {
  const kept: string[] = [];
  for (const [, url, size] of value.matchAll(
    /(?<![^\s,])([^\s,]\S*[^\s,]|[^\s,])(\s+[\d.]+[wxh])?\s*(?:,|$)/g,
  )) {
    const address = picture(url!, base, links);
    if (address !== null) kept.push(address + (size ?? ""));
  }
  return kept.length > 0 ? kept.join(", ") : null;
}

function toggle(attributes: Map<string, string>, name: string, recorded: string | null): void {
  if (recorded === "true") attributes.set(name, "");
  else if (recorded === "false") attributes.delete(name);
}

function scrollOf(top: string | null, left: string | null): { top: number; left: number } | null {
  const pixels = (text: string | null) => {
    const value = Number(text ?? 0);
    return Number.isFinite(value) && Math.abs(value) < 1e7 ? value : 0;
  };
  const scroll = { top: pixels(top), left: pixels(left) };
  return scroll.top === 0 && scroll.left === 0 ? null : scroll;
}

export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', "&quot;");
}

/** HTML standard, 13.3, "escaping a string"; and what a parser would not read as it was: NUL, and CR, a line end to it. */
export function escapeText(text: string): string {
  return text
    .replaceAll("\0", "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}
