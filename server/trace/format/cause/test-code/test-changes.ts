import { diffLines } from "diff";
import { framesIn } from "../run/error-frames.ts";
import type { Step } from "../run/run-facts.ts";
import type { Failed, TestFile } from "../types.ts";
import { depthOf } from "./statements.ts";

/** Lines of one file that another ones stand in, or stood in. */
export interface Hunk {
  file: string;
  /** Of the first new line, or of the line that follows where lines are gone; from 1. */
  line: number;
  now: string[];
  before: string[];
  /** Of lines that stand elsewhere in the file now: the line that they came before and come after now, or the other way round, and where they stood. */
  moved?: { past: string; isDown: boolean; from: number };
}

/** Files that differ in more are other files. */
const MOST_EDITS = 400;
const MOST_HUNKS = 40;

/** Where a file of the test differs from what it was, comments and blank lines aside. */
export function hunksOf({ file, now, before }: TestFile): Hunk[] {
  const changes = diffLines(before, now, { maxEditLength: MOST_EDITS }) ?? [];
  const hunks: Hunk[] = [];
  let line = 1;
  let open: Hunk | null = null;
  for (const { added, removed, value, count } of changes) {
    if (!added && !removed) {
      open = null;
      line += count;
      continue;
    }
    if (!open) {
      open = { file, line, now: [], before: [] };
      hunks.push(open);
    }
    (added ? open.now : open.before).push(...codeIn(value));
    if (added) line += count;
  }
  const changed = hunks.filter(({ now: mine, before: theirs }) => bare(mine) !== bare(theirs));
  return asMoved(changed.slice(0, MOST_HUNKS), now);
}

/** The same lines gone from one place and new in another are one change: they were moved. */
function asMoved(hunks: readonly Hunk[], text: string): Hunk[] {
  const lines = text.split("\n");
  const gone = new Set<Hunk>();
  const moved = hunks.map((hunk): Hunk => {
    const from = hunks.find(
      (other) =>
        !gone.has(other) &&
        hunk.before.length === 0 &&
        other.now.length === 0 &&
        isSame(other.before, hunk.now),
    );
    if (!from) return hunk;
    const isDown = from.line < hunk.line;
    const at = hunk.line - 1;
    const around = isDown ? lines.slice(0, at).reverse() : lines.slice(at);
    const past = codeIn(around.join("\n")).find((line) => !hunk.now.includes(line));
    if (past === undefined) return hunk;
    gone.add(from);
    return { ...hunk, moved: { past, isDown, from: from.line } };
  });
  return moved.filter((hunk) => !gone.has(hunk));
}

/** Whether lines do the same: what they check in between may be left out. */
function isSame(before: readonly string[], now: readonly string[]): boolean {
  if (bare(before) === bare(now)) return true;
  const [did, does] = [before, now].map((lines) => lines.filter((line) => !CHECKS.test(line))) as [
    string[],
    string[],
  ];
  return does.length > 0 && bare(did) === bare(does);
}

const CHECKS = /^(?:await )?expect\b/;

const codeIn = (text: string) =>
  text
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => one !== "" && !/^(?:\/\/|\/?\*)/.test(one));

const bare = (lines: readonly string[]) => lines.join("").replace(/\s+/g, "");

export type Reach = "failed" | "run" | "options" | "set" | "none";

/** Where a run came by in one file of the test: the numbers of its lines, from 1. */
export interface Way {
  lines: readonly string[];
  /** Of the calls that lead to the failure. */
  failing: readonly number[];
  /** Of all calls up to it. */
  executed: readonly number[];
  /** What stands in the lines of all files that the run came by. */
  calls: string;
}

/** The way of a run through a file. @param sources the test's own code, by file */
export function wayThrough(
  { file, now }: TestFile,
  failed: Failed,
  steps: readonly Step[],
  sources: ReadonlyMap<string, string> = new Map(),
): Way {
  const of = (stacks: readonly { file: string; line: number }[]) => [
    ...new Set(stacks.flatMap((frame) => (frame.file === file ? [frame.line] : []))),
  ];
  const { step, stack } = failed;
  const stacks = steps.flatMap((one) => one.stack);
  return {
    lines: now.split("\n"),
    failing: of([...(step?.stack ?? []), ...stack, ...framesIn(step?.errorStack ?? "")]),
    executed: of(stacks),
    calls: saidIn(stacks, sources),
  };
}

/** The lines to which stacks point, each once. */
function saidIn(
  stacks: readonly { file: string; line: number }[],
  sources: ReadonlyMap<string, string>,
): string {
  const lines = new Map([...sources].map(([file, text]) => [file, text.split("\n")]));
  return [...new Set(stacks.map(({ file, line }) => lines.get(file)?.[line - 1] ?? ""))].join("\n");
}

/** Whether the run came to a changed place: where it failed, on the way there, or where the file sets what holds for its tests. */
export function reachOf(hunk: Hunk, { lines, failing, executed, calls }: Way, failed: Failed): Reach {
  const { line, now, before } = hunk;
  if (namesWhatFailed(hunk, failed)) return "failed";
  const last = line + Math.max(1, now.length) - 1;
  const holds = (at: number) => (at >= line && at <= last && now.length > 0) || isWithin(lines, at, line);
  if (failing.some(holds)) return "failed";
  const upTo = Math.max(...failing, ...executed);
  if (executed.some(holds)) return "run";
  // What is gone, or calls nothing that is recorded, stood between what was done before it and after it.
  if (executed.some((at) => at < line) && line <= upTo && isIndented(hunk))
    return isOfAnother(lines, line, upTo) ? "none" : "run";
  const of = functionAt(lines, line);
  const isCalled = of !== null && new RegExp(`(?<![\\w.])${of.name}\\(`).test(calls);
  if (isCalled || (of?.line === line && executed.some((at) => isWithin(lines, line, at)))) return "run";
  if (failing.length > 0 && !isInScope(lines, line, Math.max(...failing))) return "none";
  const said = [...now, ...before];
  if (said.some((one) => OPTIONS.test(one))) return "options";
  return said.some((one) => SETS.test(one)) ? "set" : "none";
}

/** The function of a file in whose first line, or body, a line stands, with where it begins; null where it is in none. */
function functionAt(lines: readonly string[], line: number): { name: string; line: number } | null {
  for (let at = line; at > Math.max(0, line - LONGEST_STATEMENT); at--) {
    const [, declared, assigned] = FUNCTION.exec(lines[at - 1] ?? "") ?? [];
    const name = declared ?? assigned;
    if (name === undefined) continue;
    return at === line || isWithin(lines, at, line) ? { name, line: at } : null;
  }
  return null;
}

const FUNCTION =
  /^(?:export )?(?:async )?function\*? (\w+)\(|^(?:export )?const (\w+) = (?:async )?(?:function\b|\([^)]*\)[^=]{0,80}=>|\w+ =>)/;

/** What a test's browser is set up with. */
const OPTIONS = /\b(?:test|setup|it)\.use\(/;
const SETS = /^(?:export )?(?:const|let|var) |^[\w"']+: /;

const TEXTS = /(["'`])((?:\\.|(?!\1)[^\\\n]){3,300}?)\1/g;

/** Whether it brings a text that the failed step looks for: page objects keep their locators apart from what uses them. */
function namesWhatFailed(hunk: Hunk, { title, message, step }: Failed): boolean {
  const said = `${title}\n${message}\n${step?.title ?? ""}`;
  return hunk.before.length > 0 && freshTexts(hunk).some((text) => said.includes(text));
}

const MOST_STEPS = 300;

/** Whether it brings a text that one of the steps entered or went to: what is set once for all tests is used in some. */
export function isUsedIn(hunk: Hunk, steps: readonly Step[]): boolean {
  const texts = freshTexts(hunk);
  return (
    texts.length > 0 &&
    steps
      .slice(-MOST_STEPS)
      .some(({ params }) =>
        ENTERED.some((name) => texts.some((text) => String(params[name] ?? "").includes(text))),
      )
  );
}

const ENTERED = ["value", "text", "url"];

/** The texts in it that did not stand there before. */
function freshTexts({ now, before }: Hunk): string[] {
  const textsIn = (lines: readonly string[]) =>
    [...lines.join("\n").matchAll(TEXTS)].map((match) => match[2]!);
  const known = new Set(textsIn(before));
  return textsIn(now).filter((text) => !known.has(text));
}

/** Whether what stands in a line holds for another one below it: no block that it stands in has ended in between. */
function isInScope(lines: readonly string[], line: number, failing: number): boolean {
  let depth = 0;
  for (const text of lines.slice(line - 1, failing)) {
    depth += depthOf(text);
    if (depth < 0) return false;
  }
  return line <= failing;
}

/** Statements of a function's body. */
const isIndented = ({ now, before }: Hunk) =>
  !/^(?:import|export|test\.(?:use|describe))\b/.test(now[0] ?? before[0]!);

/** A statement may go on over lines. */
const LONGEST_STATEMENT = 30;

/** Whether a statement that begins in a line is still open in another. */
function isWithin(lines: readonly string[], from: number, line: number): boolean {
  if (line <= from || line - from > LONGEST_STATEMENT) return false;
  let depth = 0;
  for (const text of lines.slice(from - 1, line - 1)) {
    depth += depthOf(text);
    if (depth <= 0) return false;
  }
  return true;
}

/** Whether another test begins between a place and the last one that the run came to. */
const isOfAnother = (lines: readonly string[], line: number, upTo: number) =>
  lines
    .slice(line, upTo)
    .some((text) => /^\s*(?:test|it|setup)(?:\.\w+)?\(\s*["'`]/.test(text) && !/\.step\(/.test(text));
