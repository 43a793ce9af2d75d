import { quoted } from "../words.ts";

/** Whether two values are written alike and are of other types: 105 and “105”, but also “105.00”; true and “true”; null and “null”. */
export const isRetyped = (now: unknown, before: unknown): boolean =>
  typeof now !== typeof before &&
  [now, before].every(isPlain) &&
  (String(now) === String(before) || isSameNumber(now, before));

const isPlain = (value: unknown): boolean => value === null || PLAIN.has(typeof value);
const PLAIN: ReadonlySet<string> = new Set(["string", "number", "boolean"]);

const isSameNumber = (now: unknown, before: unknown): boolean =>
  [now, before].every(
    (value) => typeof value === "number" || (typeof value === "string" && value.trim() !== ""),
  ) && Number(now) === Number(before);

const MAX_VALUE = 60;

/** A value with its type, by which alone it may be another one. */
export const withKind = (value: unknown): string =>
  typeof value === "string"
    ? `the text ${quoted(value, MAX_VALUE)}`
    : typeof value === "number"
      ? `the number ${value}`
      : `the value ${JSON.stringify(value)}`;
