/** How a form writes values as one flat list that refer to each other by their places in it. */
export interface FlatForm {
  /** What numbers below zero stand for. */
  constants: Readonly<Record<number, unknown>>;
  /** Whether the names of objects are references as well: `_12`. */
  hasNamesByReference: boolean;
  /** What a list that begins with a name stands for, where that is another thing than its only part, or all of its parts. */
  tags: Readonly<Record<string, Tag>>;
}

/**
 * @param parts as they are written
 * @param read what a part stands for, where it is a reference
 */
type Tag = (parts: readonly unknown[], read: (part: unknown) => unknown) => unknown;

const MOST_VALUES = 50_000;
const MOST_CHARACTERS = 4_000_000;
const MAX_DEPTH = 40;

/**
 * The value at a place of a flat list. What refers to itself is left out there.
 * @returns undefined when it is larger than what is read of an answer: a short list can stand for more than a memory holds
 */
export function unfolded(values: readonly unknown[], root: number, form: FlatForm): unknown {
  let left = MOST_VALUES;
  let characters = MOST_CHARACTERS;
  let isTooLarge = false;
  const open = new Set<number>();

  const valueAt = (at: unknown): unknown => {
    if (typeof at !== "number" || !Number.isInteger(at)) return undefined;
    if (at < 0) return form.constants[at];
    if (open.has(at) || at >= values.length) return undefined;
    left -= 1;
    isTooLarge ||= left < 0 || open.size > MAX_DEPTH;
    if (isTooLarge) return undefined;
    const value = values[at];
    if (typeof value === "string") characters -= value.length;
    isTooLarge ||= characters < 0;
    if (typeof value !== "object" || value === null) return value;
    open.add(at);
    const whole = Array.isArray(value) ? listOf(value) : recordOf(value);
    open.delete(at);
    return whole;
  };
  const listOf = (list: unknown[]): unknown => {
    const [tag, ...parts] = list;
    if (typeof tag !== "string") return list.map(valueAt);
    const made = Object.hasOwn(form.tags, tag) ? form.tags[tag]! : oneOrAll;
    return made(parts, partOf);
  };
  const partOf = (part: unknown): unknown =>
    typeof part === "number"
      ? valueAt(part)
      : typeof part === "object" && part !== null && !Array.isArray(part)
        ? recordOf(part)
        : part;
  const recordOf = (record: object): unknown =>
    Object.fromEntries(Object.entries(record).map(([name, at]) => [nameOf(name), valueAt(at)]));
  const nameOf = (name: string): string => {
    const named = form.hasNamesByReference ? values[Number(name.slice(1))] : name;
    const text = typeof named === "string" ? named : name;
    characters -= text.length;
    return text;
  };

  const value = valueAt(root);
  return isTooLarge ? undefined : value;
}

/** The values of all parts. */
export const allOf: Tag = (parts, read) => parts.map(read);

const oneOrAll: Tag = (parts, read) => (parts.length > 1 ? parts.map(read) : read(parts[0]));

/** Names and values in turns, as an object; a name that is no text is written as one. */
export const ofPairs: Tag = (parts, read) =>
  Object.fromEntries(
    parts.flatMap((part, nth) => {
      if (nth % 2 === 1) return [];
      const name = read(part);
      return [[typeof name === "string" ? name : (JSON.stringify(name) ?? ""), read(parts[nth + 1])]];
    }),
  );

/** An object of the parts under their names. */
export const named =
  (...names: string[]): Tag =>
  (parts, read) =>
    Object.fromEntries(names.map((name, nth) => [name, read(parts[nth])]));

export const regularExpression: Tag = ([source, flags]) => `/${source}/${flags ?? ""}`;
