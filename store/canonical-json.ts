/**
 * The one way to write a JSON value (RFC 8785): members sorted by UTF-16 code units, numbers and strings as ECMAScript
 * writes them, no space. Members that are undefined are left out.
 * @throws TypeError for what JSON cannot say: numbers that are not finite, functions, cycles.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("JSON has no number that is not finite.");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(",")}}`;
  }
  throw new TypeError(`JSON cannot hold a ${typeof value}.`);
}
