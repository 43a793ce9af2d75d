import type { SeenElement } from "../../page/page-view.ts";
import { isSameText, shownAt } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { testIdOf } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence, Finding, SeenPage } from "../../types.ts";
import { figureOf } from "../../values/figures.ts";
import { quoted, quotedStep } from "../../words.ts";
import { changedScript } from "../answers/release.ts";

/** Amounts are told to their hundredths. */
const LEEWAY = 0.005;

/** A figure beside the one that the step looks at, which the last action left as it was and each pass has another one for by then: the two are off by as much. */
export function detectKeptFigure(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  const script =
    passes.length > 0 && run.before && run.page && !isMissing(evidence) ? changedScript(evidence) : null;
  if (!action || !script) return [];
  const target = targetOf(evidence);
  const off = apartIn([run.page!, ...pagesOf(evidence)].map((page) => amountOf(shownAt(page, target)[0])));
  if (off === null) return [];
  const marked = [run.before!, ...pagesOf(evidence)].map(markedOn);
  const kept = run.page!.elements.find((one) => {
    const mark = one.isHidden ? null : markOf(one);
    if (mark === null) return false;
    const others = marked.map((page) => onlyOne(page.get(mark)));
    const [before, ...usual] = others;
    if (!before || !isSameText(before.text, one.text)) return false;
    const by = apartIn([one, ...usual].map((other) => amountOf(other?.text)));
    return by !== null && Math.abs(Math.abs(by) - Math.abs(off)) < LEEWAY;
  });
  if (!kept || shownAt(run.page!, target)[0] === kept.text) return [];
  const usual = onlyOne(marked[1]!.get(markOf(kept)))!;
  return [
    {
      kind: "page_changed",
      title: `${quoted(kept.text, 40)} (${markOf(kept)}) stayed as it was with ${quotedStep(action)}, where the last pass has ${quoted(usual.text, 40)} there by then, and ${target} is off by as much; ${script.words}`,
      detail: null,
      step_id: action.step_id,
      events: [action.seq, run.page!.shot.seq, script.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.84,
      about: `kept figure ${action.seq}`,
    },
  ];
}

const pagesOf = ({ passes }: Evidence): SeenPage[] => passes.flatMap(({ page }) => page ?? []);

const amountOf = (text: string | undefined): number | null => {
  const figure = figureOf(text ?? "");
  return figure && Number(figure.text);
};

/** What the first figure is more than each of the others, which are one; null where they are not, or it is the same. */
function apartIn([now, ...usual]: (number | null)[]): number | null {
  const [then] = usual;
  if (now == null || then == null || usual.some((one) => one !== then)) return null;
  return Math.abs(now - then) < LEEWAY ? null : now - then;
}

/** By what an element is known on another page. */
function markOf({ attributes }: SeenElement): string | null {
  const id = testIdOf(attributes);
  return id !== null ? `test id ${quoted(id, 60)}` : attributes.id ? `id ${quoted(attributes.id, 60)}` : null;
}

const markedOn = ({ elements }: SeenPage): Map<string | null, SeenElement[]> =>
  Map.groupBy(
    elements.filter(({ isHidden }) => !isHidden),
    markOf,
  );

const onlyOne = (all: readonly SeenElement[] = []): SeenElement | undefined =>
  all.length === 1 ? all[0] : undefined;
