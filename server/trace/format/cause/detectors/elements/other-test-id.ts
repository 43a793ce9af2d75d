import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, lastPartOf, testIdOf, wantedBy } from "../../page/wanted.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/** Elements that are counted by a test id which none of them has, where the page has as many of the same form by an id that no pass has. */
export function detectOtherTestId(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const { step, message, expected, received } = failed;
  const id = wantedBy(lastPartOf(targetOf(evidence))).testId;
  const isCounted = /\btoHaveCount\b/.test(`${step?.name} ${message}`) && received === "0";
  if (id === null || !isCounted || !run.page || passes.length === 0) return [];
  const usual = passes.map(({ page }) => foundWithin(targetOf(evidence), page?.elements ?? []));
  const [like] = usual[0]!;
  if (!like || usual.some((found) => String(found.length) !== expected)) return [];
  const known = new Set(passes.flatMap(({ page }) => page?.elements ?? []).flatMap(idsOf));
  const fresh = run.page.elements.filter(
    (one) => isOfForm(one, like) && idsOf(one).some((other) => !known.has(other)),
  );
  const [other, ...others] = new Set(fresh.flatMap(idsOf));
  if (other === undefined || others.length > 0 || String(fresh.length) !== expected) return [];
  const script = changedScript(evidence);
  return [
    {
      kind: "element_renamed",
      title: `${targetOf(evidence)} found nothing: the test id is another one, the page has ${fresh.length} × <${like.tag}> with ${quoted(other, 60)} where the last pass has as many with ${quoted(id, 60)}${script === null ? "" : `; ${script.words}`}`,
      detail: null,
      step_id: step?.step_id ?? null,
      events: [run.page.shot.seq, ...(step ? [step.seq] : []), ...(script === null ? [] : [script.seq])],
      ts: failed.to,
      is_new: true,
      weight: 0.9,
      about: `test id ${id}`,
    },
  ];
}

const idsOf = ({ attributes }: SeenElement): string[] => {
  const id = testIdOf(attributes);
  return id === null ? [] : [id];
};

const isOfForm = (one: SeenElement, { tag, role, depth, attributes }: SeenElement): boolean =>
  !one.isHidden &&
  one.tag === tag &&
  one.role === role &&
  one.depth === depth &&
  one.attributes.class === attributes.class;
