import type { SeenElement } from "../../page/page-view.ts";
import { wantedOn } from "../../page/wanted.ts";
import type { Step } from "../../run/run-facts.ts";
import { actionBefore, GESTURES } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";
import { messageOf } from "../page/page.ts";

/** Since when an element that cannot be used is disabled, as a clause: an earlier action had used it. Empty where none did, or nobody knows. */
export function disabledSince(evidence: Evidence): string {
  const press = pressedBefore(evidence);
  if (!press) return "";
  const said = evidence.run.page?.elements ?? [];
  const alert = said.flatMap((one) => (one.isHidden ? [] : (messageOf(one, said) ?? []))).at(-1);
  return `; it has been so since ${quotedStep(press)}, which had used it${alert === undefined ? "" : `, and the page says ${quoted(alert, 120)}`}: it was not enabled again`;
}

/** The last action that used the failed step's element, on the page that is still the same, where nothing tells that it was enabled after that. */
function pressedBefore(evidence: Evidence): Step | undefined {
  const { run, failed } = evidence;
  const { step } = failed;
  const selector = step?.params.selector;
  const last = actionBefore(run.facts, failed);
  if (!step || typeof selector !== "string" || !last) return undefined;
  const press = run.facts.steps.findLast(
    ({ seq, name, params, isFailed, page }) =>
      seq < step.seq &&
      !isFailed &&
      page === step.page &&
      params.selector === selector &&
      GESTURES.test(name),
  );
  if (!press || run.facts.exchanges.some(({ type, ts, page }) => isOpened(type, ts, page, press)))
    return undefined;
  if (press.seq === last.seq) return press;
  return run.before !== undefined && isDisabledOn(evidence, run.before.elements) ? press : undefined;
}

const isOpened = (type: string | null, ts: number, page: string | null, press: Step): boolean =>
  type === "document" && ts > press.ts && page === press.page;

const isDisabledOn = (evidence: Evidence, elements: readonly SeenElement[]): boolean => {
  const found = wantedOn(evidence, elements);
  return found.length > 0 && found.every(({ attributes }) => "disabled" in attributes);
};
