import { headline, oneLine } from "../../../error-text.ts";
import { isBefore, isNew } from "../../compare.ts";
import { isConsole } from "../../run/keys.ts";
import type { Line, RunFacts, Step } from "../../run/run-facts.ts";
import { actionBefore, counterpart, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isForeign, isTracker, quoted, quotedStep } from "../../words.ts";

const MOST_LINES = 1_000;
/** The first lines after the last action. */
const MOST_AFTER = 50;
const MOST = 5;

/** What the page logged beside errors and warnings: an error that it caught and went on from, and what no pass says after the last action. */
export function detectQuietLines(evidence: Evidence): Finding[] {
  const mine = quietIn(evidence.run.facts).filter(({ ts }) => isBefore(evidence, ts));
  if (mine.length === 0) return [];
  const usual = evidence.passes.map(
    ({ facts }) => new Set(quietIn(facts).map((line) => patternOf(line, facts))),
  );
  return [...caught(evidence, mine, usual), ...said(evidence, mine, usual)];
}

const LOUD = /^(?:error|warning|warn|assert)$/;

/** What browsers and tools for developers say of a page, or a tool of its own. */
const OF_TOOLS =
  /^\s*(?:%c|\[(?:DOM|Violation|Intervention|Deprecation|HMR|vite|webpack|fast refresh|WDS)[^\]]*\])|DevTools/i;

const quietIn = ({ lines }: RunFacts): Line[] =>
  lastOf(
    lines,
    MOST_LINES,
    (line) =>
      isConsole(line) && line.source !== "page" && !LOUD.test(line.level) && !OF_TOOLS.test(line.text),
  );

/** A line without what may differ each time: quoted words, addresses, whatever has digits or is put together by braces. */
const patternOf = ({ text }: Line, { normaliser }: RunFacts): string =>
  normaliser
    .text(headline(text, 500))
    .replace(/\{.*\}|\[[^,]*,.*\]|"[^"]*"|'[^']*'|“[^”]*”/gs, "*")
    .replace(/\S*(?:\d|:\/\/|<\w+>)\S*/g, "*");

const ERROR_NAME = /\b[A-Z][A-Za-z]+(?:Error|Exception)\b/;
/** Pages end requests of their own accord. */
const OF_COURSE = /\bAbortError\b|\baborted\b/;

/** An error that the page named in a line of no weight. */
function caught(evidence: Evidence, mine: readonly Line[], usual: readonly Set<string>[]): Finding[] {
  const { facts } = evidence.run;
  return mine
    .filter(({ text }) => ERROR_NAME.test(text) && !OF_COURSE.test(text))
    .slice(-MOST)
    .map((line) => ({
      ...sharedOf(line, facts),
      title: `The page went on after an error that it only noted (${line.level}): ${oneLine(headline(line.text, 300))}`,
      is_new: isNew(evidence, (pass) => usual[evidence.passes.indexOf(pass)]!.has(patternOf(line, facts))),
      weight: evidence.passes.length === 0 ? 0.5 : 0.68,
    }));
}

const COMPLAINS =
  /\b(?:nobody|nothing|none|never|not|cannot|can't|couldn't|won't|ignor\w+|skipp\w+|dropp\w+|reject\w+|refus\w+|den(?:y|ied)|fail\w*|invalid|unknown|unexpected|missing|without|unable|lost|gave up|giving up)\b/i;

/** What the page says in no pass, right after the last action. */
function said(evidence: Evidence, mine: readonly Line[], usual: readonly Set<string>[]): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const listened = action === null ? 0 : listenedAfter(evidence, action);
  if (action === null || passes.length === 0 || listened === 0) return [];
  const known = new Set(mine.flatMap((line) => (line.ts < action.ts ? [patternOf(line, run.facts)] : [])));
  const isKnown = (pattern: string, isComplaint: boolean) =>
    [known, ...usual].some(
      (patterns) => patterns.has(pattern) || (!isComplaint && hasAlike(patterns, pattern)),
    );
  return mine
    .filter(
      ({ ts, text }) =>
        ts >= action.ts && ts - action.ts <= listened && ts <= failed.to && !ERROR_NAME.test(text),
    )
    .slice(0, MOST_AFTER)
    .filter((line) => !isKnown(patternOf(line, run.facts), COMPLAINS.test(line.text)))
    .slice(0, MOST)
    .map((line) => ({
      ...sharedOf(line, run.facts),
      title: `The page logged ${quoted(line.text)} after ${quotedStep(action)}, as it does in no pass`,
      is_new: true,
      weight: COMPLAINS.test(line.text) ? 0.6 : 0.48,
    }));
}

const LATE_MS = 1_000;

/** How long after an action the pass that went on longest was listened to: what comes later may come there as well. */
const listenedAfter = ({ run, passes }: Evidence, action: Step): number =>
  Math.max(
    ...passes.map(({ facts }) => {
      const same = counterpart(run.facts, action, facts);
      return same ? facts.lastTs - same.ts + LATE_MS : 0;
    }),
  );

/** Whether one of them is the same but for one word of at least three: who, which, how. */
function hasAlike(patterns: ReadonlySet<string>, pattern: string): boolean {
  const words = pattern.split(/\s+/);
  return (
    words.length > 2 &&
    [...patterns].some((other) => {
      const theirs = other.split(/\s+/);
      return theirs.length === words.length && theirs.filter((word, at) => word !== words[at]).length <= 1;
    })
  );
}

const sharedOf = (line: Line, facts: RunFacts) => ({
  kind: "console_error" as const,
  detail: null,
  step_id: line.step_id,
  events: [line.seq],
  ts: line.ts,
  about: `line ${patternOf(line, facts)}`,
  isOwn: line.url === null || !(isTracker(line.url) || isForeign(line.url, facts)),
});
