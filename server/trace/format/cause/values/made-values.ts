/** Values that were made for one run, as the normaliser's `<id>` and `<time>` stand for most of them. */

/** Whether a value reads as one. */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^(?=.*\d)[\w-]{6,}$/.test(value);

const MADE = /<(?:id|time)>/;

/** Whether two values are one but for what was made for each run: not every token of a kind looks like an id. */
export const isAnotherId = (one: unknown, other: unknown): boolean =>
  typeof one === "string" && typeof other === "string" && (isMadeAs(one, other) || isMadeAs(other, one));

/** Whether a value fits what stands around the id of another one: `q_k3v9dlbn` to `q_<id>`. */
function isMadeAs(pattern: string, value: string): boolean {
  if (!MADE.test(pattern)) return false;
  // What a person wrote may have an hour in it, and is no id for that.
  if (MADE.test(value)) return Math.max(pattern.length, value.length) <= LONGEST;
  const [before, after, ...more] = pattern.split("<id>");
  if (after === undefined || more.length > 0) return false;
  const made = value.slice(before!.length, value.length - after.length);
  return value.startsWith(before!) && value.endsWith(after) && (isToken(made) || UNSPOKEN.test(made));
}

const LONGEST = 64;

/** Letters that no word has beside one another: one token in thirty has no figure. */
const UNSPOKEN = /^(?=[\w-]{6,64}$).{0,60}[bcdfghjklmnpqrstvwxz]{4}/i;
