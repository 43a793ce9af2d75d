import { oneLine } from "../../../error-text.ts";
import { chainOf, type ServedElement, servedElements } from "../../exchanges/served-elements.ts";
import { oncePer } from "../../once.ts";
import { attributeApart, lostBy, renamedAttribute } from "../../page/lost-attributes.ts";
import { refersToNothing } from "../../page/references.ts";
import { targetOf } from "../../page/target.ts";
import { lastPartOf, TEST_IDS, type Wanted, wantedBy } from "../../page/wanted.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { GESTURES, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { aboutUrl, bodyOf, isTracker, quoted, requestOf } from "../../words.ts";

/** The last pages that the server sent. */
const MOST_PAGES = 6;
/** Of each pass, of one address. */
const MOST_ALIKE = 2;
const MOST_AROUND = 12;

/**
 * What a person reads, how it looks, where it leads, what state it is in, and what tells a visitor or a build from another:
 * told elsewhere, or by chance another one.
 */
const NO_BEHAVIOUR =
  /^(?:class|style|id|value|title|alt|placeholder|nonce|integrity|lang|dir|href|src|srcset|sizes|width|height|action|content|checked|selected|disabled|hidden|open|role|aria-.*|data-test.*|data-(?:.{0,200}-)?(?:variant|experiment|bucket|ab|request|visit|session|nonce|trace|span|rid|time|ts|v|hash|id|key|react.*))$/;
/** What scripts act by, and answers fill in. */
const OF_DATA = /^data-/;

/** The element that the failed step looks for, or that the action before it used, came from the server with another attribute than in every pass, or stands in one that did. */
export function detectServedElement(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const cameBy = ({ end, ts }: Exchange, moment: number) => (end ?? ts) <= moment;
  const pages = lastOf(
    run.facts.exchanges,
    MOST_PAGES,
    (one) =>
      /html/.test(one.mediaType) && cameBy(one, failed.to) && !isFailedExchange(one) && !isTracker(one.url),
  ).toReversed();
  for (const { wanted, until } of soughtIn(evidence))
    for (const one of pages) {
      const body = bodyOf(one, run.bodies);
      // Most pages lack it, and are not read for it.
      if (body?.includes(wanted.testId ?? wanted.name!) !== true || !cameBy(one, until)) continue;
      const element = foundIn(elementsOf(evidence, body), wanted);
      if (!element) continue;
      const finding = findingOf(evidence, one, element, wanted);
      if (finding) return [finding];
      // The last page that has it is the one that was used.
      break;
    }
  return [];
}

/** What the failed step looked for, then what the last action used, each with the moment by which its page had come. */
function soughtIn(evidence: Evidence): { wanted: Wanted; until: number }[] {
  const { run, failed } = evidence;
  const action = run.facts.steps.findLast(
    ({ kind, name, ts, isFailed }) =>
      kind === "agent.action" && GESTURES.test(name) && !isFailed && ts <= failed.to,
  );
  const sought = [{ locator: targetOf(evidence), until: failed.to }];
  if (action) sought.push({ locator: action.title, until: action.ts });
  return sought
    .map(({ locator, until }) => ({ wanted: wantedBy(lastPartOf(locator)), until }))
    .filter(({ wanted }) => wanted.testId !== null || wanted.name !== null);
}

/** The one element that is called so; null where none or several are. */
function foundIn(elements: readonly ServedElement[], { name, testId, label }: Wanted): ServedElement | null {
  const labelled = new Set(
    elements.flatMap(({ tag, text, attributes }) =>
      tag === "label" && text === name ? (attributes.get("for") ?? []) : [],
    ),
  );
  const isIt = ({ tag, attributes, text }: ServedElement) => {
    if (testId !== null) return TEST_IDS.some((by) => attributes.get(by) === testId);
    const isNamed = [attributes.get("aria-label"), attributes.get("placeholder"), text].includes(name!);
    return label ? tag !== "label" && (isNamed || labelled.has(attributes.get("id") ?? "")) : isNamed;
  };
  const found = elements.filter(isIt);
  const outer = new Set(found.map(({ around }) => around));
  const [element, ...others] = found.filter((one) => !outer.has(one));
  return element && others.length === 0 ? element : null;
}

/** The elements of a page, which is read once for all that is looked for on it. */
export const elementsOf = oncePer((_: Evidence, html: string) => servedElements(html));

function findingOf(
  evidence: Evidence,
  one: Exchange,
  element: ServedElement,
  wanted: Wanted,
): Finding | null {
  const { run, passes } = evidence;
  const { facts } = run;
  const theirs = passes.map((pass) =>
    exchangesOf(pass.facts, exchangeKey(one, facts))
      .flatMap((other) => bodyOf(other, pass.bodies) ?? [])
      .slice(-MOST_ALIKE)
      .flatMap((body) => {
        const same = foundIn(elementsOf(evidence, body), wanted);
        return same ? [chainOf(same, MOST_AROUND)] : [];
      }),
  );
  if (theirs.some((chains) => chains.length === 0)) return null;
  const usual = theirs.flat();
  const mine = chainOf(element, MOST_AROUND);
  for (const [at, { tag, attributes }] of mine.entries()) {
    if (usual.some((chain) => chain[at]?.tag !== tag)) return null;
    const names = new Set([...attributes.keys(), ...usual[0]![at]!.attributes.keys()]);
    for (const name of names) {
      const now = attributes.get(name);
      const had = usual[0]![at]!.attributes.get(name);
      const isAstray = refersToNothing(evidence, name, now, had);
      if (NO_BEHAVIOUR.test(name) && !isAstray) continue;
      const valueIn = (chain: readonly ServedElement[]) => {
        const value = chain[at]!.attributes.get(name);
        return value === undefined ? undefined : facts.normaliser.text(value);
      };
      const before = valueIn(usual[0]!);
      if (valueIn(mine) === before || usual.some((chain) => valueIn(chain) !== before)) continue;
      const isOther = now !== undefined && before !== undefined;
      // One page of one pass does not tell which values vary.
      if (isOther && usual.length === 1) continue;
      const said = renamedAttribute(attributes, usual[0]![at]!.attributes) ?? attributeApart(name, now, had);
      const where = at === 0 ? markupOf(element) : `<${tag}> around ${markupOf(element)}${calledBy(element)}`;
      return {
        kind: "answer_changed",
        title: `${requestOf(one, facts)} came ${said.now}${isAstray ? ", an id that no element of the page has," : ""} in ${where}, where the last pass had ${said.before}`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: true,
        weight: isAstray ? 0.97 : weightOf(name, isOther, usual.length === 1),
        about: `markup ${aboutUrl(one.url, facts)}`,
        isOfElement: true,
        tag: writtenOf({ tag, attributes }),
        ...(isAstray && { refersToNothing: true }),
        ...(at === 0 && lostBy(tag, name, now, had)),
        ...(name === "disabled" && now !== undefined && { markup: "disabled" }),
      };
    }
  }
  return null;
}

const writtenOf = ({ tag, attributes }: Pick<ServedElement, "tag" | "attributes">): string =>
  `<${[tag, ...[...attributes].map(([name, value]) => `${name}="${value}"`)].join(" ")}>`;

function weightOf(name: string, isOther: boolean, isOfOnePage: boolean): number {
  if (OF_DATA.test(name)) return isOther ? 0.72 : 0.8;
  return isOfOnePage ? 0.8 : 0.92;
}

const MARKED_BY = ["href", "aria-label", "name", "id"];

/** What tells a tag from others. */
const marksOf = ({ attributes }: ServedElement): string[] =>
  MARKED_BY.flatMap((name) => {
    const value = attributes.get(name);
    return value ? [`${name}="${oneLine(value).slice(0, 60)}"`] : [];
  }).slice(0, 2);

const markupOf = (one: ServedElement): string => `<${[one.tag, ...marksOf(one)].join(" ")}>`;

/** The text of an element that nothing else tells from others. */
const calledBy = (one: ServedElement): string =>
  marksOf(one).length > 0 || one.text === "" ? "" : ` ${quoted(one.text, 60)}`;
