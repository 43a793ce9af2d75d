import type { SeenElement } from "./page-view.ts";

/** What an element stands in, the innermost first. */
export function aroundOf(elements: readonly SeenElement[], element: SeenElement): SeenElement[] {
  const around: SeenElement[] = [];
  let { depth } = element;
  for (let at = elements.indexOf(element) - 1; at >= 0 && depth > 0; at--) {
    const one = elements[at]!;
    if (one.depth >= depth) continue;
    around.push(one);
    depth = one.depth;
  }
  return around;
}

/** What stands in an element, in document order. */
export function insideOf(elements: readonly SeenElement[], element: SeenElement): SeenElement[] {
  const from = elements.indexOf(element) + 1;
  let end = from;
  while (end < elements.length && elements[end]!.depth > element.depth) end++;
  return elements.slice(from, end);
}
