import { refused } from "./errors.ts";

export const COMPARATORS = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Comparator = (typeof COMPARATORS)[number];

/** A filter (RFC 7644, section 3.4.2.2) as a tree. Paths stand as they were written. */
export type Filter =
  | { op: "and" | "or"; of: Filter[] }
  | { op: "not"; of: Filter }
  | { op: "pr"; path: string }
  | { op: Comparator; path: string; value: string | number | boolean | null }
  | { op: "[]"; path: string; of: Filter };

/** Where a change of PATCH goes: an attribute, some of its values, and what of these. */
export interface PatchPath {
  path: string;
  filter: Filter | null;
  sub: string | null;
}

export const MAX_FILTER_LENGTH = 8192;
const MAX_DEPTH = 32;
const TOKEN =
  /\s+|([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:-]))|(\.?[A-Za-z$][\w$.:-]*)/y;

type Token = { kind: "sign" | "text" | "number" | "word" | "end"; text: string; at: number };

/** @throws AppError 400 `invalidFilter`, which says where */
export function parseFilter(text: string): Filter {
  const reader = createReader(text, "invalidFilter");
  const filter = readOr(reader, 0);
  reader.end();
  return filter;
}

/** @throws AppError 400 `invalidPath`, which says where */
export function parsePath(text: string): PatchPath {
  const reader = createReader(text, "invalidPath");
  const path = reader.word("an attribute");
  if (!reader.takes("[")) {
    reader.end();
    return { path, filter: null, sub: null };
  }
  const filter = readOr(reader, 1);
  reader.need("]");
  const sub = reader.subAttribute();
  reader.end();
  return { path, filter, sub };
}

function readOr(reader: Reader, depth: number): Filter {
  const of = [readAnd(reader, depth)];
  while (reader.takes("or")) of.push(readAnd(reader, depth));
  return of.length === 1 ? of[0]! : { op: "or", of };
}

function readAnd(reader: Reader, depth: number): Filter {
  const of = [readOne(reader, depth)];
  while (reader.takes("and")) of.push(readOne(reader, depth));
  return of.length === 1 ? of[0]! : { op: "and", of };
}

function readOne(reader: Reader, depth: number): Filter {
  if (depth > MAX_DEPTH) throw reader.wrong(`nests deeper than ${MAX_DEPTH} levels`);
  if (reader.takesNot()) return { op: "not", of: readGroup(reader, depth) };
  if (reader.sees("(")) return readGroup(reader, depth);
  const path = reader.word("an attribute");
  if (!reader.takes("[")) return readComparison(reader, path);
  const of = readOr(reader, depth + 1);
  reader.need("]");
  const sub = reader.subAttribute();
  // Not in the grammar, and sent by Entra: `emails[type eq "work"].value eq "…"`.
  return { op: "[]", path, of: sub === null ? of : { op: "and", of: [of, readComparison(reader, sub)] } };
}

function readGroup(reader: Reader, depth: number): Filter {
  reader.need("(");
  const filter = readOr(reader, depth + 1);
  reader.need(")");
  return filter;
}

function readComparison(reader: Reader, path: string): Filter {
  const op = reader.word(`one of pr, ${COMPARATORS.join(", ")}`).toLowerCase();
  if (op === "pr") return { op, path };
  if (!(COMPARATORS as readonly string[]).includes(op))
    throw reader.wrong(`has no operator "${op}"; there are pr, ${COMPARATORS.join(", ")}`);
  return { op: op as Comparator, path, value: reader.value() };
}

type Reader = ReturnType<typeof createReader>;

function createReader(text: string, scimType: "invalidFilter" | "invalidPath") {
  const what = scimType === "invalidFilter" ? "The filter" : "The path";
  if (text.length > MAX_FILTER_LENGTH)
    throw refused(scimType, `${what} may have at most ${MAX_FILTER_LENGTH} characters.`);
  const tokens = tokenize(text, (at) =>
    refused(scimType, `${what} cannot be read from character ${at + 1} on.`),
  );
  let next = 0;
  const peek = (): Token => tokens[next]!;

  const wrong = (problem: string) => refused(scimType, `${what} ${problem} (character ${peek().at + 1}).`);
  const sees = (sign: string) => peek().kind !== "text" && peek().text.toLowerCase() === sign;
  const takes = (sign: string): boolean => {
    if (!sees(sign)) return false;
    next++;
    return true;
  };
  return {
    wrong,
    sees,
    takes,
    /** `not` is an operator before a group alone. */
    takesNot: () => sees("not") && tokens[next + 1]?.text === "(" && takes("not"),
    need(sign: string) {
      if (!takes(sign)) throw wrong(`needs "${sign}"`);
    },
    word(meant: string): string {
      const { kind, text: word } = peek();
      if (kind !== "word" || word.startsWith(".") || word.endsWith(".")) throw wrong(`needs ${meant}`);
      next++;
      return word;
    },
    subAttribute(): string | null {
      const { kind, text: word } = peek();
      if (kind !== "word" || !word.startsWith(".")) return null;
      next++;
      return word.slice(1);
    },
    value(): string | number | boolean | null {
      const { kind, text: word } = peek();
      const constant = { true: true, false: false, null: null }[word.toLowerCase()];
      if (kind === "word" && constant === undefined)
        throw wrong("needs a value in double quotes, a number, true, false or null");
      if (kind !== "word" && kind !== "text" && kind !== "number") throw wrong("needs a value");
      try {
        const value = kind === "word" ? (constant as boolean | null) : (JSON.parse(word) as string | number);
        next++;
        return value;
      } catch {
        throw wrong("has a value that is no JSON text");
      }
    },
    end() {
      if (peek().kind !== "end") throw wrong("goes on where it should end");
    },
  };
}

const KINDS = ["sign", "text", "number", "word"] as const;

function tokenize(text: string, wrong: (at: number) => Error): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text);
    if (!found) throw wrong(at);
    const kind = KINDS.find((_, index) => found[index + 1] !== undefined);
    if (kind) tokens.push({ kind, text: found[0], at });
  }
  tokens.push({ kind: "end", text: "", at: text.length });
  return tokens;
}
