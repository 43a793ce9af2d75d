import { ariaDifference } from "./aria-lines.ts";

/** Longest message kept anywhere, in characters. */
export const MAX_MESSAGE = 16_384;

// Escape sequences of terminals (ECMA-48): CSI, OSC up to its terminator, and two-character ones.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g;
const LABEL = /^[ \t]*(Expected|Received)(?:[ \t]+[a-z][a-z ]{0,40})?[ \t]*:[ \t]*(?![ \t])(.*)$/;
const ENDS_VALUE =
  /^[ \t]*(?:Expected|Received|Locator|Timeout|Call log|Error|Matcher|Difference|at )\b|^[ \t]*$/;

/** The text without terminal colours and control characters (line feeds and tabs stay), cut to `max` characters. */
export function plainText(text: string, max = MAX_MESSAGE): string {
  const bounded = text.length > max * 4 ? text.slice(0, max * 4) : text;
  const plain = bounded.replace(/\r\n?/g, "\n").replace(ESCAPES, "").replace(CONTROLS, "").trim();
  return plain.length > max ? cut(plain, max) : alone(plain, text);
}

/** At most `max` characters, an ellipsis in the place of what is missing; never half of a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.codePointAt(max - 2)! > 0xffff ? max - 2 : max - 1;
  return alone(`${text.slice(0, end)}…`, text);
}

/** Past this a part of a text is copied: the engine keeps the whole of a text in memory for as long as a part of it is held. */
const WORTH_A_COPY = 1_024;

/** A part of a text, without holding the rest of it. */
function alone(part: string, whole: string): string {
  return whole.length - part.length < WORTH_A_COPY ? part : (JSON.parse(JSON.stringify(part)) as string);
}

/**
 * Bidirectional overrides and isolates could make a line read as something else than it is; zero-width ones hide. Tags and the
 * supplement of variation selectors show nothing at all and can spell any text, which a model reads.
 */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** The text without characters that hide or reorder others. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

/** Plain text on one line, without characters that hide or reorder others. */
export function oneLine(text: string): string {
  return withoutInvisible(plainText(text)).replace(/\s+/g, " ").trim();
}

/** The first line: what a list shows. */
export function headline(text: string, max = 300): string {
  const line = text.split("\n", 1)[0] ?? "";
  return cut(line.trim(), max);
}

/**
 * What an assertion wanted and got, read from its message the way Playwright's and Jest's matchers print it
 * (`Expected string: "a"` / `Received: "b"`, values may run over several lines, or a `- Expected + Received` diff).
 */
export function expectedAndReceived(message: string): { expected?: string; received?: string } {
  const found: { expected?: string; received?: string } = {};
  const lines = message.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const match = LABEL.exec(lines[at]!);
    if (!match) continue;
    const key = match[1] === "Expected" ? "expected" : "received";
    if (found[key] !== undefined) continue;
    const value = [match[2]!];
    while (at + 1 < lines.length && !ENDS_VALUE.test(lines[at + 1]!)) value.push(lines[++at]!);
    const text = value.join("\n").trim();
    if (text !== "") found[key] = cut(text, 4_096);
  }
  return found.expected === undefined && found.received === undefined ? fromDiff(lines) : found;
}

function fromDiff(lines: string[]): { expected?: string; received?: string } {
  const start = lines.findIndex(
    (line, at) => /^- Expected\b/.test(line) && /^\+ Received\b/.test(lines[at + 1] ?? ""),
  );
  if (start < 0) return {};
  const body = lines.slice(start + 2);
  const side = (sign: string) =>
    cut(
      body
        .filter((line) => line.startsWith(sign))
        .map((line) => line.slice(1).trim())
        .join("\n"),
      4_096,
    );
  if (/toMatchAriaSnapshot/.test(lines[0] ?? "")) {
    const difference = ariaDifference(sideOf(body, "-"), sideOf(body, "+"));
    if (difference) return difference;
  }
  const isWhole = isReordered(body) || isResized(body);
  const [expected, received] = isWhole ? [whole(body, "-"), whole(body, "+")] : [side("-"), side("+")];
  return { ...(expected && { expected }), ...(received && { received }) };
}

/** One side of a diff, what both have included. */
const sideOf = (body: readonly string[], sign: "-" | "+"): string[] =>
  body.filter((line) => !line.startsWith(sign === "-" ? "+" : "-")).map((line) => line.replace(/^[-+]/, ""));

const LONGEST_LIST = 40;

/** Whether both sides have the same lines, in another order: then only the whole of each says what differs. */
function isReordered(body: readonly string[]): boolean {
  const of = (sign: string) =>
    body.flatMap((line) => (line.startsWith(sign) ? [line.slice(1).trim().replace(/,$/, "")] : [])).sort();
  const [mine, theirs] = [of("-"), of("+")];
  return mine.length > 0 && body.length <= LONGEST_LIST && mine.join("\n") === theirs.join("\n");
}

/** Whether one list has things more than the other, and nothing else differs: those alone do not say what was wanted or got. */
function isResized(body: readonly string[]): boolean {
  const [isShorter, isLonger] = ["-", "+"].map((sign) => body.some((line) => line.startsWith(sign)));
  const first = body.find((line) => line.trim() !== "");
  return isShorter !== isLonger && first?.trim() === "Array [" && body.length <= LONGEST_LIST;
}

/** One side of a diff with what both have, up to its end, on one line: `[ "a", "b" ]`. */
function whole(body: readonly string[], sign: "-" | "+"): string {
  const from = body.findIndex((line) => line.trim() !== "");
  const end = body.findIndex((line, at) => at > from && line.trim() === "");
  return cut(
    sideOf(body.slice(from, end < 0 ? body.length : end), sign)
      .map((line) => line.trim().replace(/^Array \[$/, "["))
      .join(" ")
      .replace(/, \]$/, " ]"),
    4_096,
  );
}

const LOG_HEADING = /\n[^\S\n]*(?:Call log:|=+ logs =+)[^\S\n]*\n/;

/** A failure's message and the call log that Playwright appends to it. */
export function splitCallLog(message: string): { message: string; log: string[] } {
  const heading = LOG_HEADING.exec(message);
  if (!heading) return { message: message.trim(), log: [] };
  const log = message
    .slice(heading.index + heading[0].length)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^=+$/.test(line.trim()))
    .map((line) => line.replace(/^\s*- /, "").trimEnd());
  return { message: message.slice(0, heading.index).trim(), log };
}
