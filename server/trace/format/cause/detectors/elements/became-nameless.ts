import { wantedOf } from "../../page/hidden-from-role.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, testIdOf } from "../../page/wanted.ts";
import { insideOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/** More elements of one form are a list of things that nobody tells apart by their place. */
const MOST_ALIKE = 40;

/** What has the place and the form of the wanted element, as often as the pass's page has it, and nothing that it could be called by any more. */
export function becameNameless(
  evidence: Evidence,
  pass: RunEvidence,
): { target: string; lost: string } | null {
  const { role, name } = wantedOf(evidence);
  if (!isMissing(evidence) || role === null || name === null) return null;
  const [here, there] = [evidence.run, pass].map(({ page }) => page?.elements ?? []) as [
    SeenElement[],
    SeenElement[],
  ];
  const [before, ...others] = foundWithin(targetOf(evidence), there);
  if (!before || others.length > 0) return null;
  const [mine, theirs] = [here, there].map((elements) => elements.filter((one) => isOfForm(one, before))) as [
    SeenElement[],
    SeenElement[],
  ];
  const now = mine[theirs.indexOf(before)];
  const isThere = mine.length === theirs.length && mine.length <= MOST_ALIKE;
  if (!now || !isThere || now.name.trim() !== "" || theirs.some((one) => one.name.trim() === "")) return null;
  const inside = insideOf(here, now);
  // A picture in it may be what it is called by.
  if (inside.some((one) => one.name.trim() !== "")) return null;
  const picture = inside.find(({ tag }) => PICTURE.test(tag));
  return {
    target: targetOf(evidence),
    lost: `the ${role} in its place has no name, neither a text nor an attribute such as aria-label, where the last pass has ${quoted(before.name, 60)}${picture ? `: it holds a picture alone (<${picture.tag}>)` : ""}`,
  };
}

const PICTURE = /^(?:svg|img|picture|i)$/;

const isOfForm = (one: SeenElement, { tag, role, depth, attributes }: SeenElement): boolean =>
  !one.isHidden &&
  one.tag === tag &&
  one.role === role &&
  one.depth === depth &&
  one.attributes.class === attributes.class &&
  one.attributes.id === attributes.id &&
  testIdOf(one.attributes) === testIdOf(attributes);
