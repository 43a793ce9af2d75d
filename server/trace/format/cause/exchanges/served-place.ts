import { TEST_IDS } from "../page/wanted.ts";
import type { ServedElement } from "./served-elements.ts";

/** What a text of a served page is of, by the words beside it. */
export interface ServedPlace {
  /** As a clause: ` for “Phone”`. */
  label: string;
  /** All that it is called by, the ids of its element as well. */
  names: string[];
}

const LONGEST = 60;
/** Words that are no label, but a sentence. */
const MOST_WORDS = 6;

/** What an element is of: the term before it, the words of what it stands in, or the label beside it. Null where nothing says so. */
export function placeOf(element: ServedElement, elements: readonly ServedElement[]): ServedPlace | null {
  const label = termOf(element, elements) ?? wordsBefore(element);
  const ids = [...TEST_IDS, "id", "name"].flatMap((name) => element.attributes.get(name) ?? []);
  return label === null ? null : { label, names: [label, ...ids] };
}

/** The term or label that stands before an element or before what it stands in. */
function termOf(element: ServedElement, elements: readonly ServedElement[]): string | null {
  for (const one of [element, element.around]) {
    const tag = one && BEFORE.get(one.tag);
    if (!tag) continue;
    const at = elements.indexOf(one);
    const term = elements.slice(0, at).findLast((other) => other.around === one.around && other.tag === tag);
    if (term) return labelled(term.text);
  }
  return null;
}

const BEFORE = new Map([
  ["dd", "dt"],
  ["output", "label"],
]);

/** The words with which what an element stands in begins. */
function wordsBefore({ text, around }: ServedElement): string | null {
  if (!around || text === "" || !SHORT.has(around.tag)) return null;
  const [before = "", after, ...more] = around.text.split(text);
  return after === undefined || more.length > 0 ? null : labelled(before);
}

const SHORT = new Set(["p", "li", "div", "td", "label", "span"]);

function labelled(text: string): string | null {
  const label = text.trim().replace(/\s?[:–-]$/, "");
  const isLabel =
    /\p{L}{3}/u.test(label) && label.length <= LONGEST && label.split(/\s+/).length <= MOST_WORDS;
  return isLabel ? label : null;
}
