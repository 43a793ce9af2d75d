import { allOf, type FlatForm, named, ofPairs, regularExpression, unfolded } from "./flat-values.ts";

const MOST_LINES = 200;

/** As turbo-stream writes values (React Router, Remix). */
const FORM: FlatForm = {
  constants: { [-2]: "NaN", [-3]: "-Infinity", [-4]: 0, [-5]: null, [-6]: "Infinity" },
  hasNamesByReference: true,
  tags: {
    D: ([time]) => timeOf(time),
    B: ([digits]) => digits,
    U: ([address]) => address,
    Y: ([name]) => name,
    E: ([message, name]) => ({ message, name }),
    M: ofPairs,
    N: ([record], read) => read(record),
    R: regularExpression,
    S: allOf,
    ErrorInstance: named("name", "message"),
    SanitizedError: named("name", "message"),
    ErrorResponse: named("data", "status", "statusText"),
  },
};

const timeOf = (time: unknown): string | null =>
  typeof time === "number" && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : null;

/**
 * The value that a text stands for in turbo-stream's form, a list in its first line, and one in each further line for a promise in it;
 * undefined when it is none.
 */
export function ofTurboStream(text: string): unknown {
  const [line = "", ...later] = text.split("\n", MOST_LINES);
  const values = listIn(line);
  if (!values) return undefined;
  const comes = new Map<number, number>();
  for (const one of later) {
    const [, id, list] = /^[PE](\d{1,9}):(.*)$/.exec(one) ?? [];
    const its = list === undefined ? null : numberOrListIn(list);
    if (its === null) continue;
    comes.set(Number(id), typeof its === "number" ? its : values.length);
    if (typeof its !== "number") for (const value of its) values.push(value);
  }
  const tags: FlatForm["tags"] = {
    ...FORM.tags,
    P: ([id], read) => read(comes.get(id as number)),
  };
  return unfolded(values, 0, { ...FORM, tags });
}

/** Told by the names of its first object, or the type that it begins with. */
const BEGINNING = /^\[(?:\{(?:"_\d+":-?\d+[,}])|\["[A-Z]\w{0,40}",)/;

const listIn = (line: string): unknown[] | null => {
  const list = BEGINNING.test(line) ? numberOrListIn(line) : null;
  return Array.isArray(list) ? list : null;
};

function numberOrListIn(json: string): unknown[] | number | null {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) || typeof value === "number" ? value : null;
  } catch {
    return null;
  }
}
