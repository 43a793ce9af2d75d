import { wantedOf } from "../../page/hidden-from-role.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { elementsOf, lostScope, testIdOf, wantedOn } from "../../page/wanted.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { quoted, withoutQuery } from "../../words.ts";
import { becameNameless } from "./became-nameless.ts";
import { lostStructure } from "./lost-structure.ts";
import { becameOther } from "./other-role.ts";

/** More elements of one form are a list, in which a place says little. */
const MOST_ALIKE = 40;
/** By which an element has its role. */
const OF_ROLE = ["role", "type"];
/** By which an element has its name, beside its own text. */
const OF_NAME = ["aria-label", "aria-labelledby", "alt", "title", "placeholder"];

/**
 * An element that the test looks for by its role or name, and that stands there as in the last pass but for the
 * attribute that gave it these. That it says something else now is another matter: so do toggles.
 */
export function detectLostRole(evidence: Evidence): Finding[] {
  const { failed, run, passes } = evidence;
  const [pass] = passes;
  const seq = failed.step?.seq ?? run.facts.lastSeq;
  if (!pass || seq === null || placeOf(run) !== placeOf(pass)) return [];
  if (!isMissing(evidence) && failed.received !== "0") return [];
  const found =
    lostItself(evidence, pass) ??
    lostAround(evidence, pass) ??
    becameOther(evidence, pass) ??
    becameNameless(evidence, pass) ??
    lostStructure(evidence, pass);
  if (!found) return [];
  return [
    {
      kind: "element_renamed",
      title: `${found.target} was not found: ${found.lost}`,
      detail: null,
      step_id: failed.step?.step_id ?? null,
      events: [seq, run.page!.shot.seq],
      ts: failed.to,
      is_new: true,
      weight: 0.92,
      hasLostRole: true,
    },
  ];
}

interface Lost {
  target: string;
  lost: string;
}

function lostItself(evidence: Evidence, pass: RunEvidence): Lost | null {
  const { role, label, attribute } = wantedOf(evidence);
  if (!isMissing(evidence) || (role === null && !label && attribute === null)) return null;
  const lost = lostOf(wantedOn(evidence, pass.page?.elements ?? []), pass, evidence.run);
  return lost === null ? null : { target: targetOf(evidence), lost };
}

/** What the locator looks for the element in: of its parts the first that finds nothing any more. */
function lostAround(evidence: Evidence, pass: RunEvidence): Lost | null {
  const target = lostScope(targetOf(evidence), evidence.run.page?.elements ?? []);
  if (target === null) return null;
  const lost = lostOf(elementsOf(target, pass.page?.elements ?? []), pass, evidence.run);
  return lost === null ? null : { target, lost };
}

/** What the one element of a pass's page has lost in the run's; null where they are more, or nothing is known of it. */
function lostOf(there: readonly SeenElement[], pass: RunEvidence, run: RunEvidence): string | null {
  const [before, ...others] = there;
  const now = before && others.length === 0 ? counterpartOf(before, pass, run) : undefined;
  return (now && lostIn(before!, now)) || null;
}

/** Without its query: what a page was asked for is another thing in each run. */
const placeOf = ({ facts, page }: RunEvidence): string | null =>
  page && withoutQuery(facts.normaliser.url(page.shot.url));

/** By what it is known beside its text. */
function markOf({ tag, attributes }: SeenElement): string {
  const id = testIdOf(attributes);
  if (id !== null) return ` (test id ${quoted(id, 60)})`;
  return attributes.name && FIELD.test(tag) ? ` (name ${quoted(attributes.name, 60)})` : "";
}

/** The element of the failed run's page that says and looks the same, by its place among those that do. */
function counterpartOf(before: SeenElement, pass: RunEvidence, run: RunEvidence): SeenElement | undefined {
  const textOf = ({ text }: SeenElement, { facts }: RunEvidence) => facts.normaliser.text(text);
  const text = textOf(before, pass);
  const isAlike = (one: SeenElement, of: RunEvidence) =>
    !one.isHidden &&
    one.attributes.class === before.attributes.class &&
    one.attributes.id === before.attributes.id &&
    one.attributes.name === before.attributes.name &&
    testIdOf(one.attributes) === testIdOf(before.attributes) &&
    (one.tag === before.tag || (one.depth === before.depth && isMarked(before))) &&
    textOf(one, of) === text;
  const theirs = pass.page!.elements.filter((one) => isAlike(one, pass));
  const mine = run.page!.elements.filter((one) => isAlike(one, run));
  return theirs.length === mine.length && mine.length <= MOST_ALIKE
    ? mine[theirs.indexOf(before)]
    : undefined;
}

/** Whether it would be known by more than its text: a heading may say what a button said. */
const isMarked = ({ attributes }: SeenElement): boolean =>
  Boolean(attributes.class || attributes.id || testIdOf(attributes));

/** What it has no longer of what gave it its role and name, as far as these are others now; null where that is nothing. */
function lostIn(before: SeenElement, now: SeenElement): string | null {
  const gone = (names: string[]) =>
    names.flatMap((name) => {
      const value = before.attributes[name];
      return value && !now.attributes[name] ? [`${name}="${value.slice(0, 80)}"`] : [];
    });
  const hasOtherRole = before.role !== now.role;
  const hasOtherName = before.name !== now.name;
  const label =
    hasOtherName && isOfLabel(before) && !isOfLabel(now) ? [`its label ${quoted(before.name, 60)}`] : [];
  const lost = [
    ...(hasOtherRole ? gone(OF_ROLE) : []),
    ...(hasOtherName ? gone(OF_NAME) : []),
    ...label,
  ].join(" and ");
  const said = `${before.text === "" ? "" : ` ${quoted(before.text, 60)}`}${markOf(before)}`;
  if (before.tag !== now.tag && hasOtherRole)
    return `${said.trim() || quoted(before.name, 60)} stands there as in the last pass, but as ${kindOf(now)}, and no longer ${kindOf(before)}${lost && ` with ${lost}`}`;
  return lost && `the <${now.tag}>${said} stands there as in the last pass, but has lost ${lost}`;
}

/** Whether what a field is called stands in no attribute of its own. */
const isOfLabel = ({ tag, name, attributes }: SeenElement): boolean =>
  FIELD.test(tag) &&
  name !== "" &&
  !["aria-label", "alt", "title", "placeholder", "value"].some((one) => attributes[one]?.trim() === name);

const FIELD = /^(?:input|select|textarea)$/;

const kindOf = ({ role, tag }: SeenElement): string =>
  role === "" ? `<${tag}>` : `${/^[aeiou]/.test(role) ? "an" : "a"} ${role} (<${tag}>)`;
