import { oneLine } from "../../../error-text.ts";
import { isSaidByChance } from "../../exchanges/by-chance.ts";
import { isAskedOtherwise, sentOtherwise } from "../../exchanges/other-sent.ts";
import { isReadByTest } from "../../exchanges/read-by-test.ts";
import { isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { isSameText } from "../../page/shown-by.ts";
import { targetOf } from "../../page/target.ts";
import { foundWithin, lastPartOf, wantedBy } from "../../page/wanted.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { CLOCK, DATE } from "../../values/clock-texts.ts";
import { isDateIn } from "../../values/dates.ts";
import { figureOf, isShownAs } from "../../values/figures.ts";
import { isIdAt, isRecord, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, isOfOneThing, pathOf, quoted, requestOf } from "../../words.ts";
import { type Wrong, wrongOf } from "../elements/wrong.ts";
import { isOfDate } from "./of-date.ts";
import { asShown, isCounted } from "./taken-for-amount.ts";

const MOST_ANSWERS = 60;
/** What a page takes its words from: they stand on it whatever is wrong. */
const OF_WORDS =
  /(?:^|\/)(?:i18n|l10n|locales?|lang(?:uage)?s?|translations?|messages|strings)(?:\/|[.-][\w-]*\.?json$|\.json$)/i;

/**
 * Where the wrong value came from: an answer that says what the page shows, nothing where the test looks for
 * something, or as few things as the test counted. It needs no pass to compare with.
 */
export function detectShown(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const wrong = wrongOf(evidence);
  const answers = answersBefore(
    evidence,
    MOST_ANSWERS,
    (one) => one.ts <= failed.to && !OF_WORDS.test(pathOf(one.url)),
  );
  const found = answers.flatMap((one): Finding[] => {
    const text = bodyOf(one, run.bodies);
    if (text === undefined || (wrong && isTooLate(evidence, one, wrong))) return [];
    const told = tell(evidence, one, text, wrong);
    return told === null || (told.leaf && isReadByTest(evidence, one, told.leaf.value))
      ? []
      : [finding(evidence, one, told)];
  });
  // The page shows what it was told last: where that is an old copy, the answer that it is a copy of was right in its time.
  return found.filter(
    ({ about, kind }, at) =>
      kind === "stale_answer" ||
      !found.slice(at + 1).some((later) => later.about === about && later.kind === "stale_answer"),
  );
}

/** Whether the page showed the wrong value before it asked, and no pass asks so: it goes on to show it whatever the answer is. */
function isTooLate(evidence: Evidence, one: Exchange, { got }: Wrong): boolean {
  const { before, facts } = evidence.run;
  if (!before || got === "" || evidence.passes.length === 0 || one.ts <= evidence.failed.from) return false;
  if (isAsked(evidence, exchangeKey(one, facts))) return false;
  const stood = foundWithin(targetOf(evidence), before.elements);
  return stood.some(({ text }) => isSameText(text, bareOf(evidence.failed.received ?? "")));
}

interface Told {
  words: string;
  weight: number;
  /** Whether another answer says the same. */
  isIn(text: string): boolean;
  /** The value that the page shows. */
  leaf?: Leaf;
  /** The same as text, where the test wants another one. */
  shown?: string;
  shownAt?: string;
  isEmptyList?: true;
  isNothing?: true;
}

/** Whether the page had sent the value itself, under the same name. */
const hasSent = ({ run }: Evidence, one: Exchange, { path, value }: Leaf): boolean =>
  one.method !== "GET" &&
  leavesOf(requestBodyOf(one, run)).some((sent) => sent.path === path && sent.value === value);

function finding(evidence: Evidence, one: Exchange, { words, weight, isIn, leaf, ...more }: Told): Finding {
  const { facts } = evidence.run;
  const key = exchangeKey(one, facts);
  const isKnown = ({ facts: theirs, bodies }: RunEvidence) =>
    exchangesOf(theirs, key).some((other) => isIn(bodyOf(other, bodies) ?? ""));
  const stale = staleness(one);
  const sent = evidence.passes.length === 0 && leaf !== undefined && hasSent(evidence, one, leaf);
  return {
    kind: stale === null ? "answer_changed" : "stale_answer",
    title: sent
      ? `${requestOf(one, facts)} was sent with ${words.replace(": that is", " and answered with it: that is")}`
      : `${requestOf(one, facts)}${sentOtherwise(evidence, one)} answered ${stale === null ? "" : `${stale} `}${words}`,
    detail: null,
    step_id: one.step_id,
    events: [one.seq],
    ts: one.end ?? one.ts,
    is_new:
      evidence.passes.length === 0
        ? null
        : isAsked(evidence, key)
          ? !evidence.passes.some(isKnown)
          : !(leaf ? isSaidInPasses(evidence, leaf) : one.ts > evidence.failed.from),
    weight,
    about: aboutUrl(one.url, facts, one.operation),
    isCopy: one.fromNetwork === false,
    ...(isAskedOtherwise(evidence, one) && { isAskedOtherwise: true }),
    ...more,
  };
}

const isAsked = ({ passes }: Evidence, key: string): boolean =>
  passes.some(({ facts }) => exchangesOf(facts, key).length > 0);

/**
 * Whether some answer of the passes says a value by that name: what a page asks once more in one run, as a person types
 * slower, it may have asked in other words in another. What it asks only while a step waits no pass waited for.
 */
const isSaidInPasses = ({ passes }: Evidence, { path, value }: Leaf): boolean => {
  const name = path.split(".").at(-1);
  const isSame = (leaf: Leaf) => leaf.value === value && leaf.path.split(".").at(-1) === name;
  return passes.some(({ facts, bodies }) =>
    facts.exchanges
      .slice(-MOST_ANSWERS)
      .some((other) => leavesOf(jsonOf(bodyOf(other, bodies) ?? "")).some(isSame)),
  );
};

function tell(evidence: Evidence, one: Exchange, text: string, wrong: Wrong | null): Told | null {
  const value = jsonOf(text);
  if (value === undefined) return wrong?.isRead && !wrong.isCount ? inText(one, text, wrong) : null;
  const leaves = leavesOf(value);
  const shown = wrong && !wrong.isCount ? shownLeaf(leaves, wrong, evidence) : null;
  if (shown && !isSaidByChance(evidence, one, shown)) {
    const at = shown.path === "" ? "" : ` for ${quoted(shown.path, 80)}`;
    const text = JSON.stringify(shown.value).replace(/^"|"$/g, "");
    return {
      words: `${quoted(text, 80)}${at}: ${asShown(shown, evidence)}, ${wrong!.want === "" ? "and the test does not want it" : `where the test wants ${quoted(wrong!.want, 80)}`}${placeOf(wrong!.want, shown, leaves)}`,
      weight: wrong!.isGuessed
        ? 0.6
        : isTotal(shown, evidence) && !isNamed(shown.path, evidence)
          ? 0.66
          : evidence.passes.length === 0 && isOfList(shown)
            ? 0.72
            : 0.84,
      isIn: (other) =>
        leavesOf(jsonOf(other)).some(({ path, value }) => path === shown.path && value === shown.value),
      leaf: shown,
      ...(wrong!.want !== "" && { shown: text, shownAt: shown.path }),
    };
  }
  const list = listIn(value);
  const isOfOther = evidence.passes.length === 0 && isOfOthers(one, value, list?.path ?? "", evidence);
  // What was just made has no parts yet.
  const isOfNew = isOfOther && isWrite(one, evidence.run);
  if (list?.items.length === 0 && !isOfNew && isAboutThings(evidence, wrong))
    return {
      words: `with an empty list${list.path === "" ? "" : ` for ${quoted(list.path, 80)}`}: 0 items`,
      weight: isOfOther || (evidence.passes.length === 0 && FIELD.test(targetOf(evidence))) ? 0.45 : 0.76,
      isIn: (other) => listIn(jsonOf(other))?.items.length === 0,
      isEmptyList: true,
    };
  if (wrong?.isCount && list && String(list.items.length) === wrong.got && wrong.got !== "0")
    return {
      words: `with ${list.items.length} ${list.items.length === 1 ? "item" : "items"}${list.path === "" ? "" : ` for ${quoted(list.path, 80)}`}, as many as the test met; it wants ${wrong.want}`,
      // Of one or two there are many lists.
      weight: evidence.passes.length === 0 && list.items.length <= 2 ? 0.5 : 0.72,
      isIn: (other) => String(listIn(jsonOf(other))?.items.length) === wrong.got,
    };
  const nothing = leaves.filter(({ value }) => value === null);
  const isShown = nothing.length === 1 && wrong?.got === "null" && evidence.passes.length === 0;
  const empty = isShown ? nothing[0] : nothing.find(({ path }) => isNamed(path, evidence));
  if (empty && (wrong === null || wrong.got === "" || /^(?:null|undefined|none|[-–—])$/i.test(wrong.got)))
    return {
      words: `${quoted("null", 10)} for ${quoted(empty.path, 80)}`,
      isNothing: true,
      weight: 0.7,
      isIn: (other) =>
        leavesOf(jsonOf(other)).some(({ path, value }) => path === empty.path && value === null),
    };
  return null;
}

/** Whether a list is but a part of one thing, its tags or its comments, and the test looks for something else. */
const isOfOthers = (one: Exchange, value: unknown, path: string, evidence: Evidence): boolean =>
  !ANY_THINGS.test(path) &&
  ![path, path.replace(/ies$/, "y").replace(/s$/, "")].some((name) => isNamed(name, evidence)) &&
  (isOfOneThing(one.url) || hasId(value));

const hasId = (value: unknown): boolean =>
  isRecord(value) &&
  [value, ...Object.values(value).filter(isRecord)].some((thing) => Object.hasOwn(thing, "id"));

/** What lists are called whatever is in them. */
const ANY_THINGS =
  /(?:^|\.)(?:items?|results?|data|rows?|lists?|entries|records|nodes|edges|hits|values|docs|content|elements|objects|collection)$|^$/i;

/** The value of an answer that the page shows instead, written as pages write values. */
function shownLeaf(leaves: Leaf[], { want, got, whole, isRead }: Wrong, evidence: Evidence): Leaf | null {
  if (got === "") return null;
  const isOfButton = !isRead && !/\d/.test(got) && wantedBy(lastPartOf(targetOf(evidence))).role === "button";
  const lower = got.toLowerCase();
  const called = whole?.toLowerCase();
  const figure = isOfDate(got, whole ?? bareOf(evidence.failed.received ?? "")) ? null : figureOf(got);
  const wanted = figureOf(want);
  const isShort = got.replace(BRACKETS, "").length < 3;
  const isWithin = isOfMany(evidence, want, got);
  let best: Leaf | null = null;
  let number: Leaf | null = null;
  for (const leaf of leaves) {
    if (
      called !== undefined &&
      typeof leaf.value === "string" &&
      oneLine(leaf.value).toLowerCase() === called
    )
      return leaf;
    // A button is called by what it does, beside a figure: a word of that is no value of an answer.
    if (isOfButton) continue;
    if (isShort && !isNamed(leaf.path, evidence) && !isTotal(leaf, evidence)) continue;
    if (typeof leaf.value === "string") {
      const said = oneLine(leaf.value).toLowerCase();
      if (said === lower || isDateOfReceived(leaf.value, evidence)) return leaf;
      if (isWithin && !isOfForm(said, want) && placeOf(want, leaf, leaves) === "") continue;
      // Of a text with many values in it none is the one.
      if (
        said.length >=
          (isOfForm(said, want) || (lower.startsWith(said) && placeOf(want, leaf, leaves) !== "")
            ? 4
            : Math.max(4, got.length / 2)) &&
        hasWords(lower, said) &&
        !AGE.test(said) &&
        !isGoneBy(said, evidence) &&
        !want.toLowerCase().includes(said)
      )
        best ??= leaf;
    } else if (typeof leaf.value === "number" && figure !== null && wanted?.text !== figure.text) {
      // What names a thing is no figure of it.
      if (isIdAt(leaf.path) && !isNamed(leaf.path, evidence)) continue;
      // Nothing is so often said by chance as that there is nothing.
      if (leaf.value === 0 && !isNamed(leaf.path, evidence)) continue;
      // No number stands in the place of words.
      if (want !== "" && wanted === null && !/\d/.test(want)) continue;
      const { text, decimals } = figure;
      if (isCounted(leaf, evidence)) continue;
      // A figure is told without its sign.
      const size = Math.abs(leaf.value);
      const sizes = IN_CENTS.test(leaf.path) ? [size / 100] : [size, size / 100];
      if (!sizes.some((size) => isShownAs(size, text, decimals))) continue;
      // Of several with the same figure it is the one that the test looks at by its name.
      if (isWordOf(leaf.path, evidence)) return leaf;
      number ??= leaf;
    } else if (
      typeof leaf.value === "boolean" &&
      String(leaf.value) === lower &&
      isNamed(leaf.path, evidence)
    )
      return leaf;
  }
  return number ?? best;
}

/** Whether the last part of a path is a word of its own in the test's locator. */
const isWordOf = (path: string, evidence: Evidence): boolean =>
  new Set(
    targetOf(evidence)
      .toLowerCase()
      .match(/\p{L}+/gu),
  ).has(path.split(".").at(-1)!.toLowerCase());

/** How many things there are in all, by the name that answers have for it, where no pass tells which figure is of what. */
const isTotal = ({ path }: Leaf, { passes }: Evidence): boolean =>
  passes.length === 0 && /(?:^|[._])(?:total|total_?(?:count|items|elements|results))$/i.test(path);

/** What stands around a value and is no part of it: “(2)”. */
const BRACKETS = /^[([{]|[)\]}]$/g;

/** What is counted in hundredths by its very name. */
const IN_CENTS = /(?:^|[._a-z])(?:cents|Cents)$/;

/** Whether the element is looked for by such a text: of all that stands in it that is no wrong value. */
const isGoneBy = (said: string, evidence: Evidence): boolean =>
  evidence.failed.received !== null && targetOf(evidence).toLowerCase().includes(said);

/** One of several things stands where another one is wanted, for its own sake or since that one is not there. */
const isOfList = ({ path }: Leaf): boolean => /(?:^|\.)\d+(?:\.|$)/.test(path);

/** How long ago something was is not what it is called by, and is another each time. */
const AGE = /\b(?:ago|just now)\b/;

/** Whether words stand in a text as a whole at their beginning: “2 min ago” is not what “22 min ago” says. */
function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (at === 0 || !/\d/.test(words[0]!) || !/\d/.test(text[at - 1]!)) return true;
  return false;
}

/** A value with figures in it of the form of the wanted one: “1.0.0” for “1.1.0”. */
const isOfForm = (said: string, want: string): boolean =>
  /\d/.test(said) && said.replace(/\d+/g, "0") === want.toLowerCase().replace(/\d+/g, "0");

/** Whether a value is the date that was met in the place of another one, or of an hour where it has one itself. */
const isDateOfReceived = (value: string, { failed: { expected, received } }: Evidence): boolean =>
  received !== null &&
  (DATE.test(expected ?? "") || (CLOCK.test(expected ?? "") && /\dT?\s?\d\d:/.test(value))) &&
  isDateIn(value, received) &&
  !isDateIn(value, expected ?? "");

/** Whether the test wants a few words of a text with many others in it, each of which may be right. */
const isOfMany = ({ failed: { title, message } }: Evidence, want: string, got: string): boolean =>
  /Expected substring|toContainText/.test(`${title} ${message}`) && got.length > 2 * want.length;

/** Where the same answer has what the test wants, when it is the same field of another item. */
function placeOf(want: string, { path }: Leaf, leaves: Leaf[]): string {
  const shape = (of: string) => of.replace(/\d+/g, "0");
  const found = leaves.find(
    (leaf) => leaf.value === want && leaf.path !== path && shape(leaf.path) === shape(path),
  );
  return found
    ? `, which that answer has at ${quoted(found.path, 60)}: in another order${asTexts(found, leaves)}`
    : "";
}

/** Of numbers that an answer has as texts, that they are no longer in their order when they are sorted so. */
function asTexts({ path, value }: Leaf, leaves: Leaf[]): string {
  const shape = path.replace(/\d+/g, "0");
  const texts = leaves.flatMap((leaf) => (leaf.path.replace(/\d+/g, "0") === shape ? [leaf.value] : []));
  const areNumbers = texts.every((text) => typeof text === "string" && /^-?\d+(?:\.\d+)?$/.test(text));
  if (!areNumbers) return "";
  const sorted = [...(texts as string[])].sort();
  const first = sorted.find((text) => Number(text) > Number(value));
  return first !== undefined && first < String(value)
    ? `; its numbers are texts, and as a text ${quoted(first, 30)} comes before ${quoted(String(value), 30)}`
    : "";
}

/** A page or a text that has the wrong words and not the wanted ones. */
function inText({ mediaType }: Exchange, text: string, { want, got }: Wrong): Told | null {
  if (got.length < 3 || !/html|text\/plain/.test(mediaType)) return null;
  const isIn = (other: string) => other.includes(got);
  if (!isIn(text) || (want !== "" && text.includes(want))) return null;
  return {
    words: `with ${quoted(got, 80)}, where the test wants ${quoted(want, 80)}`,
    weight: figureOf(got) === null ? 0.5 : 0.72,
    isIn,
  };
}

/** A field that people fill in stands on a page whatever lists it shows. */
const FIELD =
  /(?:getByLabel\(|getByPlaceholder\(|getByRole\(['"](?:textbox|searchbox|combobox|slider|spinbutton)['"])[^.]*$/;

/** Whether the test looks for one of many things, which an empty list leaves out. */
function isAboutThings(evidence: Evidence, wrong: Wrong | null): boolean {
  if (wrong?.isCount) return wrong.got === "0";
  const { failed } = evidence;
  return failed.received === null
    ? failed.step !== null || /\b(?:no|not|none|never|missing|without|empty)\b/i.test(failed.message)
    : /^(?:|0|\[\]|Array \[\])$/.test(failed.received.trim());
}

/** Whether the last part of a path is a word of what the test looks at. */
function isNamed(path: string, evidence: Evidence): boolean {
  const name = path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? "";
  if (name.length < 3) return false;
  const { title, expected } = evidence.failed;
  const words =
    `${targetOf(evidence)} ${title} ${evidence.passes.length === 0 ? (expected ?? "") : ""}`.toLowerCase();
  // A name of several words is written apart where people read it.
  return (
    words.includes(name.toLowerCase()) ||
    (/[a-z][A-Z]|_/.test(name) && words.replace(GAPS, "").includes(name.toLowerCase().replace(GAPS, "")))
  );
}

const GAPS = /[\s_-]+/g;

/** The list that an answer is, or the one list that it holds on its first levels. */
function listIn(value: unknown): { path: string; items: unknown[] } | null {
  if (Array.isArray(value)) return { path: "", items: value };
  const lists: { path: string; items: unknown[] }[] = [];
  const visit = (node: unknown, path: string, depth: number): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, inner] of Object.entries(node)) {
      const at = path === "" ? name : `${path}.${name}`;
      if (Array.isArray(inner)) lists.push({ path: at, items: inner });
      else if (depth < 2) visit(inner, at, depth + 1);
    }
  };
  visit(value, "", 0);
  return lists.length === 1 ? lists[0]! : null;
}
