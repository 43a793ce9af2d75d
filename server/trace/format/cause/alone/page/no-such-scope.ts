import { oneLine } from "../../../error-text.ts";
import { renamedScope } from "../../detectors/elements/renamed-scope.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { lostScope, wantedBy } from "../../page/wanted.ts";
import { aroundOf } from "../../page/within.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";

/**
 * What the locator looks for the element within is not there by its role, though the page has what goes by that name: a
 * dialog whose box has no role, a region that is a plain division.
 */
export function detectNoSuchScope(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (run.page === null || seq === null || (!isMissing(evidence) && failed.received !== "0")) return [];
  if (renamedScope(evidence, "scope") !== null) return [];
  const { elements } = run.page;
  const scope = lostScope(targetOf(evidence), elements);
  const { role, name } = wantedBy(scope ?? "");
  if (scope === null || role === null || name === null) return [];
  const called = elements.filter((one) => !one.isHidden && isCalled(one, name)).slice(0, MOST);
  const box = called
    .map((one) => (hasMarks(one) ? one : aroundOf(elements, one).find(hasMarks)))
    .find((one, at) => one && !isMessage(one, called[at]!));
  if (!box) return [];
  return [
    {
      kind: "element_renamed",
      title: `${scope} was not found, within which the step looks: ${quoted(name, 60)} stands in ${markupOf(box)}, without the role ${quoted(role, 20)}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page.shot.seq],
      ts: failed.to,
      is_new: null,
      weight: 0.9,
      hasLostRole: true,
    },
  ];
}

const MOST = 20;

/** Whether a box has nothing but the sentence that names what is sought: nothing else is to be found in it. */
const isMessage = (box: SeenElement, called: SeenElement): boolean =>
  called.role !== "heading" && called.own !== "" && oneLine(box.text) === oneLine(called.own);

/** Whether an element says so itself, and is not one of the things that lead to what is called so. */
function isCalled({ role, name, own, attributes }: SeenElement, wanted: string): boolean {
  if (LEADS_THERE.has(role)) return false;
  const said = [role === "heading" ? name : own, attributes["aria-label"] ?? ""];
  return said.some((text) => oneLine(text).toLowerCase().startsWith(wanted.toLowerCase()));
}

const LEADS_THERE = new Set(
  "button link tab menuitem option textbox searchbox combobox checkbox radio".split(" "),
);

/** Whether a style sheet or a script knows an element as a thing of its own: most likely the box. */
const hasMarks = ({ role, attributes }: SeenElement): boolean =>
  role !== "heading" && Boolean(attributes.class || attributes.id || attributes["aria-label"]);

const markupOf = ({ tag, attributes: { id, class: classes } }: SeenElement): string =>
  `<${tag}${id ? ` id="${id.slice(0, 60)}"` : classes ? ` class="${classes.slice(0, 60)}"` : ""}>`;
