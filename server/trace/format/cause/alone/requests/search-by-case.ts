import { oneLine } from "../../../error-text.ts";
import { knownActs } from "../../acts.ts";
import type { SeenElement } from "../../page-view.ts";
import { actionBefore } from "../../select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";
import { FINDS, TYPES } from "./search.ts";
import { holds } from "./sought.ts";
import { readableAddress, textOf } from "./unsaid.ts";

const SHORTEST = 3;

/** A search that found nothing, by a word that the page had shown before with other letters, capital and small. */
export function detectSearchByCase(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const typed = actionBefore(run.facts, failed);
  const text = typed && textOf(typed)?.trim();
  if (!typed || !run.page || !text || text.length < SHORTEST || !TYPES.test(typed.name)) return [];
  if (!FINDS.test(`${typed.title} ${String(typed.params.selector ?? "")}`.replace(text, ""))) return [];
  const met = knownActs(evidence).findLast(({ step }) => step.seq === typed.seq)?.met.elements ?? [];
  const before = textsWith(met, text);
  const isByCase = before.length > 0 && before.every((own) => !own.includes(text));
  if (!isByCase || textsWith(run.page.elements, text).length > 0) return [];
  const asked = run.facts.exchanges.findLast(
    (one) =>
      one.ts >= typed.ts && one.ts <= failed.to && one.method === "GET" && holds(readableAddress(one), text),
  );
  if (!asked) return [];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(asked, run.facts)} found nothing for ${quoted(text, 40)}, though the page had shown ${quoted(before[0]!, 60)} before: the search tells capital letters from small ones (case)`,
      detail: null,
      step_id: asked.step_id,
      events: [asked.seq, typed.seq],
      ts: asked.end ?? asked.ts,
      is_new: null,
      weight: 0.84,
    },
  ];
}

/** What a page shows with a text in it, however it is written; not what stands in its fields. */
const textsWith = (elements: readonly SeenElement[], text: string): string[] =>
  elements.flatMap(({ own, isHidden, tag }) =>
    !isHidden && !/^(?:input|textarea|option)$/.test(tag) && holds(own, text) ? [oneLine(own)] : [],
  );
