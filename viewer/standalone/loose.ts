/** Fields that name or place an event: a piece of them says nothing about it. */
const IDENTIFIERS = new Set([
  "seq",
  "ts",
  "kind",
  "step_id",
  "parent_step_id",
  "request_id",
  "page",
  "frame",
]);

const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * Whether a stored line has a text the way the server's loose search means it: in its values, not in field names, and in
 * what names the event only as a whole. Letters a to z match in either case unless the text has a capital.
 */
export function looseMatcher(text: string): (line: string) => boolean {
  const fold = /\p{Lu}/u.test(text) ? (value: string) => value : lower;
  const quick = JSON.stringify(text).slice(1, -1);

  function holds(name: string, value: unknown): boolean {
    if (Array.isArray(value)) return value.some((entry) => holds("", entry));
    if (value !== null && typeof value === "object")
      return Object.entries(value).some(([key, inner]) => holds(key, inner));
    const own = fold(String(value));
    return IDENTIFIERS.has(name) ? own === text : own.includes(text);
  }
  return (line) => fold(line).includes(quick) && holds("", JSON.parse(line));
}
