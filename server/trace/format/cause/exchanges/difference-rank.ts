import { oneLine } from "../../error-text.ts";
import { oncePer } from "../once.ts";
import { isMissing } from "../run/missing-element.ts";
import { actionBefore } from "../run/select.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { isFigureOf } from "../values/figures.ts";
import { isRecord, leavesOf } from "../values/json-leaves.ts";
import { isOtherForm, isTimeMoved } from "../values/told-otherwise.ts";
import { isShared, wordsIn } from "../word-families.ts";
import { quoted } from "../words.ts";
import { isByChance } from "./by-chance.ts";
import { type Difference, ORDER } from "./differences.ts";
import { isLookedAt } from "./looked-at.ts";

/** From 1 on the test or the page shows the value. */
export function rankOf(evidence: Evidence, difference: Difference): number {
  const { path, before, now, renamedTo, gone, of } = difference;
  const { failed, run, passes } = evidence;
  let rank = renamedTo === undefined ? 0 : 1.5;
  if (now === ORDER) return orderRank(evidence, gone ?? []);
  if ((gone ?? textsWithin(before)).some((text) => isSought(evidence, text))) rank += 2;
  if (isCountOf(before, failed.expected) && isCountOf(now, failed.received)) return 3;
  // The page writes the value that it has been given: `£17.35` for 1735.
  if (before !== now && isFigureOf(before, failed.expected) && isFigureOf(now, failed.received)) return 3;
  if (String(before) === failed.expected && String(now) === failed.received) rank += 2;
  for (const [value, wanted, met] of [
    [before, failed.expected, failed.received],
    [now, failed.received, failed.expected],
  ] as const) {
    const text = wordsOf(value);
    if (text === null) continue;
    // What was and is still met is not what is missing; nor is what came what is wanted.
    if (wanted !== null && met !== null && within(met, text) && !within(wanted, text)) continue;
    if (value === now && typeof now === "number" && isByChance(evidence, [before])) continue;
    if (isSought(evidence, text)) rank += text.length > 2 ? 2 : 1;
  }
  if (rank > 0) return rank;
  // What changed of the very thing that the test looks for.
  const isAmount = [before, now].every((value) => typeof value === "number" && value !== 0);
  if (of?.some((text) => isSought(evidence, text)) && !(isAmount && missesSeveral(failed))) return 1;
  if (now === "no items") return 1;
  if (/items?$/.test(String(now))) return otherItemsRank(evidence, difference);
  const shown = [wordsOf(now)].filter((text) => text !== null);
  const shownBefore = [wordsOf(before) ?? textsWithin(before)].flat();
  const isShown = isOnPage([run.page], shown);
  const wasShown = isOnPage(
    passes.map(({ page }) => page),
    shownBefore,
  );
  const isLooked = isLookedAt(evidence, [...shown, ...shownBefore]);
  const isOfOthers = of !== undefined && !isNamedInSteps(run, of);
  const isElsewhere = isLooked === false || (isOfOthers && isLooked !== true);
  // Where the test looks for something else, what the page shows of it tells less.
  if (isShown && !isElsewhere) return isMissing({ failed }) ? 0.85 : 1;
  if (wasShown && !isElsewhere) return 1;
  const isOfTime = [before, now].every((value) => typeof value === "string" && ISO_TIME.test(value));
  if (isOfTime && isTimeMoved(failed.expected ?? "", failed.received ?? "")) return 2;
  if ((LOCALE.test(path) || [before, now].every(isLocale)) && isOtherForm(failed)) return 2;
  const isNamed = namesOf(path).some((name) => isSpokenOf(evidence, name));
  if (typeof before === "boolean" || typeof now === "boolean")
    return PERMITS.test(path)
      ? 0.9
      : isNamed || isNamedSwitch(evidence, of) || isCalledAsSought(evidence, path)
        ? 0.8
        : SWITCH;
  if (RIGHTS.test(path) && !isOfOthers) return 0.7;
  const isCount = typeof before === "number" && typeof now === "number" && COUNTS.test(path);
  // How many there are of something takes no element away.
  if (isCount && isMissing(evidence) && !isNamed) return UNTOLD;
  const isState = STATES.test(path);
  if (isOfOthers && !(isState && isMissing(evidence))) return APART;
  if (isState || AMOUNTS.test(path)) return isNamed ? 0.7 : 0.5;
  // A word by which a product tells kinds apart may make it show other parts.
  return isElsewhere && (isShown || wasShown) ? (isOfKinds(before, now) ? SWITCH : APART) : 0;
}

const STATES = /(?:status|state|enabled|flag|feature|available|version|locale|currency)/i;
const AMOUNTS = /(?:stock|total|price|count)/i;

const isOfKinds = (before: unknown, now: unknown): boolean =>
  [before, now].every((value) => typeof value === "string" && /^\p{L}[\p{L}_-]{1,24}$/u.test(value));

/** Whether a page shows one of these texts. */
const isOnPage = (pages: readonly RunEvidence["page"][], texts: readonly string[]): boolean => {
  const said = pages.map((page) => page?.elements.map(({ own }) => own).join("\n") ?? "").join("\n");
  return texts.some((text) => text.length > 2 && within(said, text));
};

/** Other things in a list matter to who looks at them or counts them. More than there were are what others left behind. */
function otherItemsRank(evidence: Evidence, { path, before, now, gone = [], come = [] }: Difference): number {
  const isResized = before !== now;
  const isOfCount = isCounted(evidence.failed);
  if (isResized && isOfCount) return 1;
  if (isGrown(before, now)) return 0.3;
  if (RIGHTS.test(path) || PARTS.test(path)) return 1;
  const isLooked = isLookedAt(evidence, [...gone, ...come]);
  return isLooked === false || (isOfCount && isLooked === null) ? APART : 1;
}

/** Names of lists of what a person may do, or of what a product has. */
const PARTS =
  /(?:features?|flags?|capabilit(?:y|ies)|abilit(?:y|ies)|grants?|rights|entitlements?|modules?)$/i;

/** Whether a step of the test says a text: it signs in as who goes by it, or does something with it. */
const isNamedInSteps = (run: RunEvidence, texts: readonly string[]): boolean =>
  texts.some((text) => titlesOf(run, "titles").includes(text.toLowerCase()));

const titlesOf = oncePer((run: RunEvidence, _: "titles") =>
  run.facts.steps.map(({ title }) => title.toLowerCase()).join("\n"),
);

/** Whether the failed step says a word, or what the page says only in this run; or the last action, in a form of its own: `booking` where a button says “Book”. */
const isSpokenOf = (evidence: Evidence, word: string): boolean => {
  const { run, failed } = evidence;
  const action = actionBefore(run.facts, failed);
  return (
    within(`${failed.title} ${symptomOf(evidence)} ${freshOf(evidence)}`, word) ||
    (action !== null && isShared(wordsIn(word), wordsIn(action.title)))
  );
};

/** Whether each word of a place's last name is one of what the step looks for, in a form of its own: `savedViews` and “Save view”. */
const isCalledAsSought = (evidence: Evidence, path: string): boolean => {
  const sought = wordsIn(soughtBy(evidence).join(" "));
  const words = wordsIn(path.split("/").at(-1)!);
  return words.length > 0 && words.every((word) => isShared([word], sought));
};

/** Whether the failed step, or what it wants, says a word of a place. */
export const isSpokenOfByTest = (evidence: Evidence, path: string): boolean =>
  namesOf(path).some((name) => within(`${evidence.failed.title} ${symptomOf(evidence)}`, name));

/** Whether a switch of a list is called after what the step looks at, or after the page that it is on. */
export const isNamedSwitch = (evidence: Evidence, of: readonly string[] = []): boolean => {
  const path = URL.parse(evidence.run.page?.shot.url ?? "")?.pathname ?? "";
  return of.some((name) => namesOf(name).some((word) => isSpokenOf(evidence, word) || within(path, word)));
};

/** Names of how many there are of something, and what they come to. */
const COUNTS = /(?:total|count|amount|price|stock|seats|left|pages?)$/i;

/** Of what neither the test nor the page has to do with: it explains no other finding. */
export const UNTOLD = -0.5;

/** Of what is not shown where the step looks, or is of things that the test has nothing to do with. */
export const APART = -0.75;

/** Of a yes or no that nothing ties to what the test looks at. */
export const SWITCH = 0.4;

/** Whether a list of so many items is what the test counts. */
const isCountOf = (value: unknown, said: string | null): boolean =>
  typeof value === "string" &&
  said !== null &&
  /^\d+ items?$/.test(value) &&
  /^"?\d+"?$/.test(said) &&
  Number.parseInt(value, 10) === Number.parseInt(said.replaceAll('"', ""), 10);

/** Whether a list has more items than it had. */
export const isGrown = (before: unknown, now: unknown) =>
  Number.parseInt(String(now), 10) > (Number.parseInt(String(before), 10) || 0);

/** Whether the failure is about how many there are. */
const isCounted = ({ expected, received, message }: Evidence["failed"]) =>
  [expected, received].some((value) => /^"?\d+"?$/.test(value ?? "")) ||
  /toHaveCount|strict mode violation/.test(message);

/** Names of what pages write dates and numbers by. */
const LOCALE = /(?:^|[/_])(?:lang|language|locale|culture|region|country|currency|time_?zone|tz)$/i;

const isLocale = (value: unknown) => typeof value === "string" && /^[a-z]{2}[-_][A-Z]{2}$/.test(value);

/** Names of what lets a person do something. */
const PERMITS =
  /(?:^|[/_.])(?:read_?only|writ(?:e|able)|editable|can_?\w{1,60}|allow\w{0,60}|permi\w{1,60}|locked|is_?admin)$/i;

/** Names of what a person is, on which hangs what that person sees. */
const RIGHTS =
  /(?:role|permission|privilege|scope|plan|tier|(?:user|access|auth\w{0,60}|security)_?level)s?$/i;

/** Whether a list that the test reads lacks several things: how much of one there is explains the others not. */
const missesSeveral = ({ expected, received }: Evidence["failed"]): boolean => {
  const met = new Set(namedIn(received));
  return namedIn(expected).filter((text) => !met.has(text)).length > 1;
};

const namedIn = (list: string | null): string[] => list?.match(/"[^"]+"/g) ?? [];

/** Another order matters to who reads the list, and to who takes one of it by its place. */
function orderRank({ run, failed }: Evidence, items: string[]): number {
  // What the test met may have it in any order, where it wants nothing of it.
  const wanted =
    failed.expected === null ? symptomOf({ failed } as Evidence) : `${failed.expected} ${failed.title}`;
  if (items.some((text) => within(wanted, text))) return 1.5;
  return run.facts.steps.some(({ title }) => /\b(?:nth|first|last)\(/.test(title)) ? 1 : 0.4;
}

const symptomOf = ({ failed }: Evidence) =>
  `${failed.expected ?? ""} ${failed.received ?? ""} ${failed.message.replace(LINES_APART, "")}`;

/** How many lines of two lists differ, as test runners head them: `- Expected  - 4`. */
const LINES_APART = /^[-+] (?:Expected|Received) {1,4}[-+] \d{1,6}$/gm;

/** The words by which a step looks for its element: the message of an action does not say them. */
const soughtBy = ({ failed }: Evidence): string[] =>
  [...failed.title.replace(/getByRole\(['"]\w+['"]/g, "").matchAll(/'([^']{3,})'|"([^"]{3,})"/g)].map(
    ([, one, other]) => (one ?? other)!.toLowerCase(),
  );

/** Whether a text is one that the test speaks of, or holds what a step looks for. */
const isSought = (evidence: Evidence, text: string): boolean =>
  within(symptomOf(evidence), text) ||
  soughtBy(evidence).some((sought) => text.toLowerCase().includes(sought));

/** The words of a place's last name: `block_editor` is of blocks and of an editor. */
const namesOf = (path: string) =>
  (path.split("/").findLast((part) => !/^\d+$/.test(part)) ?? "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .split(/[^a-zA-Z]+/)
    .filter((word) => word.length > 3);

/** What the page says that no page of a pass says. */
function freshOf({ run, passes }: Evidence): string {
  const known = new Set(passes.flatMap(({ page }) => page?.elements.map(({ name }) => name) ?? []));
  const fresh = (run.page?.elements ?? []).filter(({ name, isHidden }) => !isHidden && !known.has(name));
  return fresh.map(({ name, attributes }) => `${name} ${attributes.placeholder ?? ""}`).join("\n");
}

/** The texts of a thing that is another one now, or is gone. */
const textsWithin = (value: unknown): string[] =>
  isRecord(value)
    ? leavesOf(value).flatMap((leaf) =>
        typeof leaf.value === "string" && leaf.value.length > 2 && !/^<\w+>$/.test(leaf.value)
          ? [leaf.value]
          : [],
      )
    : [];

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:[T ]|$)/;

function wordsOf(value: unknown): string | null {
  if (typeof value === "string" && value.trim() !== "" && value !== "<id>" && value !== "<time>")
    return oneLine(value);
  return typeof value === "number" ? String(value) : null;
}

/** Whether words stand in a text; figures and short words as a whole. */
export function within(text: string, words: string): boolean {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0 || (words.length > 3 && !/^\d|\d$/.test(words))) return at >= 0;
  const [before, after] = words.length > 3 ? ["(?<!\\d)", "(?!\\d)"] : ["(?<![\\w.])", "(?![\\w])"];
  return new RegExp(`${before}${words.replace(/[^\w]/g, "\\$&")}${after}`, "i").test(text);
}

/** What varies all the same tells where the test asks for it. */
export const isWanted = ({ before, gone }: Difference, { failed }: Evidence): boolean =>
  [wordsOf(before) ?? "", ...(gone ?? [])].some(
    (text) => text.length > 2 && within(`${failed.expected ?? failed.message} ${failed.title}`, text),
  );

/** Whether one of these texts is what the test looks for. */
export const isNamedByTest = (texts: readonly string[], evidence: Evidence): boolean =>
  texts.some((text) => isSought(evidence, text));

const SHORTEST_FILE = 5;

/** Whether a path is of a file that is called after what the test looks for: `tours/night-watch.json` after “Night watch”. */
function isFileOf({ failed }: Evidence, path: string): boolean {
  const file = path
    .split("/")
    .at(-1)!
    .replace(/\.\w+$/, "");
  const name = file.replace(/[-_]+/g, " ").toLowerCase();
  const words = `${failed.expected ?? ""} ${failed.title} ${failed.message}`.toLowerCase();
  return /[/.]/.test(path) && name.length >= SHORTEST_FILE && words.includes(name);
}

/** So few texts are of one item, and its name is among them. */
const FEW = 2;

/** Of the items that are not there the one that the test looks for, or the only one there is. */
export function withoutWanted(gone: string[], evidence: Evidence): string {
  const sought = gone.filter((text) => isSought(evidence, text));
  // Of a thing's code and its name the name is what a person knows.
  const whole = sought.find(
    (text) => text !== sought[0] && text.toLowerCase().includes(sought[0]!.toLowerCase()),
  );
  const wanted = whole ?? sought[0] ?? gone.find((text) => isFileOf(evidence, text));
  if (wanted !== undefined) return `, without ${quoted(wanted, 80)}, which the test looks for`;
  return gone.length > 0 && gone.length <= FEW ? `, without ${quoted(gone[0]!, 80)}` : "";
}

/** Of the items that no pass has the one that the page shows, or the only one there is. */
export function withFresh(come: string[], { run }: Evidence): string {
  const shown = new Set(run.page?.elements.flatMap(({ own, isHidden }) => (isHidden ? [] : [oneLine(own)])));
  const fresh = come.find((text) => shown.has(oneLine(text))) ?? (come.length <= FEW ? come[0] : undefined);
  return fresh === undefined ? "" : `, with ${quoted(fresh, 80)}, which that had not`;
}
