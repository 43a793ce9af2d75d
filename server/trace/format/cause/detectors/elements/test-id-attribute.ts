import { USUAL_TEST_ID } from "../../../playwright/locator.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, partsOf, TEST_IDS, wantedBy } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import { counterpart } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";

/** A test id that the test looks for in one attribute, and that the page has in another: suites say which it is in their settings. */
export function detectTestIdAttribute(evidence: Evidence): Finding[] {
  const found = otherAttribute(evidence);
  if (!found) return [];
  const { failed, run, passes } = evidence;
  const { id, looked, element, has } = found;
  return [
    {
      kind: "element_renamed",
      title: `${targetOf(evidence)} was not found: the test looks for ${looked}="${id}", and the page has <${element.tag} ${has}="${id}">${sinceWhen(evidence, found)}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [...(failed.step ? [failed.step.seq] : []), run.page!.shot.seq],
      ts: failed.to,
      is_new: passes.length === 0 ? null : true,
      weight: 0.93,
      about: `test id ${id}`,
    },
  ];
}

/** Whether an element is there but for the attribute that its test id is looked for in. */
export const isByOtherAttribute = (evidence: Evidence): boolean => otherAttribute(evidence) !== null;

interface Other {
  id: string;
  /** The attribute that the test looks for. */
  looked: string;
  element: SeenElement;
  /** The attribute that has the id. */
  has: string;
}

function otherAttribute(evidence: Evidence): Other | null {
  const { failed, run } = evidence;
  const target = targetOf(evidence);
  const id = /getByTestId/.test(lastPartOf(target)) ? wantedBy(lastPartOf(target)).testId : null;
  if (id === null || !failed.step || (!isMissing(evidence) && failed.received !== "0")) return null;
  const looked = failed.step.testIdAttribute ?? USUAL_TEST_ID;
  const elements = run.page?.elements ?? [];
  const isWithin = partsOf(target).length > 1;
  // What stands elsewhere says nothing of a part of the page, where other elements go by that attribute.
  if (elements.some(({ attributes: { [looked]: own } }) => own === id || (isWithin && own !== undefined)))
    return null;
  for (const element of elements) {
    const has = TEST_IDS.find((name) => name !== looked && element.attributes[name] === id);
    // Events of older recordings do not say it of assertions.
    if (has !== undefined && !run.facts.steps.some(({ testIdAttribute }) => testIdAttribute === has))
      return { id, looked, element, has };
  }
  return null;
}

/** Whether the test or the page had the other attribute in the last pass, as a clause; empty where nothing is known of that. */
function sinceWhen({ failed, run, passes }: Evidence, { id, looked, has }: Other): string {
  const [last] = passes;
  const same = last && counterpart(run.facts, failed.step!, last.facts);
  if (!last || !same) return "";
  if ((same.testIdAttribute ?? USUAL_TEST_ID) === has)
    return `, for which the last pass looked: the test id attribute in the test's settings is another one`;
  return hasIn(last, looked, id) ? `, where it had ${looked} in the last pass` : "";
}

const hasIn = ({ page }: RunEvidence, name: string, id: string): boolean =>
  page?.elements.some(({ attributes }) => attributes[name] === id) === true;
