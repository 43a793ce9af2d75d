import { oneLine, plainText, withoutInvisible } from "./error-text.ts";

/**
 * Any text as plain inline text of CommonMark 0.31 on one line: what could begin markup, HTML or an entity is escaped,
 * and what GitHub's dialect would make a link, a mention or a struck word of. Not more, so that it can be read as it is.
 */
export function text(value: string): string {
  return oneLine(value)
    .replace(/[\\`*[\]<>|~&@]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, "\\$&")
    .replace(/^[#+\-=]/, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2")
    .replace(/(https?|ftp|mailto|xmpp):/gi, "$1\\:")
    .replace(/\b(www)\./gi, "$1\\.");
}

/** Any text as a code span on one line, fenced by more backticks than it has in a row. */
export function codeSpan(value: string): string {
  const line = oneLine(value);
  if (line === "") return "(empty)";
  const fence = "`".repeat(longestRun(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || /^ .* $/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Any text as a fenced code block that nothing in it can end. Its lines keep their indentation, the first one too. */
export function codeBlock(value: string): string {
  const [, indent = ""] = /^(?:[^\S\n]*\n)*([ \t]*)/.exec(value) ?? [];
  const body = indent + withoutInvisible(plainText(value));
  const fence = "`".repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}text\n${body}\n${fence}`;
}

function longestRun(value: string): number {
  return (value.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
