import type { PageShot, RunFacts } from "../../run/run-facts.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { addressOf, pathOf } from "../../words.ts";

/** The page is at another number of an address than in every pass: another step of a form, or another page of a list. */
export function detectOtherPart(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const here = run.page?.shot;
  const there = passes.flatMap(({ page }) => page?.shot ?? []);
  // One pass does not tell the number of a part from that of a thing.
  if (!here || passes.length < 2 || there.length < passes.length) return [];
  const mine = placeOf(here, run.facts);
  const usual = there.map((shot, at) => placeOf(shot, passes[at]!.facts));
  const isOther = mine !== usual[0] && usual.every((place) => place === usual[0]);
  const isAlike = there.every(
    ({ url }, at) => passes[at]!.facts.normaliser.url(url) === run.facts.normaliser.url(here.url),
  );
  // The passes came by it, so that it is not of a thing that this run alone has.
  const isKnown = passes.every(({ facts }) => facts.pages.some((shot) => placeOf(shot, facts) === mine));
  const action = actionBefore(run.facts, failed);
  const before = run.facts.pages.findLast((shot) => action !== null && shot.ts <= action.ts);
  if (!isOther || !isAlike || !isKnown || !before || placeOf(before, run.facts) === mine) return [];
  return [
    {
      kind: "redirected",
      title: `The page came to ${addressOf(here.url, run.facts)} instead of ${addressOf(there[0]!.url, passes[0]!.facts)}, where it had come to in the last pass`,
      detail: null,
      step_id: here.step_id,
      events: [here.seq],
      ts: Math.min(here.ts, failed.to),
      is_new: true,
      weight: 0.88,
    },
  ];
}

const PART = /^\d{1,2}$/;

/** A path as it is called across runs, but with the small numbers that stand in it. */
const placeOf = ({ url }: PageShot, { normaliser }: RunFacts): string =>
  pathOf(url)
    .split("/")
    .map((part) => (PART.test(part) ? part : normaliser.url(`/${part}`)))
    .join("/");
