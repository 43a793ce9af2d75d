import { cut, oneLine } from "../../../error-text.ts";
import { hiddenFromRole, hiddenScope } from "../../page/hidden-from-role.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { wantedOn } from "../../page/wanted.ts";
import { type HidingRule, hidingRule, type Withholding } from "../../style/hiding-rule.ts";
import { asksForWindow } from "../../style/media.ts";
import { rulesOf } from "../../style/rules.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { addressOf, quoted } from "../../words.ts";
import { detectMarkup } from "../answers/markup.ts";
import { changedStyle } from "../answers/release.ts";
import { disabledFromAround } from "./disabled-by.ts";
import { detectElement, viewportMove } from "./element.ts";
import { type Folded, foldedAway } from "./folded.ts";

/** What a style sheet does to the element of the failed step. */
interface Styled {
  words: string;
  /** Sequence number of the answer that brought the style sheet. */
  events: number[];
  /** Whether it does so in windows of some sizes alone. */
  isOfWindow: boolean;
}

const WITHHELD =
  /element is not visible|unexpected value "hidden"|Received: +hidden|resolved to hidden <|intercepts pointer events|outside of the viewport/;

/** Whether a style sheet may be why the failed step could not use its element. */
export const mayBeStyled = ({ failed, run }: Pick<Evidence, "failed" | "run">): boolean =>
  [...(failed.step?.log ?? []), failed.message].some((line) => WITHHELD.test(line)) ||
  (hiddenFromRole({ failed, run }) ?? hiddenScope({ failed, run })) !== null;

/** What stood between the step and its element, with the rule of a style sheet that did it. */
export const detectStyledElement = (evidence: Evidence): Finding[] =>
  detectElement(evidence).map((finding) => {
    if (finding.kind === "element_disabled") return withDisabler(finding, evidence);
    const folded = finding.kind === "element_hidden" ? foldedOne(evidence) : null;
    if (folded)
      return {
        ...finding,
        title: `${finding.title}: ${folded.words}`,
        weight: Math.max(finding.weight, FOLDED),
        isMoved: folded.isMoved,
      };
    const by = finding.kind === "element_hidden" ? "unseen" : "untouched";
    const styled = by === "unseen" || finding.kind === "element_covered" ? styledBy(evidence, by) : null;
    if (!styled) return finding;
    return {
      ...finding,
      title:
        by === "unseen"
          ? `${finding.title}: ${styled.words}`
          : `${viewportMove(evidence)}A click on ${targetOf(evidence)} went through it to what is behind: ${styled.words}`,
      events: [...finding.events, ...styled.events],
      weight: Math.max(finding.weight, styled.isOfWindow ? OF_WINDOW : 0),
    };
  });

/** What is disabled by what is around it is told with that. */
function withDisabler(finding: Finding, evidence: Evidence): Finding {
  const words = disabledFromAround(evidence);
  if (words === null) return finding;
  const weight = finding.is_new === true ? Math.max(finding.weight, DISABLED) : finding.weight;
  const said = `${targetOf(evidence)} was disabled`;
  const [first, more] = finding.title.startsWith(said)
    ? [said, finding.title.slice(said.length)]
    : [finding.title, ""];
  return { ...finding, title: `${first}; ${words}${more}`, weight };
}

/** What no pass disables is why the step could not use what is in it. */
const DISABLED = 0.93;

/** What a style sheet does in windows of some sizes alone, nothing on the page did. */
const OF_WINDOW = 0.84;

/** What is closed shows nothing of what is in it, by the very rules of HTML. */
export const FOLDED = 0.86;

const foldedOne = (evidence: Evidence): Folded | null =>
  foldedAway(evidence, candidatesOf(evidence, evidence.run.page?.elements ?? []).slice(0, MOST_ALIKE));

const MOST_ALIKE = 5;

/**
 * The rule of the page's style sheets that withholds the failed step's element, in words. Null where none does for certain, and
 * where a comparison with passes tells what changed.
 * @param element where it is known; else it is looked for
 */
export function styledBy(evidence: Evidence, by: Withholding, element?: SeenElement): Styled | null {
  const { run } = evidence;
  const { page, sheets = [], window = null } = run;
  if (!page || sheets.length === 0) return null;
  const few = (element ? [element] : candidatesOf(evidence, page.elements)).slice(0, MOST_ALIKE);
  const rules = few.length === 0 ? [] : rulesOf(sheets, window);
  const found = few.map((one) => {
    const hiding = hidingRule(page.elements, one, rules, by);
    return hiding && { words: wordsOf(run, by, one, hiding), hiding };
  });
  const [first] = found;
  if (!first || found.some((one) => one?.words !== first.words) || isToldByPasses(evidence)) return null;
  const { media, sheet } = first.hiding.rule;
  return {
    words: first.words,
    events: sheet.seq === null ? [] : [sheet.seq],
    isOfWindow: media.some(asksForWindow),
  };
}

const isToldByPasses = (evidence: Evidence): boolean =>
  evidence.passes.length > 0 && (changedStyle(evidence) !== null || detectMarkup(evidence).length > 0);

/** The elements that the step may have meant: those that its log shows, and its locator names. */
function candidatesOf({ failed }: Evidence, elements: readonly SeenElement[]): SeenElement[] {
  const shown = (failed.step?.log ?? []).findLast((line) => RESOLVED.test(line));
  const [, tag, rest = ""] = (shown && RESOLVED.exec(shown)) || [];
  const named = wantedOn({ failed }, elements);
  if (tag === undefined) return named;
  const given = [...rest.matchAll(/\b(id|class)="([^"]+)"/g)].filter(([, , value]) => !value!.includes("…"));
  const alike = (some: readonly SeenElement[]) =>
    some.filter(
      (one) =>
        one.tag === tag.toLowerCase() && given.every(([, name, value]) => one.attributes[name!] === value),
    );
  const both = alike(named);
  return both.length > 0 ? both : given.length > 0 ? alike(elements) : [];
}

const RESOLVED = /locator resolved to (?:(?:hidden|visible) )?<([\w-]+)(?![\w-])([^>]{0,1000})>/;

/** The rule that hides an element, in words. */
export const hidingWords = (run: RunEvidence, element: SeenElement, hiding: HidingRule): string =>
  wordsOf(run, "unseen", element, hiding);

function wordsOf(
  { facts, window }: RunEvidence,
  by: Withholding,
  element: SeenElement,
  { rule, on }: HidingRule,
): string {
  const { selector, property, value, isImportant, sheet, media } = rule;
  const written = `${cut(oneLine(selector.text), 80)} { ${property}: ${value}${isImportant ? " !important" : ""} }`;
  const of = sheet.url === null ? "the page’s own style" : addressOf(sheet.url, facts);
  const whom = on === element ? "it" : `${nameOf(on)} around it`;
  const told = media.filter((one) => !/^(?:all|screen)$/i.test(one.trim()));
  const conditions = told.map((one) => quoted(`@media ${one}`, 80)).join(" and ");
  const size = window && media.some(asksForWindow) ? ` at a window of ${sizeIn(media, window)} pixels` : "";
  return `${quoted(written, 140)} of ${of} ${by === "unseen" ? "hides" : "keeps the pointer from"} ${whom}${conditions === "" ? "" : `, within ${conditions}${size}`}`;
}

const sizeIn = (media: readonly string[], { width, height }: { width: number; height: number }): string =>
  media.some((one) => /height/i.test(one)) ? `${width} × ${height}` : String(width);

function nameOf({ tag, attributes }: SeenElement): string {
  const [name] = (attributes.class ?? "").trim().split(/\s+/);
  return attributes.id ? `#${cut(attributes.id, 60)}` : name ? `.${cut(name, 60)}` : `<${tag}>`;
}
