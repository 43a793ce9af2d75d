import {
  type Box,
  type Brief,
  type Calls,
  type ElementDetail,
  type ElementId,
  MOST_NEAR,
  MOST_SHOWN,
  type Near,
  type News,
  type Suggestion,
  type TreeNode,
} from "./protocol.ts";

/** Answers null for what is not as it should be. */
type Check<T> = (value: unknown) => T | null;

const TEXT = 2_000;
const LINES = 100_000;
const MOST_OF_A_LIST = 200;

const text: Check<string> = (value) => (typeof value === "string" ? value.slice(0, TEXT) : null);
const number: Check<number> = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);
const flag: Check<boolean> = (value) => (typeof value === "boolean" ? value : null);
const id: Check<ElementId> = (value) =>
  typeof value === "string" && /^\d{1,9}(?:\.\d{1,9}){0,20}$/.test(value) ? value : null;

/** Wraps what may be null, so that null can still mean wrong. */
interface Maybe<T> {
  maybe: Check<T>;
}
const maybe = <T>(check: Check<T>): Maybe<T> => ({ maybe: check });

type Shape<T> = { [Key in keyof T]-?: null extends T[Key] ? Maybe<NonNullable<T[Key]>> : Check<T[Key]> };

function object<T extends object>(shape: Shape<T>): Check<T> {
  return (value) => {
    if (typeof value !== "object" || value === null) return null;
    const found: Record<string, unknown> = {};
    for (const [key, check] of Object.entries(shape) as [string, Check<unknown> | Maybe<unknown>][]) {
      const given = (value as Record<string, unknown>)[key];
      const isAbsent = typeof check === "object" && (given === null || given === undefined);
      const read = isAbsent ? null : (typeof check === "object" ? check.maybe : check)(given);
      if (read === null && !isAbsent) return null;
      found[key] = read;
    }
    return found as T;
  };
}

function list<T>(check: Check<T>, most = MOST_OF_A_LIST): Check<T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) return null;
    const found = value.map(check);
    return found.includes(null) ? null : (found as T[]);
  };
}

const pair: Check<[string, string]> = (value) => {
  const both = list(text, 2)(value);
  return both?.length === 2 ? (both as [string, string]) : null;
};

const BRIEF: Shape<Brief> = { id, tag: text, role: maybe(text), name: text };
const brief = object<Brief>(BRIEF);

const detail = object<ElementDetail>({
  ...BRIEF,
  description: text,
  states: list(text),
  value: maybe(text),
  text,
  box: object<Box>({ x: number, y: number, width: number, height: number }),
  attributes: list(pair),
  suggestions: list(object<Suggestion>({ code: text, target: maybe(text), count: number })),
  ancestors: list(brief),
  isHidden: flag,
});

const node = object<TreeNode>({
  id,
  depth: number,
  role: text,
  name: text,
  states: list(text),
  value: maybe(text),
});

type Answer<Name extends keyof Calls> = ReturnType<Calls[Name]>;

const ANSWERS: { [Name in keyof Calls]: Check<Answer<Name>> | null } = {
  start: object<Answer<"start">>({ elements: number, silentFrames: number }),
  detail,
  tree: object<Answer<"tree">>({ nodes: list(node, LINES), leftOut: number }),
  try: object<Answer<"try">>({
    matches: list(brief, MOST_SHOWN),
    total: number,
    steps: list(object<{ code: string; count: number }>({ code: text, count: number })),
    near: list(object<Near>({ ...BRIEF, code: text }), MOST_NEAR),
  }),
  outline: null,
  pick: null,
  move: null,
  choose: null,
};

/**
 * An answer of the inspector, as far as it is one: cut to bounds, without what does not belong to it.
 * @throws Error when it has another shape
 */
export function readAnswer<Name extends keyof Calls>(name: Name, value: unknown): Answer<Name> {
  const check = ANSWERS[name];
  if (check === null || (name === "detail" && value === null)) return null as Answer<Name>;
  const answer = check(value);
  if (answer === null) throw new Error("The page's inspector gave an answer of another shape.");
  return answer as Answer<Name>;
}

/** What the inspector told unasked; null when it is nothing that it should tell. */
export function readNews(
  message: unknown,
): { [Kind in keyof News]: { kind: Kind; news: News[Kind] } }[keyof News] | null {
  if (typeof message !== "object" || message === null || !("kind" in message)) return null;
  const kind = message.kind;
  if (kind === "left") return { kind, news: null };
  const given = "news" in message ? message.news : null;
  if (kind === "hovered") {
    const news = brief(given);
    return news && { kind, news };
  }
  if (kind !== "chosen") return null;
  const news = id(given);
  return news === null ? null : { kind, news };
}
