import { cut, oneLine } from "../../../error-text.ts";
import type { SeenElement } from "../../page/page-view.ts";
import { targetOf } from "../../page/target.ts";
import { isMissing } from "../../run/missing-element.ts";
import { FITS_SEVERAL } from "../../run/scenario-words.ts";
import { counterpart } from "../../run/select.ts";
import type { CauseKind, Evidence, Finding } from "../../types.ts";
import { quoted } from "../../words.ts";
import { messageOf } from "../page/page.ts";
import { disabledSince } from "./disabled-since.ts";
import { whileDisabled } from "./form-state.ts";
import { newInForm } from "./new-in-form.ts";
import { optionsOf } from "./options.ts";
import { waitsFor } from "./waits-for.ts";
import { whichMatched } from "./which-matched.ts";

interface Rule {
  kind: CauseKind;
  pattern: RegExp;
  weight: number;
  /** Counts only as the log's last word. */
  isLast?: true;
  say(target: string, match: RegExpExecArray): string;
}

/** What stands around a link that is switched off takes its clicks. */
const SWITCHED_OFF: Rule = {
  kind: "element_disabled",
  pattern:
    /^[^<\n]*(?:<.*? from )?(<[^<>]{1,500}?(?:\bclass="(?:[^"<>]{0,300}[\s-])?disabled(?=[\s"-])|\baria-disabled="true"|\binert\b)[^<>]*>.*?) intercepts pointer events/m,
  weight: 0.74,
  say: (target, match) =>
    `${target} was disabled: ${markup(match[1]!.split(" from <", 1)[0]!)} took the pointer`,
};

/** What the log says of a step that only waits for an element to be seen. */
const STILL_HIDDEN: Rule = {
  kind: "element_hidden",
  pattern: /locator resolved to hidden </,
  weight: 0.74,
  say: (target) => `${target} was in the page but not visible`,
};

/** What Playwright's call log says of the element, in its words since 1.20. */
const RULES: Rule[] = [
  SWITCHED_OFF,
  STILL_HIDDEN,
  {
    kind: "element_covered",
    pattern: /(?:^|\n)[^<\n]*(<.*?) intercepts pointer events/,
    weight: 0.9,
    say: (target, match) =>
      /^<(?:html|body)\b/.test(coveringIn(match))
        ? `A click on ${target} went through it to the page behind: the element takes no pointer (as with “pointer-events: none”), or lies outside of what is shown`
        : `${markup(coveringIn(match))} covered ${target} and took the pointer`,
  },
  {
    kind: "element_ambiguous",
    pattern: /strict mode violation: (.+?) resolved to (\d+) elements/,
    weight: 0.92,
    say: (target, match) => `${target} matched ${match[2]} elements where the test means one`,
  },
  {
    kind: "element_ambiguous",
    pattern: FITS_SEVERAL,
    weight: 0.92,
    say: (target, match) => `${target} matched ${match[2]} elements where the scenario means one`,
  },
  {
    kind: "element_outside",
    pattern: /element is outside of the viewport/,
    weight: 0.88,
    say: (target) => `${target} lay outside of the viewport`,
  },
  {
    kind: "element_detached",
    pattern:
      /element was detached from the DOM|Element is not attached to the DOM|element is not attached|Node is detached/,
    weight: 0.8,
    say: (target) => `${target} was taken out of the page (detached) while the step used it, and made anew`,
  },
  {
    kind: "element_unstable",
    pattern: /element is not stable|element is animating/,
    weight: 0.86,
    say: (target) => `${target} kept moving: it never stood still for the step to use it`,
  },
  {
    // The check of an element that is made anew again and again never ends, and logs nothing more.
    kind: "element_detached",
    pattern: /^\s*waiting for element to be visible, enabled and stable$/,
    isLast: true,
    weight: 0.78,
    say: (target) =>
      `${target} was found, but never stood still: it was replaced or redrawn (detached from the page) again and again`,
  },
  {
    // Before 1.50 a click waited for the page that it led to.
    kind: "slow",
    pattern: /^\s*(?:waiting for scheduled navigations to finish|navigated to "(.+?)")$/,
    isLast: true,
    weight: 0.7,
    say: (target, match) =>
      `The step on ${target} was done, but the page that it led to${match[1] ? ` (${match[1]})` : ""} had not finished loading when the step gave up`,
  },
  {
    kind: "element_disabled",
    pattern:
      /element is not enabled|element is disabled|element is not editable|element is readonly|unexpected value "disabled"|Received: +disabled/,
    weight: 0.82,
    say: (target, match) =>
      `${target} was ${/editable|readonly/.test(match[0]) ? "not editable" : "disabled"}`,
  },
  {
    kind: "element_missing",
    pattern: /did not find some options/,
    weight: 0.86,
    say: (target) => `${target} has no such option as the step picks`,
  },
  {
    kind: "element_hidden",
    pattern: /element is not visible|unexpected value "hidden"|Received: +hidden/,
    weight: 0.74,
    say: (target) => `${target} was in the page but not visible`,
  },
];

/** What stood between the step and its element, by Playwright's own log. */
export function detectElement(evidence: Evidence): Finding[] {
  const { failed, run } = evidence;
  const { step } = failed;
  const seq = step?.seq ?? run.facts.lastSeq;
  if (seq === null) return [];
  const lines = [...(step?.log ?? []), ...failed.message.split("\n")];
  const target = targetOf(evidence);
  const before = evidence.passes.flatMap(({ facts }) => (step && counterpart(run.facts, step, facts)) ?? []);
  const isNew =
    evidence.passes.length === 0 ? null : before.length === 0 || before.some(({ isFailed }) => !isFailed);
  const lastOfLog = (step?.log.length ?? 0) - 1;
  // The last thing that the log says is what held the step up to its end.
  const isNowhere = isMissing(evidence);
  const isSought = lines.some((line) => /waiting for .+ to be visible$/.test(line.trim()));
  const found = RULES.flatMap((rule) => {
    // Before 1.50 an element that is nowhere was received as hidden.
    if (rule.kind === "element_hidden" && isNowhere) return [];
    if (rule === STILL_HIDDEN && !isSought) return [];
    const at =
      rule.kind === "element_covered"
        ? mostlyAt(lines, rule)
        : lines.findLastIndex((line) => rule.pattern.test(line));
    return at < 0 || (rule.isLast && at !== lastOfLog)
      ? []
      : [{ rule, line: lines[at]!, at, times: lines.filter((line) => rule.pattern.test(line)).length }];
  });
  const timesOf = (kind: CauseKind) => found.find(({ rule }) => rule.kind === kind)?.times ?? 0;
  // What is made anew again and again does not stand still either.
  const isRemade = found.some(
    ({ rule, times }) => rule.kind === "element_detached" && !rule.isLast && times > 1,
  );
  const isOff = found.some(({ rule }) => rule === SWITCHED_OFF);
  // What never stands still slides under what stands beside it.
  const isMoving = timesOf("element_unstable") > timesOf("element_covered");
  // Where a check said before what held it up, the one that the end cut off says nothing else.
  const isKnown = found.some(({ rule, times }) => HELD_UP.has(rule.kind) && !rule.isLast && times > 1);
  return found
    .filter(
      ({ rule }) =>
        !(isMoving && rule.kind === "element_covered") &&
        !(isRemade && rule.kind === "element_unstable") &&
        !(isOff && rule.kind === "element_covered") &&
        !(isKnown && rule.isLast && rule.kind === "element_detached"),
    )
    .map(({ rule, line, times }) => ({
      kind: rule.kind,
      title: `${ofWindow(rule) ? viewportMove(evidence) : ""}${rule.say(target, rule.pattern.exec(line)!)}${moreOf(evidence, rule, line, lines)}`,
      detail: detailOf(rule.kind, line, times, lines),
      step_id: step?.step_id ?? null,
      events: [seq],
      ts: failed.to,
      is_new: isNew,
      ...(ofWindow(rule) && viewportMove(evidence) !== "" && { isOfWindow: true }),
      weight:
        ofWindow(rule) && isNew && viewportMove(evidence) !== ""
          ? 0.9
          : rule.kind === "element_covered" && isUsual(evidence, rule.pattern.exec(line)!)
            ? COVERED_AS_USUAL
            : rule.weight,
    }));
}

/** What the page says besides of why the element could not be used. */
function moreOf(evidence: Evidence, { kind, pattern }: Rule, line: string, log: readonly string[]): string {
  if (kind === "element_ambiguous") return whichMatched(evidence, Number(pattern.exec(line)![2]), log);
  if (kind === "element_covered") return wordsOf(evidence, pattern.exec(line)!);
  if (kind === "element_disabled")
    return (
      disabledSince(evidence) ||
      reasonOf(evidence) ||
      newInForm(evidence) ||
      waitsFor(evidence) ||
      (pattern === SWITCHED_OFF.pattern ? "" : whileDisabled(evidence))
    );
  return kind === "element_missing" ? optionsOf(evidence) : "";
}

const HELD_UP = new Set<CauseKind>([
  "element_hidden",
  "element_disabled",
  "element_covered",
  "element_outside",
  "element_unstable",
]);

/** Whether the element was there and the page did not let the step use it. */
export const isWithheld = ({ failed }: Pick<Evidence, "failed">): boolean =>
  [...(failed.step?.log ?? []), failed.message].some((line) =>
    /element is not (?:visible|enabled|editable)|Received: +(?:hidden|disabled)/.test(line),
  );

/** Something may pass over an element for a moment: what covered it most often is in the way. */
function mostlyAt(lines: readonly string[], { pattern }: Rule): number {
  const counts = new Map<string, number>();
  let best = -1;
  for (const [at, line] of lines.entries()) {
    const found = pattern.exec(line);
    if (!found) continue;
    const element = found[2] ?? found[1]!;
    const count = (counts.get(element) ?? 0) + 1;
    counts.set(element, count);
    if (count >= Math.max(...counts.values())) best = at;
  }
  return best;
}

const ofWindow = ({ kind }: Rule) =>
  kind === "element_hidden" || kind === "element_outside" || kind === "element_covered";

/** Pages fold their menus below it. */
const NARROW = 700;

/** The window's size, where it is narrow or the passes had another one: what is folded away in one is there in the other. */
export function viewportMove({ run, passes }: Evidence): string {
  const [now, before] = [run, passes[0]].map((one) => sizeOf(one?.environment.viewport)) as [
    string | null,
    string | null,
  ];
  if (now !== null && before === null && passes.length === 0 && Number.parseInt(now, 10) < NARROW)
    return `In a window of ${now}, `;
  return now && before && now !== before ? `In a window of ${now} (in the last pass ${before}), ` : "";
}

const sizeOf = (viewport: unknown) =>
  typeof viewport === "string" && /^\d+ × \d+$/.test(viewport) ? `${viewport} pixels` : null;

/**
 * The element in the way as the log writes it, `<a>…</a>`; of a part of one, `<b>…</b> from <a>…</a> subtree`, the whole, but for
 * a whole that nothing tells from others: that is as good as the page.
 */
function coveringIn([, said = ""]: RegExpExecArray): string {
  const end = said.endsWith(" subtree") ? said.length - " subtree".length : -1;
  const start = end < 0 ? -1 : said.lastIndexOf(" from <");
  if (start < 0) return said;
  const [part, whole] = [said.slice(0, start), said.slice(start + " from ".length, end)];
  return BARE.test(whole) && NAMED.test(part) ? part : whole;
}

const BARE = /^<(?!html\b|body\b)\w+>/;
const NAMED = /^<\w[\w-]* [^>]{0,500}\b(?:id|class|role|aria-label)="/;

/** What stands there in the passes too is in the way for another reason. */
const COVERED_AS_USUAL = 0.62;

/** Whether every pass shows an element like the one in the way when it comes to that step. */
function isUsual({ passes }: Evidence, match: RegExpExecArray): boolean {
  const [, tag, rest = ""] = /^<([\w-]+)(?![\w-])([^>]*)>/.exec(coveringIn(match)) ?? [];
  if (tag === undefined || passes.length === 0) return false;
  const given = [...rest.matchAll(/\b(id|class)="([^"]+)"/g)].map(
    ([, name, value]) => [name!, value!] as const,
  );
  return (
    given.length > 0 &&
    passes.every(({ page }) =>
      page?.elements.some(
        (one) =>
          one.tag === tag && !one.isHidden && given.every(([name, value]) => one.attributes[name] === value),
      ),
    )
  );
}

/** What the element in the way says, where the page was recorded: its markup in the log leaves that out. */
function wordsOf({ run }: Evidence, match: RegExpExecArray): string {
  const tag = /^<[^>]*>/.exec(coveringIn(match))?.[0] ?? "";
  const id = /\bid="([^"]+)"/.exec(tag)?.[1];
  const classes = /\bclass="([^"]+)"/.exec(tag)?.[1];
  if (id === undefined && classes === undefined) return "";
  const found = run.page?.elements.find(({ attributes }) =>
    id !== undefined ? attributes.id === id : attributes.class === classes,
  );
  return found && found.text !== "" ? `; it says ${quoted(found.text, 80)}` : "";
}

/** What the page says beside an element that cannot be used, and says in no pass: forms tell why they hold a button back. */
function reasonOf({ run, passes, failed }: Evidence): string {
  const said = (elements: readonly SeenElement[]) =>
    elements.flatMap((one) => (one.isHidden ? [] : (messageOf(one, elements) ?? [])));
  const known = new Set(passes.flatMap(({ page }) => said(page?.elements ?? [])));
  const fresh = said(run.page?.elements ?? []).find((text) => !known.has(text));
  if (fresh !== undefined) return `; the page said ${quoted(fresh, 120)}`;
  // A button that is held back says why in its tooltip.
  const resolved = failed.step?.log.findLast((line) => /locator resolved to </.test(line)) ?? "";
  const tip = /^[^>]*\stitle="([^"]+)"/.exec(resolved)?.[1];
  const isItsName = tip !== undefined && targetOf({ failed } as Evidence).includes(tip);
  return tip === undefined || isItsName ? "" : `; its title says ${quoted(tip, 120)}`;
}

/** `<div class="modal">…</div>` with what it says. */
function markup(element: string): string {
  return cut(oneLine(element), 160);
}

function detailOf(kind: CauseKind, line: string, times: number, lines: string[]): string {
  if (kind === "element_ambiguous") {
    const at = lines.findIndex((one) => /resolved to \d+ elements/.test(one));
    return lines.slice(at, at + 6).join("\n");
  }
  return `${line.trim()}${times > 1 ? ` (${times} times in the call log)` : ""}`;
}
