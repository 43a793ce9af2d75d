import { createHash } from "node:crypto";
import { plainText } from "./error-text.ts";

const MAX_INPUT = 4_096;

/** One stand-in for everything that differs between two occurrences of the same failure. */
const VARIES = "#";

const URL_TEXT = /\b(?:https?|wss?|file):\/\/[^\s"'`<>()]+/g;
// The lookbehind keeps the path of a `//host` or of a fraction such as `a/b` out.
const FILE_PATH = /(?<![\w/.])(?:[A-Za-z]:)?(?:[\\/][\w.@~+-]+)+[\\/]([\w.@~+-]+\.[A-Za-z]\w*)/g;
const QUERY = /\?[\w%.~+[\]-]+(?:=[^\s"'`<>()]*)?(?:&[^\s"'`<>()]*)?/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIMESTAMP =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?/g;
const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
const HEX = /(?<![0-9A-Za-z])(?:0x)?(?:[0-9a-f]{8,}|[0-9A-F]{8,}|(?=[a-f]*\d)[0-9a-f]{7})(?![0-9A-Za-z])/g;
const TOKEN = /[0-9A-Za-z]{10,}/g;
const NUMBER = /\d+(?:[.,]\d+)*(?:e[+-]?\d+)?/g;
/** A sign or a decimal point beside what was replaced: a long number looks like a hash. */
const LEFT_OVER = /(?<!\w)[-−]?#(?:[.,]#)*/g;

/**
 * The message with everything that varies between runs replaced: numbers, ids, hashes, times, the variable parts of
 * paths and query strings. The call log and stack of a message are left out, since they tell how long and where, not what.
 */
export function normaliseFailure(text: string): string {
  const message = plainText(text, MAX_INPUT).split(/\n[^\S\n]*(?:Call log:|at (?:\S+ \()?\S+:\d+)/, 1)[0]!;
  return message
    .replace(URL_TEXT, withoutVariableParts)
    .replace(FILE_PATH, "$1")
    .replace(QUERY, "")
    .replace(UUID, VARIES)
    .replace(TIMESTAMP, VARIES)
    .replace(ULID, VARIES)
    .replace(HEX, VARIES)
    .replace(TOKEN, (token) => (isRandom(token) ? VARIES : token))
    .replace(NUMBER, VARIES)
    .replace(LEFT_OVER, VARIES)
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * `sig_` and 16 hex digits of SHA-256 over failing step, kind and message, normalised: the same failure has the same
 * signature in every run (decisions, section 5).
 */
export function failureSignature(failure: { kind: string; title: string; message: string }): string {
  const parts = [normaliseFailure(failure.title), failure.kind, normaliseFailure(failure.message)];
  return `sig_${createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 16)}`;
}

/** A port is a number, a query and a fragment are variable; the segments are left to the later rules. */
function withoutVariableParts(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/^(\w+:\/\/[^/:]+):\d+/, "$1");
}

/** Letters and digits that change places too often for a word: random ids in base 36, 58, 62. */
function isRandom(token: string): boolean {
  let switches = 0;
  for (let at = 1; at < token.length; at++) if (isDigit(token, at) !== isDigit(token, at - 1)) switches += 1;
  return switches >= 3;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
