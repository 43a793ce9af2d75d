import { oneLine } from "../../../error-text.ts";
import { likenessTo } from "../../../similarity.ts";
import { counted } from "../../../words.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { elementsOf } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/** What a locator looks for by a text in one of several elements. */
interface Filtered {
  /** The locator of all of them. */
  base: string;
  text: string;
}

const FILTER = /^(.+?)\.filter\(\{ ?hasText: ?(['"])(.+?)\2/;
const LIKE_ENOUGH = 0.6;
const MOST_TEXTS = 2_000;
const MOST_OTHERS = 200;
const MOST_TOLD = 3;

/** The filter of the failed step's locator; null where it has none. */
export function filterOf(evidence: Pick<Evidence, "failed">): Filtered | null {
  const [, base, , text] = FILTER.exec(targetOf(evidence)) ?? [];
  return base && text ? { base, text } : null;
}

/**
 * Of a step that looked for one of several elements by a text in it: none of those that the page has holds that text.
 * Any one of them is no other name of the one that is missing.
 */
export function detectFilteredOut(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const filter = filterOf(evidence);
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (!filter || !run.page || seq === null || passes.length > 0 || !isMissing(evidence)) return [];
  const { elements } = run.page;
  const others = elementsOf(filter.base, elements);
  if (others.length === 0 || others.some(({ text }) => text.includes(filter.text))) return [];
  const closest = closestIn(others, elements, filter.text);
  const isRenamed = closest !== null && closest.likeness >= LIKE_ENOUGH;
  const few = others.slice(0, MOST_TOLD).map(({ text }) => quoted(text, 60));
  const what = `${filter.base} with the text ${quoted(filter.text, 80)}`;
  return [
    {
      kind: isRenamed ? "element_renamed" : "element_missing",
      title: isRenamed
        ? `${what} was not found; the page has one with ${quoted(closest.text, 80)} instead`
        : `${what} was not found: the page has ${counted(others.length, "such element")}, none with that text (${few.join(", ")}${others.length > few.length ? ", …" : ""})`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: null,
      weight: isRenamed ? 0.55 + 0.3 * closest.likeness : 0.5,
    },
  ];
}

/** The text in one of the elements that is most like the wanted one. */
function closestIn(
  others: readonly SeenElement[],
  elements: readonly SeenElement[],
  wanted: string,
): { text: string; likeness: number } | null {
  const likenessOf = likenessTo(wanted);
  let best: { text: string; likeness: number } | null = null;
  for (const own of textsIn(others, elements)) {
    const likeness = likenessOf(own);
    if (likeness > (best?.likeness ?? 0)) best = { text: own, likeness };
  }
  return best;
}

/** The texts of elements and of what stands in them. */
function textsIn(others: readonly SeenElement[], elements: readonly SeenElement[]): string[] {
  const texts: string[] = [];
  for (const other of others.slice(0, MOST_OTHERS)) {
    const from = elements.indexOf(other);
    for (let at = from; at < elements.length && texts.length < MOST_TEXTS; at++) {
      const one = elements[at]!;
      if (at > from && one.depth <= other.depth) break;
      const own = oneLine(one.own);
      if (own !== "") texts.push(own);
    }
  }
  return texts;
}
