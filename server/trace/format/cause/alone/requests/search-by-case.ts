import { oneLine } from "../../../error-text.ts";
import { typedIn } from "../../exchanges/asked-typed.ts";
import { askedFor, isAskedAlike, isRead } from "../../exchanges/sent.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Exchange } from "../../run/run-facts.ts";
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
      one.ts >= typed.ts &&
      one.ts <= failed.to &&
      (isRead(one, run) || typedIn(one, run)?.text === text) &&
      (holds(readableAddress(one), text) || askedFor(one, run).some(([, value]) => holds(value, text))),
  );
  if (!asked || isNarrowed(asked, text, evidence)) return [];
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

/** How a list is put, or what frameworks add of their own (`_rsc`), and not what it has. */
const OF_LIST = /^(?:_|sort|order|dir|page|limit|offset|size|per_?page|cursor|view|lang)/i;

/** Whether the request asked for something besides that no answer had been asked for before: what the page had shown may be none of that. */
function isNarrowed(asked: Exchange, text: string, { run }: Evidence): boolean {
  const filtersOf = (one: Exchange) =>
    JSON.stringify(
      askedFor(one, run)
        .filter(
          ([name, value]) =>
            value !== "" && !OF_LIST.test(name) && !holds(value, text) && !holds(text, value),
        )
        .sort(),
    );
  const filters = filtersOf(asked);
  return (
    filters !== "[]" &&
    !run.facts.exchanges.some(
      (one) =>
        one.ts < asked.ts &&
        one.status !== null &&
        one.status < 400 &&
        isAskedAlike(one, asked) &&
        filtersOf(one) === filters,
    )
  );
}

/** What a page shows with a text in it, however it is written; not what stands in its fields. */
const textsWith = (elements: readonly SeenElement[], text: string): string[] =>
  elements.flatMap(({ own, isHidden, tag }) =>
    !isHidden && !/^(?:input|textarea|option)$/.test(tag) && holds(own, text) ? [oneLine(own)] : [],
  );
