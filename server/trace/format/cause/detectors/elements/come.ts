import { similarity } from "../../../similarity.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { isBare, isOfKind, testIdOf, told, type Wanted, wantedOn } from "../../page/wanted.ts";
import { actionBefore } from "../../run/select.ts";
import type { Evidence } from "../../types.ts";
import { quoted, quotedStep } from "../../words.ts";

const MOST_NAMED = 6;

/** What an element is called across pages. */
export const keyOf = ({ tag, role, name, attributes }: SeenElement) =>
  `${tag} ${role} ${name} ${testIdOf(attributes) ?? ""}`;

/** From here on two names are almost one. */
const ALMOST = 0.85;

/** What came of the wanted role with the last action, where none of it is almost called so, and what is stood there before. */
export function comeInstead(wanted: Wanted, closest: SeenElement, evidence: Evidence): string | null {
  const stood = stoodBefore(evidence);
  const action = actionBefore(evidence.run.facts, evidence.failed);
  const isLike = similarity(closest.name, wanted.name ?? "") >= ALMOST;
  if (!stood || wanted.role === null || !action || (isLike && !stood.has(keyOf(closest)))) return null;
  const come = evidence.run.page!.elements.filter(
    (one) => !one.isHidden && isOfKind(wanted, one) && one.name !== "" && !stood.has(keyOf(one)),
  );
  const few = [...new Set(come.map(({ name }) => name))].slice(0, MOST_NAMED);
  // What came alone came in its place.
  return few.length < (stood.has(keyOf(closest)) ? 1 : 2)
    ? null
    : `with ${quotedStep(action)} came the ${wanted.role}${few.length === 1 ? "" : "s"} ${few.map((name) => quoted(name, 50)).join(", ")}`;
}

/** Without a pass, classes and ids that are alike say little: pages name what belongs together alike. */
export const isOfStyle = ({ role, name, testId }: Wanted, { passes }: Evidence): boolean =>
  passes.length === 0 && role === null && name === null && testId === null;

/** Without a pass, a text that is but a part of the wanted one may stand there beside it. */
export const isPart = ({ role, label, name }: Wanted, { own }: SeenElement, { passes }: Evidence): boolean =>
  passes.length === 0 &&
  role === null &&
  !label &&
  own !== "" &&
  (name ?? "").toLowerCase().includes(own.toLowerCase());

/** The test ids that came with the last action, where one is looked for that the page has not. */
export function testIdsInstead({ testId }: Wanted, evidence: Evidence): string {
  const { run, passes } = evidence;
  const action = actionBefore(run.facts, evidence.failed);
  if (testId === null || !run.before || !run.page || !action || passes.length > 0) return "";
  const stood = new Set(run.before.elements.map(({ attributes }) => testIdOf(attributes)));
  const come = run.page.elements.flatMap(({ attributes }) => testIdOf(attributes) ?? []);
  const few = [...new Set(come)].filter((id) => !stood.has(id)).slice(0, MOST_NAMED);
  return few.length === 0
    ? ""
    : `; with ${quotedStep(action)} came the test id${few.length === 1 ? "" : "s"} ${few.map((id) => quoted(id, 50)).join(", ")}`;
}

/** What stood on the page before the last action; null where that is not known, or passes tell more. */
export function stoodBefore({ run, passes }: Evidence): Set<string> | null {
  return run.before && passes.length === 0 ? new Set(run.before.elements.map(keyOf)) : null;
}

/** What the element is in the last pass, where the locator does not say it. */
export function inPass(evidence: Evidence): string {
  if (!isBare(targetOf(evidence))) return "";
  const [element] = wantedOn(evidence, evidence.passes[0]?.page?.elements ?? []);
  return element === undefined || (element.name === "" && element.role === "")
    ? ""
    : ` (in the last pass ${told(element)})`;
}
