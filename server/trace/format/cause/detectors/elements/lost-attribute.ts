import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, told } from "../../page/wanted.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bareOf, quoted } from "../../words.ts";

/** What an element is just now: what made it so, or did not, comes before it. */
const OF_STATE =
  /^(?:class|value|checked|selected|disabled|hidden|open|href|src|aria-(?:current|pressed|selected|checked|expanded|busy|disabled|invalid|hidden|sort|activedescendant))$/;

/** The element whose attribute the test looks at has none of that name, or another value of it, where every pass has the value that the test expects. */
export function detectLostAttribute(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (seq === null || passes.length === 0 || !/\btoHaveAttribute\(/.test(failed.message)) return [];
  const [want, got] = [failed.expected, failed.received].map((text) => bareOf(text ?? ""));
  const mine = oneOn(evidence, run);
  const theirs = passes.map((pass) => oneOn(evidence, pass));
  if (!mine || want === "" || want === got) return [];
  const [name, ...others] = Object.keys(theirs[0]?.attributes ?? {}).filter(
    (one) => theirs.every((other) => other?.attributes[one] === want) && (mine.attributes[one] ?? "") === got,
  );
  // Of two that say the same either may be meant.
  if (name === undefined || others.length > 0) return [];
  const element = told(mine).replace(/^a/, "A");
  const isGone = mine.attributes[name] === undefined;
  return [
    {
      kind: "page_changed",
      title: isGone
        ? `${element} has no ${name}, which it has in the last pass (${quoted(want!, 80)})`
        : `${element} has the ${name} ${quoted(got!, 80)} where the last pass has ${quoted(want!, 80)}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page!.shot.seq],
      ts: failed.to,
      is_new: true,
      weight: isGone && !OF_STATE.test(name) ? 0.88 : 0.5,
      about: `attribute ${name}`,
    },
  ];
}

/** The one element of a run's page that the test looks at. */
function oneOn(evidence: Evidence, { page }: RunEvidence): SeenElement | undefined {
  const [element, ...others] = foundWithin(targetOf(evidence), page?.elements ?? []);
  return others.length === 0 ? element : undefined;
}
