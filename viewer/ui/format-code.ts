/** Texts made readable for people: nothing here is run, and what cannot be laid out stays as it is. */

const INDENT = "  ";
/** Longer texts are shown as they came. */
const LONGEST = 2_000_000;
const DEEPEST = 60;

const indentOf = (depth: number): string => INDENT.repeat(Math.max(0, Math.min(depth, DEEPEST)));

/** Whether a text is laid out already: lines of a length that people write. */
function hasLayout(text: string): boolean {
  const lines = text.split("\n").length;
  return lines > 3 && text.length / lines < 160;
}

const WORD_BEFORE_PATTERN = /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do)$/;

/** The end of the string, comment, template or pattern that begins at a place; the place itself when none does. */
function skipped(text: string, at: number, before: string, isScript: boolean): number {
  const sign = text[at];
  if (sign === '"' || sign === "'" || (isScript && sign === "`")) {
    for (let end = at + 1; end < text.length; end += 1) {
      if (text[end] === "\\") end += 1;
      else if (text[end] === sign) return end + 1;
      else if (text[end] === "\n" && sign !== "`") return end;
    }
    return text.length;
  }
  if (sign !== "/") return at;
  if (text[at + 1] === "*") {
    const end = text.indexOf("*/", at + 2);
    return end < 0 ? text.length : end + 2;
  }
  if (!isScript) return at;
  if (text[at + 1] === "/") {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  const last = before.trimEnd().slice(-12);
  if (last !== "" && !/[(,=:[!&|?{};+\-*%~^<>]$/.test(last) && !WORD_BEFORE_PATTERN.test(last)) return at;
  let inClass = false;
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === "[") inClass = true;
    else if (text[end] === "]") inClass = false;
    else if (text[end] === "/" && !inClass) return end + 1;
  }
  return at;
}

/** Style sheets and scripts on a line per declaration or statement, indented by their braces. */
export function formatBraces(text: string, isScript: boolean): string {
  if (text.length > LONGEST || hasLayout(text)) return text;
  const lines: string[] = [];
  let line = "";
  let depth = 0;
  let parens = 0;
  const close = (): void => {
    if (line.trim() !== "") lines.push(indentOf(depth) + line.trim());
    line = "";
  };
  for (let at = 0; at < text.length; ) {
    const end = skipped(text, at, line, isScript);
    if (end > at) {
      line += text.slice(at, end);
      if (isScript && text.startsWith("//", at)) close();
      at = end;
      continue;
    }
    const sign = text[at] ?? "";
    at += 1;
    if (sign === "(" || sign === "[") parens += 1;
    else if (sign === ")" || sign === "]") parens = Math.max(0, parens - 1);
    if (sign === "{") {
      line += sign;
      close();
      depth += 1;
    } else if (sign === "}") {
      close();
      depth = Math.max(0, depth - 1);
      line = sign;
      const next = text[at] ?? "";
      if (!/[),;.\]]/.test(next)) close();
    } else if (sign === ";" && (parens === 0 || depth > 0)) {
      line += sign;
      close();
    } else if (sign === "\n") close();
    else line += sign;
  }
  close();
  return lines.join("\n");
}

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|!doctype|\?xml)$/i;
const RAW = /^(?:script|style|pre|textarea)$/i;

/** Markup with a line per element, indented by nesting. */
export function formatMarkup(text: string): string {
  if (text.length > LONGEST || hasLayout(text)) return text;
  const lines: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const open = text.indexOf("<", at);
    const words = text.slice(at, open < 0 ? text.length : open).trim();
    if (words !== "") lines.push(indentOf(depth) + words.replace(/\s+/g, " "));
    if (open < 0) break;
    const isComment = text.startsWith("<!--", open);
    const close = isComment ? text.indexOf("-->", open) : text.indexOf(">", open);
    const end = close < 0 ? text.length : close + (isComment ? 3 : 1);
    const tag = text.slice(open, end);
    const name = /^<\/?([\w:!?-]+)/.exec(tag)?.[1] ?? "";
    if (tag.startsWith("</")) depth = Math.max(0, depth - 1);
    lines.push(indentOf(depth) + tag);
    at = end;
    if (isComment || tag.startsWith("</") || tag.endsWith("/>") || VOID.test(name)) continue;
    if (RAW.test(name)) {
      const rest = new RegExp(`</${name}\\s*>`, "i").exec(text.slice(end));
      const stop = rest ? end + rest.index : text.length;
      const inside = text.slice(end, stop).trim();
      if (inside !== "") lines.push(inside);
      lines.push(indentOf(depth) + (rest?.[0] ?? ""));
      at = stop + (rest?.[0].length ?? 0);
      continue;
    }
    depth += 1;
  }
  return lines.join("\n");
}

/** A sent form, a field a line, decoded. */
export function formatForm(text: string): string {
  return [...new URLSearchParams(text)].map(([name, value]) => `${name} = ${value}`).join("\n");
}

/** Bytes as offsets, hexadecimal and letters, sixteen a line. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = [...bytes.subarray(at, at + 16)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0"));
    const left = hex.slice(0, 8).join(" ").padEnd(23);
    const right = hex.slice(8).join(" ").padEnd(23);
    const letters = part.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${left}  ${right}  ${letters}`);
  }
  return lines.join("\n");
}
