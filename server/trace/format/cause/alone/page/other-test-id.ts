import type { SeenElement } from "../../page-view.ts";
import { targetOf } from "../../target.ts";
import type { Evidence, Finding } from "../../types.ts";
import { lastOf, partsOf, testIdOf, wantedBy } from "../../wanted.ts";
import { quoted } from "../../words.ts";

/** Elements that are counted by a test id which the page has nowhere, where it has just as many by another id with a word in common. */
export function detectRenamedTestId(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const target = targetOf(evidence);
  const id = wantedBy(lastOf(target)).testId;
  const isCounted = /\btoHaveCount\b/.test(`${failed.step?.name} ${failed.message}`);
  if (id === null || !run.page || !isCounted || failed.received !== "0" || partsOf(target).length > 1)
    return [];
  const byId = Map.groupBy(
    run.page.elements.filter(({ isHidden }) => !isHidden),
    ({ attributes }) => testIdOf(attributes) ?? "",
  );
  const alike = [...byId].filter(
    ([other, all]) =>
      String(all.length) === failed.expected && areAlike(id, other) && !isKnown(evidence, other),
  );
  const [found, ...more] = alike;
  if (!found || more.length > 0 || byId.has(id)) return [];
  const [other, all] = found;
  return [
    {
      kind: "element_renamed",
      title: `${target} found nothing, and the page has ${all.length} × <${tagOf(all)}> with the test id ${quoted(other, 60)}: ${quoted(id, 60)} was renamed`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [run.page.shot.seq, ...(failed.step ? [failed.step.seq] : [])],
      ts: failed.to,
      is_new: null,
      weight: 0.86,
      about: `test id ${id}`,
    },
  ];
}

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
