import { oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";
import { tagOf } from "./tag.ts";

const SHORTEST = 2;

/** A text that the test wants and that an element has in an attribute alone, from which a style sheet may write it: such content is no text of the page. */
export function detectShownByStyle(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const want = wantedIn(evidence);
  const elements = run.page?.elements ?? [];
  if (want === null || passes.some(({ page }) => namedIn(page?.elements ?? [], want))) return [];
  const found = namedIn(elements, want);
  // What stands there as a text as well is not what is missing.
  if (!found || elements.some((one) => isOfForm(one, found.element) && oneLine(one.own) === want)) return [];
  const { element, name } = found;
  const before = passes[0]?.page?.elements.find(
    (one) => isOfForm(one, element) && !one.isHidden && oneLine(one.own) === want,
  );
  if (passes.length > 0 && !before) return [];
  return [
    {
      kind: "page_changed",
      title: `${tagOf(element)} has ${quoted(want, 60)} in its attribute ${name} alone${before ? ", where the last pass has it as its text" : ""}: what a style sheet shows of an attribute (content: attr(${name})) is no text of the page`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [failed.step?.seq ?? run.facts.lastSeq ?? 0, ...(run.page ? [run.page.shot.seq] : [])],
      ts: failed.to,
      is_new: before ? true : null,
      weight: before ? 0.92 : 0.7,
      about: `drawn ${element.tag} ${name}`,
    },
  ];
}

/** The text that the test wants and did not meet; null where it wants none. */
function wantedIn({ failed: { expected, received, step, message } }: Evidence): string | null {
  if (!/\bto(?:ContainText|HaveText)\b/.test(`${step?.name ?? ""} ${message}`)) return null;
  const want = bareOf(expected ?? "");
  return want.length >= SHORTEST && received !== null && !received.includes(want) ? want : null;
}

/** The element without a text that has a text as data. */
function namedIn(
  elements: readonly SeenElement[],
  want: string,
): { element: SeenElement; name: string } | null {
  for (const element of elements) {
    const named = element.isHidden
      ? undefined
      : Object.entries(element.data ?? {}).find(([, value]) => oneLine(value) === want);
    if (named) return { element, name: named[0] };
  }
  return null;
}

const isOfForm = (one: SeenElement, { tag, depth, attributes }: SeenElement): boolean =>
  one.tag === tag && one.depth === depth && one.attributes.class === attributes.class;
