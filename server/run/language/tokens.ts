import type { Reference, Text } from "./ast.ts";
import { StepProblem } from "./problem.ts";

export type Token = { offset: number; source: string } & (
  | { type: "word" }
  | { type: "text"; value: Text }
  | { type: "number"; value: number }
  | { type: "duration"; ms: number }
  | { type: "comma" }
  | { type: "end" }
);

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", $: "$", n: "\n", t: "\t" };

const SPACE = /\s+/y;
const WORD = /[A-Za-z][\w-]*/y;
const DURATION = /(?:\d+(?:\.\d+)?(?:ms|[smhd]))+(?![\w.])/y;
const NUMBER = /\d+(?![\w.])/y;
const REFERENCE = /\$\{([^}"]*)\}/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;
const CURLY_QUOTES = /[“”„«»‘’]/;

/**
 * Reads a line of a scenario from an offset to its end.
 * @throws StepProblem at what is no token
 */
export function tokenize(line: string, from: number): Token[] {
  const tokens: Token[] = [];
  let at = from;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(line);
  };
  for (;;) {
    at += match(SPACE)?.[0].length ?? 0;
    if (at >= line.length) break;
    const offset = at;
    if (line[at] === '"') {
      const { value, end } = readText(line, at);
      at = end;
      tokens.push({ type: "text", value, offset, source: line.slice(offset, at) });
      continue;
    }
    const found = match(DURATION) ?? match(NUMBER) ?? match(WORD);
    if (found) {
      at += found[0].length;
      tokens.push(plainToken(found[0], offset));
    } else if (line[at] === ",") {
      at += 1;
      tokens.push({ type: "comma", offset, source: "," });
    } else {
      throw unreadable(line, at);
    }
  }
  tokens.push({ type: "end", offset: line.trimEnd().length, source: "" });
  return tokens;
}

function plainToken(source: string, offset: number): Token {
  if (/^[A-Za-z]/.test(source)) return { type: "word", offset, source };
  if (/^\d+$/.test(source)) return { type: "number", value: Number(source), offset, source };
  let ms = 0;
  for (const [, count, unit] of source.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|[smhd])/g))
    ms += Number(count) * (UNITS[unit ?? ""] ?? 0);
  return { type: "duration", ms: Math.round(ms), offset, source };
}

function unreadable(line: string, at: number): StepProblem {
  const char = String.fromCodePoint(line.codePointAt(at) ?? 0);
  if (CURLY_QUOTES.test(char))
    return new StepProblem(at, `text stands in straight quotes ("), not in ${char}`, ['"text"']);
  if (char === "'")
    return new StepProblem(at, `text stands in double quotes ("), not in single ones`, ['"text"']);
  if (/\d/.test(char))
    return new StepProblem(at, "a number or a duration such as 250ms, 5s, 2h or 1h30m was expected here", [
      "duration",
    ]);
  if (CONTROL.test(char)) return controlCharacter(at, char);
  return new StepProblem(at, `"${char}" has no meaning here`);
}

/** A character that nobody sees is named by its number. */
const controlCharacter = (at: number, char: string): StepProblem =>
  new StepProblem(
    at,
    `the control character U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")} has no place in a step`,
  );

/** Text between double quotes, with `\"`, `\\`, `\n`, `\t`, `\$` and references `${…}`. */
function readText(line: string, start: number): { value: Text; end: number } {
  const parts: (string | Reference)[] = [];
  let plain = "";
  let at = start + 1;
  while (at < line.length && line[at] !== '"') {
    const char = line[at] as string;
    if (CONTROL.test(char)) throw controlCharacter(at, char);
    if (char === "\\") {
      const escaped = ESCAPES[line[at + 1] ?? ""];
      if (escaped === undefined)
        throw new StepProblem(at, 'after \\ one of " \\ $ n t was expected', [
          '\\"',
          "\\\\",
          "\\$",
          "\\n",
          "\\t",
        ]);
      plain += escaped;
      at += 2;
    } else if (char === "$" && line[at + 1] === "{") {
      const { ref, end } = readReference(line, at);
      if (plain !== "") parts.push(plain);
      plain = "";
      parts.push({ ref });
      at = end;
    } else {
      plain += char;
      at += 1;
    }
  }
  if (at >= line.length)
    throw new StepProblem(start, 'the text that begins here is not closed with "', ['"']);
  if (parts.length === 0) return { value: plain, end: at + 1 };
  if (plain !== "") parts.push(plain);
  return { value: { parts }, end: at + 1 };
}

const NAMESPACES: { pattern: RegExp; form: string }[] = [
  { pattern: /^secrets\.[A-Za-z_][A-Za-z0-9_]{0,63}$/, form: "secrets.NAME" },
  { pattern: /^synthetic\.(email|name|region|shard)$/, form: "synthetic.email" },
  { pattern: /^clones\.((email|payments|record)\.url|email\.smtp)$/, form: "clones.payments.url" },
  { pattern: /^vars\.[a-z][a-z0-9_]{0,63}$/, form: "vars.name" },
];

function readReference(line: string, at: number): { ref: string; end: number } {
  REFERENCE.lastIndex = at;
  const found = REFERENCE.exec(line);
  const forms = NAMESPACES.map(({ form }) => `\${${form}}`);
  if (!found)
    throw new StepProblem(
      at,
      "the reference that begins here is not closed with }; write \\$ for a plain $",
      forms,
    );
  const ref = (found[1] ?? "").trim();
  if (!NAMESPACES.some(({ pattern }) => pattern.test(ref)))
    throw new StepProblem(at, `\${${ref}} refers to nothing; there are ${forms.join(", ")}`, forms);
  return { ref, end: at + found[0].length };
}
