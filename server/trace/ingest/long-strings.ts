/** UTF-8 bytes of a string within an event; a longer one is stored as a blob (specification, section 1). */
export const LONGEST_STRING = 256 << 10;

const MOST_BYTES_PER_UNIT = 3;

export interface LongString {
  bytes: Buffer;
  /** Hex. */
  sha256: string;
}

const NONE: readonly LongString[] = [];

/**
 * Takes the long strings out of an event's line: in the place of each stands the reference `sha256:<hex>` to its UTF-8
 * bytes. All else stays as it is written, names of fields too.
 * @param line a JSON text; one that is none may come back changed, and is none then either
 */
export function withoutLongStrings(line: string): { line: string; taken: readonly LongString[] } {
  if (line.length * MOST_BYTES_PER_UNIT <= LONGEST_STRING) return { line, taken: NONE };
  const parts: string[] = [];
  const taken: LongString[] = [];
  let copied = 0;
  for (let open = line.indexOf('"'); open !== -1; ) {
    const close = closingQuote(line, open + 1);
    if (close === -1) break;
    const bytes = longString(line, open, close);
    if (bytes) {
      const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
      taken.push({ bytes, sha256 });
      parts.push(line.slice(copied, open), `"sha256:${sha256}"`);
      copied = close + 1;
    }
    open = line.indexOf('"', close + 1);
  }
  return { line: copied === 0 ? line : parts.join("") + line.slice(copied), taken };
}

function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    let before = at - 1;
    while (before >= from && line.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}

const BACKSLASH = 92;

/** The bytes of the string between two quotes when they are too many; null for any other and for a field's name. */
function longString(line: string, open: number, close: number): Buffer | null {
  if ((close - open) * MOST_BYTES_PER_UNIT <= LONGEST_STRING || isName(line, close)) return null;
  const text = textOf(line.slice(open, close + 1));
  if (text === null || Buffer.byteLength(text) <= LONGEST_STRING) return null;
  return Buffer.from(text);
}

function isName(line: string, close: number): boolean {
  let at = close + 1;
  while (/\s/.test(line.charAt(at))) at += 1;
  return line.charAt(at) === ":";
}

function textOf(json: string): string | null {
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}
