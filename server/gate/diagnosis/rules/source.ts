import { diffOf } from "../../scenario-edit/edit.ts";
import { lastActUpTo } from "../last-act.ts";
import { type ChangedScript, changedScripts } from "../scripts.ts";
import type { Failure, Mending } from "../types.ts";

const MOST_HUNKS = 3;
const MOST_LINES = 24;

/**
 * The application's own script was changed since the last pass, in few lines that can be read: the patch puts back what stood
 * there. Null where the trace shows no such change, or several of which any may be meant. Whether it was that, a repetition says.
 */
export function mendSource(failure: Failure): Mending | null {
  const scripts = changedScripts(failure);
  const [script] = scripts;
  if (!script || scripts.length > 1 || script.hunks.length > MOST_HUNKS) return null;
  const changed = script.hunks.flatMap(({ lines }) => lines.filter((line) => /^[+-]/.test(line)));
  if (changed.length > MOST_LINES || isWording(changed)) return null;
  const { step, scenario } = failure;
  const [line] = linesOf(script);
  const error = errorIn(script, failure);
  const where = `line ${line} of /${script.path}`;
  return {
    kind: "app_regression",
    edits: [],
    sources: [{ path: script.path, diff: diffOf(script.path, script.text, script.before) }],
    summary: `Since the last pass ${where} was changed, and the patch puts back what stood there.`,
    confidence: error ? 0.8 : 0.6,
    evidence: [
      {
        text: `/${script.path} is not what the last pass was served: it differs from line ${line} on, in ${changed.length} lines.`,
        step_id: step.id,
        events: [script.now.seq],
        of: "run",
      },
      {
        text: `That is what the last pass was served.`,
        step_id: step.id,
        events: [script.old.seq],
        of: "pass",
      },
      ...(error
        ? [
            {
              text: `The page's error comes from there: ${error.text}`,
              step_id: step.id,
              events: [error.seq],
              of: "run" as const,
            },
          ]
        : []),
    ],
    fromStep: lastActUpTo(scenario, step.index),
  };
}

/** Only what people read was changed: that is no fault of the script. */
function isWording(changed: readonly string[]): boolean {
  const code = (sign: string) =>
    changed
      .filter((line) => line.startsWith(sign))
      .map((line) => withoutWords(line.slice(1)))
      .join("\n");
  return code("-") === code("+");
}

/** A text that has a space, a capital or markup is for people; any other may be a name that the script goes by. */
const withoutWords = (line: string): string =>
  // One that never ends goes on to the end of the line.
  line.replace(/(["'`])((?:(?!\1)[^\\]|\\.)*)(\1|$)/g, (whole, quote: string, text: string, end: string) =>
    end !== "" && /[\s<>\p{Lu}]/u.test(text) ? quote + quote : whole,
  );

/** The numbers of lines, as they are served now, where the two differ. */
function linesOf({ hunks }: ChangedScript): number[] {
  return hunks.flatMap(({ oldStart, lines }) => {
    let at = oldStart;
    return lines.flatMap((line) => {
      const here = at;
      if (!line.startsWith("+")) at += 1;
      return /^[+-]/.test(line) ? [here] : [];
    });
  });
}

/** An uncaught error of the page in one of the lines that were changed. */
function errorIn(script: ChangedScript, { run }: Failure) {
  const lines = new Set(linesOf(script));
  return run.evidence.facts.lines.find(
    ({ source, url, place }) =>
      source === "page" && url === script.now.url && lines.has(Number(place?.split(":")[0])),
  );
}
