import { gunzipSync } from "node:zlib";

/**
 * Says whether bytes hold a value, by decoding everything in every way that comes to mind, step after step, and comparing. It
 * shares no code with the program and knows nothing of how that searches.
 */
export function holds(bytes: Uint8Array, value: string, depth = 4): boolean {
  const seen = new Set<string>();
  let current = [Buffer.from(bytes).toString("latin1")];
  const forms = ["utf8", "utf16le", "latin1"].map((encoding) =>
    Buffer.from(value, encoding as BufferEncoding).toString("latin1"),
  );
  forms.push(Buffer.from(value, "utf16le").swap16().toString("latin1"));
  // A value that Latin-1 cannot hold is not looked for in it.
  if ([...value].some((one) => one.codePointAt(0)! > 255)) forms.splice(2, 1);
  for (let layer = 0; layer <= depth; layer++) {
    const next: string[] = [];
    for (const text of current) {
      if (forms.some((form) => text.includes(form))) return true;
      if (layer === depth) continue;
      for (const decoded of decodings(text))
        if (decoded.length >= value.length && !seen.has(decoded)) {
          seen.add(decoded);
          next.push(decoded);
        }
    }
    current = next;
  }
  return false;
}

const utf8 = (code: number): string => Buffer.from(String.fromCodePoint(code)).toString("latin1");
const isCode = (code: number) => code <= 0x10ffff;
const NAMES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const LETTERS: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" };

/** What a text says when one encoding is taken off it. All texts are bytes, as Latin-1. */
function decodings(text: string): string[] {
  const percent = text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const markup = text.replace(
    /&(?:#x([\da-f]{1,8})|#(\d{1,8})|(amp|lt|gt|quot|apos|nbsp));?/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name) return NAMES[name] ? utf8(NAMES[name].charCodeAt(0)) : whole;
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return isCode(code) ? utf8(code) : whole;
    },
  );
  const script = text.replace(
    /\\u([\da-f]{4})\\u([\da-f]{4})|\\u([\da-f]{4})|\\x([\da-f]{2})|\\([nrtbfv])|\\([^\da-z])/gi,
    (whole, high?: string, low?: string, one?: string, byte?: string, letter?: string, sign?: string) => {
      if (high && low)
        return Buffer.from(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16))).toString(
          "latin1",
        );
      if (one) return utf8(Number.parseInt(one, 16));
      if (byte) return String.fromCharCode(Number.parseInt(byte, 16));
      return letter ? (LETTERS[letter] ?? whole) : (sign ?? whole);
    },
  );
  const runs = text.match(/[\w+/-]{4,}/g) ?? [];
  const packed = runs.flatMap((run) => [
    ...[0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1")),
    ...(run.match(/[\da-f]{8,}/gi) ?? []).flatMap((hex) =>
      [0, 1].map((from) => Buffer.from(hex.slice(from), "hex").toString("latin1")),
    ),
  ]);
  const unpacked = text.startsWith("\u001f\u008b")
    ? [gunzipSync(Buffer.from(text, "latin1")).toString("latin1")]
    : [];
  return [
    percent,
    percent.replaceAll("+", " "),
    text.replaceAll("+", " "),
    markup,
    script,
    ...packed,
    ...unpacked,
  ].filter((one) => one !== text);
}
