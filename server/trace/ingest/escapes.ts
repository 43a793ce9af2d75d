/** Two halves of one character are one; a backslash takes what follows with it, so that of `\\u` nothing is an escape. */
const ESCAPE = /\\(?:u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-f]{4})|.)/gi;

/**
 * A JSON text with its escapes as `JSON.stringify` writes them, which is how a text search asks for them: `\u00fc` is ü,
 * `\/` is a slash, and what must be escaped is so in the shortest way. All else stays as it is written: numbers, spaces,
 * names of fields. It never gets longer.
 * @param line a JSON text: within one, backslashes stand in strings alone
 */
export function withPlainEscapes(line: string): string {
  if (!line.includes("\\u") && !line.includes("\\/")) return line;
  return line.replace(ESCAPE, (written: string, high?: string, low?: string, single?: string) => {
    if (written === "\\/") return "/";
    const units = high !== undefined ? [high, low!] : single !== undefined ? [single] : null;
    if (units === null) return written;
    const text = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
    return JSON.stringify(text).slice(1, -1);
  });
}
