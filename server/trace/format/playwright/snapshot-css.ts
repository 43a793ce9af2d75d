/** What a style sheet may load: the address for an absolute URL, or null when nothing was recorded for it. */
export interface CssLinks {
  resource(url: string): string | null;
  sheet(url: string): string | null;
}

const STRINGS = `"((?:[^"\\\\\\n]|\\\\[\\s\\S])*)"|'((?:[^'\\\\\\n]|\\\\[\\s\\S])*)'`;

/** The name of the function, also with its letters escaped. */
const URL_NAME = String.raw`(?<![\w-])(?:u|\\0{0,4}[57]5\s?)(?:r|\\0{0,4}[57]2\s?)(?:l|\\0{0,4}[46]c\s?)`;

/** Comments and strings are matched to be left alone: what looks like a URL inside them is none. */
const TOKENS = new RegExp(
  [
    String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
    String.raw`(@import\s{0,64})?${URL_NAME}\(\s{0,64}(?:${STRINGS}|((?:[^\s"'()\\]|\\[\s\S])*))\s{0,64}\)`,
    String.raw`@import\s{0,64}(?:${STRINGS})`,
    STRINGS,
    String.raw`:defined(?![\w-])`,
  ].join("|"),
  "gi",
);

/** Valid, loads nothing, and is allowed wherever a picture or a font may stand. */
const NOTHING = 'url("data:,")';

/** Every element counts as defined: without scripts none ever is, and pages hide what is not. Same specificity. */
const ALWAYS = ":not(._)";

/**
 * A captured style sheet with every URL pointed to what was recorded for it, and the others to nothing.
 * @param base absolute URL that relative ones start from
 */
export function rewriteCss(css: string, base: string, links: CssLinks): string {
  return css.replace(TOKENS, (match: string, ...groups: (string | undefined)[]) => {
    const [atImport, double, single, bare, importDouble, importSingle] = groups;
    if (match[0] === ":") return ALWAYS;
    const quotedImport = importDouble ?? importSingle;
    const found = quotedImport ?? double ?? single ?? bare;
    if (found === undefined) return match;
    const url = unescapeCss(found).trim();
    if (quotedImport === undefined && atImport === undefined) return picture(url, base, links);
    const target = absoluteUrl(url, base);
    const address = target === null ? null : links.sheet(target);
    // An at-rule that nobody knows is skipped up to its semicolon, conditions included.
    return address === null ? '@-tracedeck-missing ""' : `@import url("${address}")`;
  });
}

function picture(url: string, base: string, links: CssLinks): string {
  if (url.startsWith("#")) return `url("${quoted(url)}")`;
  if (/^data:/i.test(url)) return `url("${quoted(url)}")`;
  const target = absoluteUrl(url, base);
  const address = target === null ? null : links.resource(target);
  return address === null ? NOTHING : `url("${quoted(address)}")`;
}

/** The URL in full; null when it is none or the base is no place to start from. */
export function absoluteUrl(url: string, base: string): string | null {
  if (url === "") return null;
  return URL.parse(url, base)?.href ?? null;
}

function quoted(url: string): string {
  return url.replace(/["\\\n\r\f<]/g, (character) => encodeURIComponent(character));
}

function unescapeCss(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|\r?\n|([\s\S]))/gi,
    (_, hex: string | undefined, character: string | undefined) => {
      if (hex === undefined) return character ?? "";
      const code = Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}

/** A style sheet's text, decoded as its media type says, UTF-8 without a word. */
export function sheetText(bytes: Uint8Array, type: string | null): string {
  const charset = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(type ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset as Bun.Encoding).decode(bytes);
  } catch {
    // A name that nobody knows.
    return new TextDecoder().decode(bytes);
  }
}
