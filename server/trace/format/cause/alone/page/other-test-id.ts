import { oneLine } from "../../../error-text.ts";
import { knownActs } from "../../page/acts.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, partsOf, testIdOf, wantedBy } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

/** What goes by a test id that the page has nowhere, where it has by another id with a word in common, or beside a label that says the same, just as many of what is counted, or the one that says what the test wants. */
export function detectRenamedTestId(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const target = targetOf(evidence);
  const id = wantedBy(lastPartOf(target)).testId;
  const isCounted =
    /\btoHaveCount\b/.test(`${failed.step?.name} ${failed.message}`) && failed.received === "0";
  const text = isMissing(evidence) ? oneLine(bareOf(failed.expected ?? "")) : "";
  if (id === null || !run.page || !(isCounted || SAYS.test(text)) || partsOf(target).length > 1) return [];
  const byId = Map.groupBy(
    run.page.elements.filter(({ isHidden }) => !isHidden),
    ({ attributes }) => testIdOf(attributes) ?? "",
  );
  const isIt = (all: readonly SeenElement[]) =>
    isCounted
      ? String(all.length) === failed.expected
      : all.length === 1 && !STATES.test(text) && oneLine(all[0]!.text) === text;
  const [found, ...more] = [...byId].filter(
    ([other, all]) =>
      (areAlike(id, other) || isLabelled(id, all, run.page!.elements)) &&
      !isKnown(evidence, other) &&
      isIt(all),
  );
  if (!found || more.length > 0 || byId.has(id) || stoodBefore(evidence, id)) return [];
  const [other, all] = found;
  const has = isCounted
    ? `the page has ${all.length} × <${tagOf(all)}>`
    : `what says ${quoted(text, 60)} on the page is a <${tagOf(all)}>`;
  return [
    {
      kind: "element_renamed",
      title: `${target} found nothing, and ${has} with the test id ${quoted(other, 60)}: ${quoted(id, 60)} was renamed`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [run.page.shot.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: null,
      weight: isCounted ? 0.86 : 0.92,
      about: `test id ${id}`,
    },
  ];
}

/** Whether what stands right before the one element says what the id says: “Total” before an amount. */
function isLabelled(
  id: string,
  [one, ...others]: readonly SeenElement[],
  elements: readonly SeenElement[],
): boolean {
  const label = one && others.length === 0 ? elements[elements.indexOf(one) - 1] : undefined;
  return (
    label !== undefined &&
    label.depth === one!.depth &&
    testIdOf(label.attributes) === null &&
    wordsIn(label.text).join(" ") === wordsIn(id).join(" ")
  );
}

/** Whether a page that the test met earlier has it by that id: it is gone, and not called otherwise. */
const stoodBefore = (evidence: Evidence, id: string): boolean =>
  knownActs(evidence).some(({ met }) => met.elements.some(({ attributes }) => testIdOf(attributes) === id));

const SAYS = /[\p{L}\p{N}]/u;
/** What assertions expect that is no text of the page. */
const STATES = /^(?:visible|hidden|attached|detached|enabled|disabled|checked|editable|focused)$/;

const tagOf = (all: readonly SeenElement[]): string => all[0]!.tag;

/** Whether two ids share a word of their names. */
function areAlike(one: string, other: string): boolean {
  const words = wordsIn(other);
  return one !== other && wordsIn(one).some((word) => words.includes(word));
}

const wordsIn = (id: string): string[] =>
  id
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 2);

/** Whether the test goes by that id itself: it means something else then. */
const isKnown = ({ run }: Evidence, id: string): boolean =>
  run.facts.steps.some(({ title }) => title.includes(`'${id}'`) || title.includes(`"${id}"`));
