import { oneLine } from "../../../error-text.ts";
import { TYPES } from "../../page/acts.ts";
import { openedAfter } from "../../page/filled.ts";
import type { Step } from "../../run/run-facts.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

/** A field that holds a part of what was typed into it: keys went elsewhere while it was made anew, or were refused. */
export function detectLostKeys(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  if (failed.step === null || failed.received === null) return [];
  const typed = run.facts.steps.findLast(
    (one) => one.ts < failed.from && !one.isFailed && textOf(one) !== null,
  );
  const text = typed && textOf(typed);
  // What stood there before the page was opened anew tells nothing of keys.
  if (!typed || !text || (openedAfter(run.facts, typed)?.ts ?? failed.to) < failed.from) return [];
  const received = oneLine(failed.received).replace(/^["'`]|["'`]$/g, "");
  const expected = oneLine(failed.expected ?? "").replace(/^["'`]|["'`]$/g, "");
  if (expected !== text || received === text || received.length >= text.length || !isPartOf(received, text))
    return [];
  return [
    {
      kind: "element_detached",
      title: `Of ${quoted(text, 80)}, which ${quotedStep(typed)} typed, ${received === "" ? "nothing" : `only ${quoted(received, 80)}`} arrived: the page made the field anew, took the focus away or refused keys while it was typed in`,
      detail: null,
      step_id: failed.step.step_id,
      events: [typed.seq, failed.step.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.72,
      about: `torn ${typed.seq}`,
    },
  ];
}

/** What an action typed key by key; null for any other. */
function textOf({ name, params }: Step): string | null {
  if (!TYPES.test(name)) return null;
  const { text } = params;
  return typeof text === "string" && text.length > 1 ? oneLine(text) : null;
}

/** Whether the letters of a text stand in another one in their order. */
function isPartOf(part: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at++;
  return at >= part.length;
}
