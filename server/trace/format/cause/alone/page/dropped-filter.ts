import { oneLine } from "../../../error-text.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, pathOf, quoted, quotedStep } from "../../words.ts";
import { lastActOf, listLookedAt, placesOn } from "./listed.ts";

/** How a list is put, and which part of it is shown. */
const OF_LIST =
  /^(?:_.*|sort.*|order.*|dir.*|page|p|limit|offset|size|per_?page|cursor|after|before|view|tab|lang|utm_.*)$/i;

/** A page that an action led to another order or part of a list, and whose address lost what had narrowed that down: it lists things that were left out before. */
export function detectDroppedFilter(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const act = lastActOf(evidence);
  if (!act || !run.page) return [];
  const { action, met } = act;
  const [before, now] = [met.shot.url, run.page.shot.url].map((url) => URL.parse(url));
  if (!before || !now || pathOf(before.href) !== pathOf(now.href)) return [];
  const dropped = [...before.searchParams].find(
    ([name, value]) => value !== "" && !OF_LIST.test(name) && !now.searchParams.has(name),
  );
  const isGivenMore = [...now.searchParams].some(
    ([name, value]) => OF_LIST.test(name) && before.searchParams.get(name) !== value,
  );
  const items = listLookedAt(evidence, run.page.elements);
  if (!dropped || !isGivenMore || !items) return [];
  const known = new Set(placesOn(met.elements).flatMap((list) => list.map(({ text }) => oneLine(text))));
  const others = items.filter((item) => !known.has(item));
  if (others.length === 0) return [];
  return [
    {
      kind: "page_changed",
      title: `${quotedStep(action)} led from ${quoted(addressOf(before.href, run.facts), 80)} to ${quoted(addressOf(now.href, run.facts), 80)}: ${quoted(dropped.join("="), 60)} was dropped, and the page lists ${items.length} things, ${quoted(others[0]!, 40)} among them`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page.shot.seq],
      ts: action.end,
      is_new: null,
      weight: 0.88,
      about: `acted ${action.seq}`,
    },
  ];
}
