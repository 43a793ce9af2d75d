import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page-view.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted, requestOf } from "../../words.ts";
import { holds } from "./sought.ts";
import { typedSearch } from "./typed-search.ts";
import { readableAddress } from "./unsaid.ts";

/** A search that found nothing, by a word that the page had shown before with other letters, capital and small. */
export function detectSearchByCase(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const search = typedSearch(evidence);
  if (!search || !run.page) return [];
  const { typed, text, met } = search;
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
