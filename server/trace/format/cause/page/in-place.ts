import type { Evidence, RunEvidence } from "../types.ts";
import type { SeenElement } from "./page-view.ts";
import { testIdOf, wantedOn } from "./wanted.ts";

/** More elements of one form are a list, in which a place says little. */
const MOST_ALIKE = 40;

interface InPlace {
  before: SeenElement;
  now: SeenElement;
}

/**
 * What the page has in the very place where a pass has the element that the test looks for: the only one of its form
 * by which the two pages differ. Words and test ids change; the page around them stays.
 * @returns null where no pass shows the element at that address, or more than it differs
 */
export function inPlaceOf(evidence: Evidence): InPlace | null {
  const { run, passes } = evidence;
  const here = run.page?.elements.filter(({ isHidden }) => !isHidden) ?? [];
  const placeOf = ({ facts, page }: RunEvidence) => facts.normaliser.url(page?.shot.url ?? "");
  for (const pass of passes) {
    const { page } = pass;
    // Another page has other things in the same places.
    if (placeOf(pass) !== placeOf(run)) continue;
    const there = page?.elements.filter(({ isHidden }) => !isHidden) ?? [];
    const [before, ...others] = wantedOn(evidence, there);
    if (before === undefined || others.some((one) => one.depth <= before.depth)) continue;
    const now = otherOf(
      there.filter((one) => isOfForm(one, before)),
      here.filter((one) => isOfForm(one, before)),
      before,
    );
    if (now !== null) return { before, now };
  }
  return null;
}

/**
 * Whether an element stands there under a test id that is another word, with a text that differs by figures at most: ids that are put together
 * of data differ by figures, or go with other words.
 */
export function hasOtherTestId({ before, now }: InPlace): boolean {
  const [was, is] = [before, now].map(({ attributes }) => testIdOf(attributes)?.replace(FIGURES, ""));
  const [said, says] = [before, now].map(({ text }) => text.replace(FIGURES, ""));
  return was !== undefined && is !== undefined && was !== is && said === says && /\p{L}/u.test(said!);
}

const FIGURES = /\d+/g;

function otherOf(
  theirs: readonly SeenElement[],
  mine: readonly SeenElement[],
  before: SeenElement,
): SeenElement | null {
  if (theirs.length !== mine.length || theirs.length > MOST_ALIKE) return null;
  const apart = theirs.flatMap((one, at) => (calledOf(one) === calledOf(mine[at]!) ? [] : [at]));
  const [at] = apart;
  const now = at === undefined ? undefined : mine[at];
  return apart.length === 1 && theirs[at!] === before && now && calledOf(now).trim() !== "" ? now : null;
}

/** What a page's author gives an element whatever it says. */
const isOfForm = (one: SeenElement, { tag, role, depth, attributes }: SeenElement) =>
  one.tag === tag && one.role === role && one.depth === depth && one.attributes.class === attributes.class;

const calledOf = ({ name, own, attributes }: SeenElement) =>
  [
    name === own ? own : `${name} ${own}`,
    testIdOf(attributes),
    attributes.title,
    attributes.placeholder,
    attributes.id,
  ].join(" ");
