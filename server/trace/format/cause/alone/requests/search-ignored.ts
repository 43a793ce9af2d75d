import { oneLine } from "../../../error-text.ts";
import { askedFor, isRead } from "../../exchanges/sent.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, quoted, requestOf } from "../../words.ts";
import { listsOn } from "../page/listed.ts";
import { holds } from "./sought.ts";
import { typedSearch } from "./typed-search.ts";

const FEWEST = 3;

/** A search whose word was asked for, and after which the page lists the very things of before, with others among them that have nothing of it. */
export function detectSearchIgnored(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const search = typedSearch(evidence);
  if (!search || !run.page || failed.received === null) return [];
  const { typed, text, met } = search;
  const asked = run.facts.exchanges.findLast(
    (one) =>
      one.ts >= typed.ts &&
      one.ts <= failed.to &&
      isRead(one, run) &&
      one.status === 200 &&
      askedFor(one, run).some(([, value]) => value === text),
  );
  const before = new Set(listsOn(met).map((items) => items.map((item) => oneLine(item.text)).join("\n")));
  const same = listsOn(run.page.elements)
    .map((items) => items.map((item) => oneLine(item.text)))
    .find(
      (items) =>
        items.length >= FEWEST && before.has(items.join("\n")) && items.some((item) => holds(item, text)),
    );
  const other = same?.find((item) => !holds(item, text));
  if (!asked || other === undefined) return [];
  const name = askedFor(asked, run).find(([, value]) => value === text)![0];
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(asked, run.facts)} asked for ${quoted(text, 40)} for ${quoted(name, 40)}, and the page lists the same things as before, of which others have nothing of it (${quoted(other, 60)}): the search was ignored, or goes by another name than ${quoted(name, 40)}`,
      detail: null,
      step_id: asked.step_id,
      events: [asked.seq, typed.seq],
      ts: asked.end ?? asked.ts,
      is_new: null,
      weight: 0.84,
      about: aboutUrl(asked.url, run.facts, asked.operation),
    },
  ];
}
