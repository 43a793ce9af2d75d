import { type AtRule, type ChildNode, parse, type Rule } from "postcss";

/** A style sheet in pieces that can be left out. */
type Piece = string | UsableRule | { opening: string; pieces: Piece[] };

interface UsableRule {
  /** One of a list each, with the classes that an element and those around it must have. */
  selectors: { text: string; classes: string[] }[];
  declarations: string;
}

const CLASS_ATTRIBUTE = /\sclass="([^"]*)"/g;
/** What of a selector may have dots before names that are no classes, or classes that nothing needs. */
const OTHER_PARTS = /\[[^\]]*\]|:[\w-]+\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g;

/**
 * Reads a style sheet once, to tell what of it a page uses: all but the selectors with a class that nothing in it has, and what
 * holds on paper only.
 * The order is the style sheet's.
 * @returns takes markup, in which double quotes stand escaped outside of tags; gives the style sheet for it
 * @throws CssSyntaxError
 */
export function readStyle(sheet: string): (markup: string) => string {
  const pieces = parse(sheet).nodes.map(pieceOf);
  return (markup) => {
    const classes = new Set(
      [...markup.matchAll(CLASS_ATTRIBUTE)].flatMap(([, names = ""]) => names.split(/\s+/)),
    );
    return written(pieces, classes);
  };
}

function pieceOf(node: ChildNode): Piece {
  if (node.type === "rule") return usableRule(node);
  // By the time that somebody prints, the viewer has started with the whole style sheet.
  if (node.type === "atrule" && node.name === "media" && node.params === "print") return "";
  if (node.type === "atrule" && node.nodes && !node.name.endsWith("keyframes"))
    return { opening: openingOf(node), pieces: node.nodes.map(pieceOf) };
  // A statement among at-rules needs its end, a declaration among nested rules too.
  return `${node}${node.type === "atrule" && node.nodes ? "" : ";"}`;
}

const openingOf = ({ name, params }: AtRule): string => `@${name}${params && ` ${params}`}`;

const usableRule = ({ selectors, nodes }: Rule): UsableRule => ({
  selectors: selectors.map((text) => ({ text, classes: classesOf(text) })),
  declarations: nodes.map(String).join(";"),
});

/** None of a selector with an escaped name: it stays. */
const classesOf = (selector: string): string[] =>
  selector.includes("\\")
    ? []
    : [...selector.replace(OTHER_PARTS, "").matchAll(/\.([\w-]+)/g)].map(([, name = ""]) => name);

function written(pieces: readonly Piece[], classes: ReadonlySet<string>): string {
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return piece;
      if ("opening" in piece) {
        const inside = written(piece.pieces, classes);
        return inside && `${piece.opening}{${inside}}`;
      }
      const used = piece.selectors.filter((selector) => selector.classes.every((name) => classes.has(name)));
      return used.length > 0 ? `${used.map(({ text }) => text).join(",")}{${piece.declarations}}` : "";
    })
    .join("");
}
