/** What a parser of HTML makes of an element, by where it stands (HTML standard, 13.2.6, "tree construction"). */
export type Namespace = "html" | "svg" | "math";

/**
 * What start tags become at a place: elements of a namespace; `mathText`: HTML, but for two elements of MathML;
 * `annotation`: MathML, but for `svg`.
 */
export type Inside = Namespace | "mathText" | "annotation";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** HTML integration points of SVG. */
const HTML_IN_SVG = words("FOREIGNOBJECT DESC TITLE");
/** MathML text integration points. */
const HTML_IN_MATH = words("MI MO MN MS MTEXT");
const MATH_IN_TEXT = words("MGLYPH MALIGNMARK");
/** Start tags that end SVG and MathML (13.2.6.5): no markup can put such an element there. */
const ENDS_FOREIGN = words(
  `B BIG BLOCKQUOTE BODY BR CENTER CODE DD DIV DL DT EM EMBED H1 H2 H3 H4 H5 H6 HEAD HR I IMG LI LISTING MENU META NOBR OL
  P PRE RUBY S SMALL SPAN STRIKE STRONG SUB SUP TABLE TT U UL VAR`,
);
const FONT_ATTRIBUTES = ["color", "face", "size"];

/** The namespace that a parser puts an element in. @param tag in capitals */
export function namespaceAt(inside: Inside, tag: string): Namespace {
  if (inside === "svg" || inside === "math") return inside;
  if (inside === "annotation") return tag === "SVG" ? "svg" : "math";
  if (inside === "mathText" && MATH_IN_TEXT.has(tag)) return "math";
  if (tag === "SVG") return "svg";
  return tag === "MATH" ? "math" : "html";
}

/**
 * What start tags become within an element.
 * @param tag in capitals
 * @param attributes by their names in small letters
 */
export function insideOf(namespace: Namespace, tag: string, attributes: Record<string, unknown>): Inside {
  if (namespace === "svg") return HTML_IN_SVG.has(tag) ? "html" : "svg";
  if (namespace === "html") return "html";
  if (HTML_IN_MATH.has(tag)) return "mathText";
  if (tag !== "ANNOTATION-XML") return "math";
  const encoding = typeof attributes.encoding === "string" ? attributes.encoding.toLowerCase() : "";
  return encoding === "text/html" || encoding === "application/xhtml+xml" ? "html" : "annotation";
}

/** Whether a start tag of this name ends the SVG or MathML that it stands in. */
export function endsForeign(namespace: Namespace, tag: string, attributes: Record<string, unknown>): boolean {
  if (namespace === "html") return false;
  return ENDS_FOREIGN.has(tag) || (tag === "FONT" && FONT_ATTRIBUTES.some((name) => name in attributes));
}
