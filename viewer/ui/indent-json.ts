const STEP = "  ";
/** What is laid out is at most so many times as long as the text, and this much more. */
const MOST_TIMES = 8;
const MOST_MORE = 100_000;

/** Codes of what JSON is made of (RFC 8259, section 2). */
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b;
const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d;

/** Where the string that begins at `start` ends: after its closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at + 1;
  }
}

function endOfSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/**
 * The text with other white space: a member or item a line, with indents. Numbers keep all their digits, strings their
 * escapes, and members their order, also those whose name comes twice.
 * @param text valid JSON
 * @returns null where the indents would make far more of it than there is: where it is very deep
 */
export function indentJson(text: string): string | null {
  const most = text.length * MOST_TIMES + MOST_MORE;
  let out = "";
  const ends = ["\n"];
  let depth = 0;
  let length = 0;
  /** What lies from here up to where the text is read is taken as it is. */
  let from = endOfSpace(text, 0);
  let at = from;

  const endLine = (upTo: number): void => {
    const end = ends[depth] ?? `\n${STEP.repeat(depth)}`;
    ends[depth] = end;
    out += text.slice(from, upTo) + end;
    length += upTo - from + end.length;
    from = upTo;
  };
  while (at < text.length && length <= most) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) {
      at += 1;
      endLine(at);
    } else if (code === COLON) {
      at += 1;
      out += `${text.slice(from, at)} `;
      length += at - from + 1;
      from = at;
    } else if (isOpening(code)) {
      at += 1;
      const next = endOfSpace(text, at);
      if (isClosing(text.charCodeAt(next))) {
        out += text.slice(from, at);
        from = next;
        at = next + 1;
      } else {
        depth += 1;
        endLine(at);
      }
    } else if (isClosing(code)) {
      depth -= 1;
      endLine(at);
      at += 1;
    } else if (isSpace(code)) {
      out += text.slice(from, at);
      at = endOfSpace(text, at);
      from = at;
    } else at += 1;
  }
  if (length > most) return null;
  out += text.slice(from);
  return out;
}
