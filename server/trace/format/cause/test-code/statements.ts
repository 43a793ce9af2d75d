import { fixedParts } from "../../aria-lines.ts";

/** A statement of the test's own code, as it is written. */
export interface Statement {
  text: string;
  /** Of its first line, from 1. */
  line: number;
}

/** What goes on in the next line. */
const GOES_ON = /[([{,=?:&|+.]\s*$|=>\s*$|\b(?:await|return)\s*$/;
/** What goes on from the line before. */
const CONTINUES = /^\s*[.)\]}?:&|+,]/;
const LONGEST = 30;
/** Longer lines are a bundle's, and nobody's statements. */
const LONGEST_LINE = 2_000;

/** The statement that a line of a file stands in, from its first line to where its brackets are closed; null where there is no such line, or one that nobody wrote. */
export function statementAt(lines: readonly string[], line: number): Statement | null {
  if (line < 1 || line > lines.length || lines[line - 1]!.length > LONGEST_LINE) return null;
  let first = line;
  while (first > 1 && line - first < LONGEST && goesOn(lines[first - 2]!, lines[first - 1]!)) first -= 1;
  let depth = 0;
  let last = first;
  for (; last <= lines.length && last - first < LONGEST; last++) {
    depth += depthOf(lines[last - 1]!);
    if (depth <= 0 && last >= line && !CONTINUES.test(lines[last] ?? "")) break;
  }
  const own = lines.slice(first - 1, last);
  return own.some(({ length }) => length > LONGEST_LINE) ? null : { text: own.join("\n"), line: first };
}

/** A block's beginning ends the line before it, as a call's does. */
const goesOn = (before: string, line: string): boolean =>
  CONTINUES.test(line) ||
  (GOES_ON.test(withoutComment(before)) && !/(?:\)|=>|else|try|finally)\s*\{\s*$/.test(before));

const withoutComment = (text: string): string => text.replace(/\/\/.*/s, "");

/** How many brackets a line opens more than it closes, those in its texts aside. */
export function depthOf(text: string): number {
  const code = codeOf(text);
  return (code.match(/[([{]/g) ?? []).length - (code.match(/[)\]}]/g) ?? []).length;
}

/** Code with its texts taken out, as long as it was. */
const codeOf = (text: string): string =>
  text.replace(/(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g, (quoted) => '"'.repeat(quoted.length));

const CALL = /^\s*(?:this|[a-zA-Z_$][\w$]*)\s*(?:\?)?[.(]/;
const AWAITED =
  /^\s*(?:await|return|yield|void|const|let|var|throw|export|if|for|while|switch|else|case|default|async|function|class|new|import|do|try)\b/;

/**
 * Whether the call at a place (line from 1, column from 1 as stacks have it) is a statement by itself, which nothing waits for:
 * no `await`, nothing that takes its promise. Only what is certain from the text.
 *
 * @param mayFail also where it takes its error, as of what need not go well
 */
export function isLeftAlone(
  lines: readonly string[],
  line: number,
  column: number,
  mayFail = false,
): boolean {
  const found = statementAt(lines, line);
  if (!found || !CALL.test(found.text) || AWAITED.test(found.text)) return false;
  const before = found.text.split("\n").slice(0, line - found.line);
  const upTo = [...before, (found.text.split("\n")[line - found.line] ?? "").slice(0, column - 1)].join("\n");
  const code = codeOf(upTo);
  // Within a function or the arguments of another call somebody else may wait for it, as for what is assigned.
  if (/=>|(?<![=!<>])=(?!=)|[?]{2}|&&|\|\||\?(?!\.)/.test(code)) return false;
  const depth = (code.match(/[([{]/g) ?? []).length - (code.match(/[)\]}]/g) ?? []).length;
  const taken = mayFail ? /\.then\s*\(/ : /\.(?:then|catch|finally)\s*\(/;
  return depth === 0 && !taken.test(codeOf(found.text));
}

const QUOTED =
  /(["'`])((?:\\.|(?!\1)[^\\]){1,300})\1|(?<=[(,=&|!]\s{0,8})\/((?:\\.|[^/\\\n]){1,300})\/[a-z]{0,6}/g;

/** The texts and patterns that a statement names, each as the parts that stand fixed in it: globs, templates and expressions aside. */
export function namedIn({ text }: Statement): string[][] {
  return [...text.matchAll(QUOTED)].map(([, , quoted, pattern]) =>
    quoted === undefined
      ? fixedParts(pattern!)
      : quoted.split(/\$\{[^}]*\}|\*+/g).filter((part) => part !== ""),
  );
}
