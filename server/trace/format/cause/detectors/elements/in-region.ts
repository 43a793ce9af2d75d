import { oncePer } from "../../once.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, testIdOf } from "../../page/wanted.ts";
import { aroundOf, insideOf } from "../../page/within.ts";
import type { Evidence, RunEvidence } from "../../types.ts";
import { quoted } from "../../words.ts";

/** The part of the page in which a pass has the wanted element, and what the run's page has in it. */
export interface Region {
  inside: ReadonlySet<SeenElement>;
  /** What it says there and no pass does, as a clause; empty where that is nothing. */
  words: string;
}

/** That part, where it has a name of its own and stands on both pages once; null elsewhere. */
export const regionOf = oncePer((evidence: Evidence, _: "region"): Region | null => {
  const { run, passes } = evidence;
  const pass = passes.find((one) => one.page !== null && addressOf(one) === addressOf(run));
  const [there, here] = [pass, run].map((one) => visible(one?.page?.elements ?? [])) as [
    SeenElement[],
    SeenElement[],
  ];
  const [wanted, ...others] = foundWithin(targetOf(evidence), there);
  const part = wanted && others.length === 0 ? aroundOf(there, wanted).find(isNamed) : undefined;
  const [now, ...more] = part ? here.filter((one) => isSame(one, part)) : [];
  if (!part || !now || more.length > 0 || there.filter((one) => isSame(one, part)).length > 1) return null;
  const inside = insideOf(here, now);
  // What stood there before the last action says only that nothing came of that.
  const known = new Set(
    [{ page: run.before, facts: run.facts }, ...passes].flatMap(
      ({ page, facts }) => page?.elements.map(({ text }) => facts.normaliser.text(text)) ?? [],
    ),
  );
  const said = inside.find(
    ({ text, tag }) =>
      /\p{L}{3}/u.test(text) && !FIELDS.test(tag) && !known.has(run.facts.normaliser.text(text)),
  );
  return {
    inside: new Set(inside),
    words: said
      ? `; in the ${part.role || part.tag} ${quoted(part.name, 60)}, where the last pass has it, the page says ${quoted(said.text, 100)}`
      : "",
  };
});

const addressOf = ({ facts, page }: RunEvidence): string | null =>
  page && facts.normaliser.url(page.shot.url);

const visible = (elements: readonly SeenElement[]): SeenElement[] =>
  elements.filter(({ isHidden }) => !isHidden);

const PARTS = /^(?:region|article|form|dialog|group|complementary|navigation|search|row|toolbar)$/;
const FIELDS = /^(?:option|select|textarea)$/;

const isNamed = ({ role, name, text }: SeenElement): boolean =>
  PARTS.test(role) && name !== "" && name !== text;

const isSame = (one: SeenElement, { tag, role, name, attributes }: SeenElement): boolean =>
  one.tag === tag &&
  one.role === role &&
  one.name === name &&
  testIdOf(one.attributes) === testIdOf(attributes);
