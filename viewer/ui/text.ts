import { counted } from "../../server/trace/format/words.ts";
import { indentJson } from "./indent-json.ts";

/**
 * Captured text is data from a page nobody vouches for. It reaches the document as text nodes only; these functions
 * also keep it short and make characters that would reorder or hide their neighbours visible.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Shows control and direction characters as signs: NUL as ␀, U+202E as ⟦202E⟧. Line feeds and tabs stay. */
export function reveal(text: string): string {
  return text
    .replace(CONTROL, (character) =>
      character === "\r"
        ? ""
        : character === "\u007f"
          ? "␡"
          : String.fromCharCode(0x2400 + character.charCodeAt(0)),
    )
    .replace(
      DIRECTION,
      (character) => `⟦${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`,
    );
}

/** One line of at most `max` characters, for rows. */
export function oneLine(text: unknown, max = 300): string {
  const source = typeof text === "string" ? text : text === undefined || text === null ? "" : String(text);
  const cut = source.length > max ? `${source.slice(0, max)}…` : source;
  return reveal(cut).replace(/\s+/g, " ").trim();
}

/** At most `max` characters with their line breaks, for blocks. */
export function block(text: unknown, max = 20_000): string {
  const source = typeof text === "string" ? text : text === undefined || text === null ? "" : String(text);
  if (source.length <= max) return reveal(source);
  return `${reveal(source.slice(0, max))}\n… ${counted(source.length - max, "more character")}`;
}

/** A captured address as a link target: http and https only, else null. */
export function safeHref(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && (parsed.protocol === "https:" || parsed.protocol === "http:") ? parsed.href : null;
}

/** Host and path of a URL for narrow columns; the text itself where it is no URL. */
export function shortUrl(url: string): { host: string; path: string } {
  if (url.startsWith("data:")) return { host: "", path: oneLine(url, 60) };
  const parsed = URL.parse(url);
  if (!parsed) return { host: "", path: oneLine(url, 200) };
  return { host: parsed.host, path: oneLine(`${parsed.pathname}${parsed.search}`, 200) };
}

/** JSON with indents where the text is JSON, else the text as it is. Nothing but white space is other than in the text. */
export function pretty(text: string): { text: string; json: boolean } {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return { text, json: false };
  try {
    JSON.parse(text);
  } catch {
    return { text, json: false };
  }
  return { text: indentJson(text) ?? text, json: true };
}
