import { wantedOf } from "../../page/hidden-from-role.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, levelOf } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/**
 * What is called as the wanted element is and has another role or tag than in the pass: there is one less of the wanted kind on
 * the page, and one more of the other. What had stood there besides, under another name, has not come in its place.
 */
export function becameOther(evidence: Evidence, pass: RunEvidence): { target: string; lost: string } | null {
  const { role, level, ...wanted } = wantedOf(evidence);
  const here = seenOn(evidence.run);
  const there = seenOn(pass);
  const name = wanted.name ?? onlyOneOf(evidence, there)?.name;
  if (!isMissing(evidence) || role === null || !name) return null;
  const called = bare(name);
  const isCalled = (one: SeenElement) => bare(one.name) === called || bare(one.own) === called;
  const isOfRole = (one: SeenElement) => one.role === role && (level === undefined || levelOf(one) === level);
  const before = there.find((one) => isOfRole(one) && isCalled(one));
  if (!before || moreOf(before, here, there) >= 0 || moreOf(before, here, there, isCalled) >= 0) return null;
  const come = here.filter(
    (one) =>
      !isOfRole(one) &&
      isCalled(one) &&
      moreOf(one, here, there) > 0 &&
      moreOf(one, here, there, isCalled) > 0,
  );
  const now = come.find((one) => one.role !== "") ?? come[0];
  return now
    ? {
        target: targetOf(evidence),
        lost: `${quoted(before.name || before.own, 60)} stands there as in the last pass, but as ${kindOf(now)}, and no longer ${kindOf(before)}`,
      }
    : null;
}

/** The one element that a pass has where the locator gives no name. */
function onlyOneOf(evidence: Evidence, there: readonly SeenElement[]): SeenElement | undefined {
  const [found, ...others] = foundWithin(targetOf(evidence), there);
  return others.length === 0 ? found : undefined;
}

const seenOn = ({ page }: RunEvidence): SeenElement[] =>
  page?.elements.filter(({ isHidden }) => !isHidden) ?? [];

/** Markup breaks a text where its parts come from several places. */
const bare = (text: string): string => text.replace(/\s+/g, "").toLowerCase();

/** How many more of the kind of an element there are than there were. */
const moreOf = (
  { tag, role }: SeenElement,
  here: readonly SeenElement[],
  there: readonly SeenElement[],
  counts: (one: SeenElement) => boolean = () => true,
): number => {
  const ofKind = (elements: readonly SeenElement[]) =>
    elements.filter((one) => one.tag === tag && one.role === role && counts(one)).length;
  return ofKind(here) - ofKind(there);
};

const kindOf = ({ role, tag, attributes }: SeenElement): string => {
  const written = `<${tag}${attributes.role === undefined ? "" : ` role="${attributes.role}"`}>`;
  return role === "" ? written : `${/^[aeiou]/.test(role) ? "an" : "a"} ${role} (${written})`;
};
