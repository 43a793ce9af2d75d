import { oneLine } from "../../../error-text.ts";
import { likenessTo } from "../../../similarity.ts";
import { isBefore } from "../../compare.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { sentOtherwise } from "../../exchanges/other-sent.ts";
import { saidIn } from "../../exchanges/said-in.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import { isMissing } from "../../run/missing-element.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, headerOf, quoted, requestOf } from "../../words.ts";
import { changedByWrite } from "./changed-by-write.ts";
import { countedMore, countsOf, lostItems, moreItems, wordsOfTarget } from "./listed.ts";
import { createdWithout, figureBeside, forPlace, placeOn, sentForPlace } from "./place-told.ts";
import { takenBefore, writeBehind } from "./served-before.ts";
import { type ValueApart, valueApart } from "./served-value.ts";
import { thereBefore } from "./there-before.ts";

const MOST_DOCUMENTS = 10;

/** Pages that the server rendered with other words than in the passes, where these are the words that the test met. */
export function detectDocuments(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  return lastOf(
    run.facts.exchanges,
    MOST_DOCUMENTS,
    (one) => isPage(one) && !isFailedExchange(one) && isBefore(evidence, one.end ?? one.ts),
  ).flatMap((one) => findingsOf(evidence, one).map((finding) => ({ ...finding, isServed: true })));
}

const isPage = ({ mediaType, type }: Exchange) => /html/.test(mediaType) && type !== "script";

function findingsOf(evidence: Evidence, one: Exchange): Finding[] {
  const { run, passes, failed } = evidence;
  const { facts, bodies } = run;
  const key = exchangeKey(one, facts);
  const body = bodyOf(one, bodies);
  if (body === undefined) return [];
  const pages = passes.flatMap((pass) =>
    alike(pass, one, key).map((other) => textsOf(bodyOf(other, pass.bodies) ?? "")),
  );
  const before = pages.flat();
  if (before.length === 0) return [];
  const known = new Set(before.map(facts.normaliser.text));
  const now = textsOf(body);
  const stays = new Set(now.map(facts.normaliser.text));
  const another = otherPage(evidence, one, { now, known, before: pages });
  if (another) return [another];
  const fresh = now.filter((text) => !known.has(facts.normaliser.text(text)));
  const usual = usualFor(evidence, one, key);
  const gone = [...new Set(usual.flat())].filter((text) => !stays.has(facts.normaliser.text(text)));
  const unquoted = (value: string | null) => oneLine(value ?? "").replace(/^"|"?,?$/g, "");
  const [expected, received] = [literalOf(unquoted(failed.expected)), unquoted(failed.received)];
  // What passes had at an earlier visit, and not at this one.
  const inPlace = new Set(usual.flat().map(facts.normaliser.text));
  const again = now.filter((text) => {
    const name = facts.normaliser.text(text);
    return known.has(name) && !inPlace.has(name);
  });
  const isMet = (text: string) =>
    received.length > 1 && (received.includes(text) || isWithin(text, received));
  const shown = fresh.find(isMet) ?? again.find(isMet);
  const missed = gone.find(
    (text) => expected.length > 1 && (expected.includes(text) || isWithin(text, expected)),
  );
  const other = missed ?? (shown && closest(shown, gone)) ?? null;
  const mine = shown ?? (missed && (closest(missed, fresh) ?? closest(missed, again))) ?? null;
  const kept = keptFrom(evidence, one, key) || taggedAsBefore(evidence, one, key);
  const isCopy = kept !== "";
  const came = `${requestOf(one, facts)}${sentOtherwise(evidence, one)} came${kept}`;
  const moved = reordered(evidence, one, { came, now, pages: usual });
  if (moved) return [{ ...moved, isCopy }];
  const value = mine === null ? valueApart(evidence, one) : null;
  if (value) return [{ ...ofValue(evidence, one, came, value, fresh), isCopy }];
  if (mine === null && other === null) {
    const counts = countsOf(evidence);
    if (counts && counts.got < counts.want && fresh.length === 0)
      return lostItems(evidence, one, gone, usual);
    if (counts && counts.got > counts.want)
      return gone.length === 0
        ? moreItems(evidence, one, now, usual)
        : countedMore(evidence, one, { now, fresh, pages: usual });
    return lostTarget(evidence, one, gone, { now, fresh, again, pages });
  }
  const write = mine !== null && again.includes(mine) ? unkeptWrite(evidence, one, key, mine) : null;
  const place = placeOn(evidence, one, mine ?? "");
  const sent =
    write === null && other !== null ? sentForPlace(evidence, one, place, [mine ?? "", other]) : null;
  const since = write === null ? "" : sinceWrite(write, evidence);
  const isLoose = missed === undefined && mine !== null && isFigureOfRun(mine, now, usual);
  const steady = steadyIn(gone, usual);
  const more =
    besides(fresh, steady, [mine, other]) ||
    figureBeside(evidence, one, { fresh, gone: steady, told: [mine, other] }) ||
    beforeThen(again, mine ?? "");
  const usually =
    other === null ? ", which it has not in the last pass" : `, where the last pass had ${quoted(other, 80)}`;
  const words =
    mine !== null
      ? `${since === "" ? "" : " again"} with ${quoted(mine, 80)}${forPlace(place)}${usually}${since}${sent?.words ?? createdWithout(evidence, one, place)}${more}`
      : place !== null
        ? ` with nothing${forPlace(place)}${usually}${sent?.words ?? ""}`
        : ` without ${quoted(other!, 80)}, which it has in the last pass`;
  const finding = answerFinding(evidence, one, `${came}${words}`, isLoose ? LOOSE : 0.86);
  return [{ ...finding, events: [...finding.events, ...seqsOf(write, sent?.write)], isCopy }];
}

const seqsOf = (...all: (Exchange | null | undefined)[]): number[] => all.flatMap((one) => one?.seq ?? []);

/** The write after which a page should have had another text than it had at its visit before; null where none went well. */
function unkeptWrite(evidence: Evidence, one: Exchange, key: string, text: string): Exchange | null {
  const { run } = evidence;
  const visits = alike(run, one, key);
  const before = visits[visits.indexOf(one) - 1];
  const had = before === undefined ? [] : textsOf(bodyOf(before, run.bodies) ?? "");
  return had.includes(text) ? takenBefore(evidence, one) : null;
}

/** That a page is as it was before a write, as a clause. */
const sinceWrite = (write: Exchange, { run }: Evidence): string =>
  `: still as before ${requestOf(write, run.facts)}, which was answered with ${write.status}`;

/** Of a figure that is another one each time: there are more things, or fewer. */
const LOOSE = 0.4;

/** Whether a text is a figure in whose place passes have none that is the same in all of them. */
function isFigureOfRun(text: string, now: readonly string[], pages: readonly string[][]): boolean {
  if (!/^\d+$/.test(text)) return false;
  const before = now[now.indexOf(text) - 1];
  const usual = pages.map((page) => page.find((one, at) => /^\d+$/.test(one) && page[at - 1] === before));
  return usual.includes(undefined) || new Set(usual).size > 1;
}

/** Where a cache answered in place of the server. */
function keptFrom({ run, passes }: Evidence, one: Exchange, key: string): string {
  const kept = staleness(one);
  const nth = alike(run, one, key).indexOf(one);
  // A page is opened the first time as well, when no copy of it is kept yet.
  const isUsual = passes.some((pass) => {
    const all = alike(pass, one, key);
    return (all[nth] ? [all[nth]] : all).some((other) => staleness(other) !== null);
  });
  return kept === null || isUsual ? "" : ` ${kept}`;
}

/** Where the page has the tag that it had before, and another one in every pass: who has a copy is told that nothing has changed (RFC 9110, 13.1.2). */
function taggedAsBefore({ run, passes }: Evidence, one: Exchange, key: string): string {
  const nth = alike(run, one, key).indexOf(one);
  const isAsBefore = (pages: readonly Exchange[]): boolean => {
    const [before, now] = [pages[nth - 1], pages[nth]].map((page) => page && headerOf(page.headers, "etag"));
    return now != null && now === before;
  };
  const isUsual = passes.some((pass) => {
    const pages = alike(pass, one, key);
    return pages.length <= nth || isAsBefore(pages);
  });
  return nth > 0 && !isUsual && isAsBefore(alike(run, one, key))
    ? " with the ETag that it had before, by which copies count as unchanged (304), and"
    : "";
}

/** The same page, asked for in the same way: what a service worker fetches to keep it nobody is shown. */
const alike = ({ facts }: RunEvidence, { type }: Exchange, key: string): Exchange[] =>
  exchangesOf(facts, key).filter((other) => other.type === type);

/** The texts of each pass's pages in its place: before something was saved a page lacks what it has afterwards. */
function usualFor({ run, passes }: Evidence, one: Exchange, key: string): string[][] {
  const nth = alike(run, one, key).indexOf(one);
  return passes.flatMap((pass) => {
    const all = alike(pass, one, key);
    const same = all[nth];
    return (same === undefined ? all : [same]).map((other) => textsOf(bodyOf(other, pass.bodies) ?? ""));
  });
}

/** Whether a text has another one in it: a number as a whole, and not as a part of a date or of a longer one. */
const isWithin = (text: string, part: string): boolean =>
  /^\d+$/.test(part)
    ? new RegExp(`(?<![\\d.,:-])${part}(?![\\d:-]|[.,]\\d)`).test(text)
    : text.includes(part);

/** The longest words of a pattern, which is never run: whoever made a trace may have made it to run for ever. */
function literalOf(expected: string): string {
  const pattern = /^\/(.+)\/[a-z]*$/.exec(expected)?.[1];
  if (pattern === undefined) return expected;
  const words = pattern.match(/[\p{L}\p{N} _-]{3,}/gu) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0]?.trim() ?? "";
}

const FEWEST_IN_ORDER = 3;

/** The same texts in another order than in every pass, where the test met one of them in the place of another. */
function reordered(
  evidence: Evidence,
  one: Exchange,
  { came, now, pages }: { came: string; now: string[]; pages: string[][] },
): Finding | null {
  const { failed } = evidence;
  // What stands twice, in a table and in a list beside it, goes by where it stands first.
  const apart = placeApart(now, pages, onceIn) ?? placeApart(now, pages, namesIn([now, ...pages]));
  if (apart === null) return null;
  const words = `${failed.expected ?? ""} ${failed.received ?? ""} ${failed.message}`;
  const [mine, theirs] = apart;
  if (![mine, theirs].some((text) => words.includes(text))) return null;
  const title = `${came} in another order: ${quoted(mine, 80)} stands before ${quoted(theirs, 80)}, which stood there in the last pass`;
  return { ...answerFinding(evidence, one, title, 0.88), isReordered: true };
}

/** The first two texts that have changed places since every pass, of those that all pages have; null where all stand as they did. */
function placeApart(
  now: readonly string[],
  pages: readonly string[][],
  chosen: (texts: readonly string[]) => string[],
): [now: string, before: string] | null {
  const [mine, ...theirs] = [now, ...pages].map(chosen) as [string[], ...string[][]];
  const sets = theirs.map((texts) => new Set(texts));
  const common = mine.filter((text) => sets.every((set) => set.has(text)));
  if (common.length < FEWEST_IN_ORDER) return null;
  const shared = new Set(common);
  const [before, ...others] = theirs.map((texts) => texts.filter((text) => shared.has(text)));
  if (others.some((order) => order.some((text, at) => text !== before![at]))) return null;
  const at = common.findIndex((text, place) => text !== before![place]);
  return at < 0 ? null : [common[at]!, before![at]!];
}

/** The texts that stand on a page once. */
const onceIn = (texts: readonly string[]): string[] =>
  [...timesOf(texts)].flatMap(([text, count]) => (count === 1 ? [text] : []));

/** In a table and in a list beside it: what stands on a page oftener is the state of things, and no name of one. */
const MOST_TIMES = 2;

/** The words of a page that may name a thing, where each stands first. */
function namesIn(pages: readonly string[][]): (texts: readonly string[]) => string[] {
  const times = pages.map(timesOf);
  const isName = (text: string) =>
    /\p{L}{2}/u.test(text) && times.every((one) => (one.get(text) ?? 0) <= MOST_TIMES);
  return (texts) => [...new Set(texts)].filter(isName);
}

function timesOf(texts: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}

/** The texts that stand in all pages: what varies from pass to pass, as a number that each booking gets, is no other figure. */
const steadyIn = (texts: readonly string[], pages: readonly string[][]): string[] =>
  texts.filter((text) => pages.every((page) => page.includes(text)));

/** Another line of the page with other figures in it: of a sum it tells which part is another one. */
function besides(
  fresh: readonly string[],
  gone: readonly string[],
  told: readonly (string | null)[],
): string {
  for (const now of fresh.slice(0, 100)) {
    if (told.includes(now) || !/\p{L}{2}/u.test(now)) continue;
    const before = gone.find((text) => text !== now && !told.includes(text) && bare(text) === bare(now));
    if (before !== undefined && /\d/.test(now))
      return `; it says ${quoted(now, 60)} there too, where the last pass had ${quoted(before, 60)}`;
  }
  return "";
}

/** Of a page that came as it was before, something that had gone by then. */
function beforeThen(again: readonly string[], told: string): string {
  const more = again.find((text) => text !== told && /\p{L}{2}/u.test(text));
  return !again.includes(told) || more === undefined ? "" : `; it says ${quoted(more, 60)} there too`;
}

const bare = (text: string) => text.replace(/[\d.,]+/g, "0");

/** Shares of the usual texts below which a page is another one, and how many texts it takes to say so. */
const HARDLY = 0.2;
const ENOUGH_TEXTS = 5;

/** Another page altogether at the same address: a challenge, a notice of maintenance, a sign-in. */
function otherPage(
  evidence: Evidence,
  one: Exchange,
  { now, known, before }: { now: string[]; known: Set<string>; before: string[][] },
): Finding | null {
  const { facts, bodies } = evidence.run;
  if (one.type !== "document" || now.length === 0 || before.some((texts) => texts.length < ENOUGH_TEXTS))
    return null;
  const usual = before.map((texts) => new Set(texts.map(facts.normaliser.text)));
  // What stands on the page in every pass.
  const steady = [...usual[0]!].filter((text) => usual.every((texts) => texts.has(text)));
  const mine = new Set(now.map(facts.normaliser.text));
  const kept = steady.filter((text) => mine.has(text)).length;
  const share = now.filter((text) => known.has(facts.normaliser.text(text))).length / now.length;
  if (steady.length < ENOUGH_TEXTS || kept / steady.length > HARDLY || share > 0.5) return null;
  const said = saidIn(bodyOf(one, bodies)) ?? now.slice(0, 3).join(": ");
  return answerFinding(
    evidence,
    one,
    `${requestOf(one, facts)} was answered with another page altogether: ${quoted(said, 160)}`,
    0.91,
  );
}

/** The element that the test looks at came with another text. */
function ofValue(
  evidence: Evidence,
  one: Exchange,
  came: string,
  value: ValueApart,
  fresh: readonly string[],
): Finding {
  const write = value.isStill ? takenBefore(evidence, one) : null;
  const [now, before] = [value.now, value.before].map((text) =>
    /^-?\d{1,9}$/.test(text) ? Number(text) : text,
  );
  const since =
    write !== null
      ? sinceWrite(write, evidence)
      : thereBefore(evidence, one, value, fresh) || changedByWrite(evidence, one, now, before);
  const finding = answerFinding(evidence, one, `${came} with ${value.words}${since}`, 0.9);
  return { ...finding, events: [...finding.events, ...(write ? [write.seq] : [])], said: value.now };
}

/** The page came without what the test looks for, which the passes' pages have. */
function lostTarget(
  evidence: Evidence,
  one: Exchange,
  gone: string[],
  { now, fresh, again, pages }: { now: string[]; fresh: string[]; again: string[]; pages: string[][] },
): Finding[] {
  if (!isMissing(evidence)) return [];
  const name = wordsOfTarget(evidence).find(
    (text) => gone.some((lost) => lost.includes(text)) && !now.some((stays) => stays.includes(text)),
  );
  if (name === undefined) return [];
  const before = closest(name, again);
  const found = before ?? inPlaceOf(name, now, fresh, pages);
  const instead = found ?? inPlaceOf(name, now, fresh, pages, behind);
  const write = writeBehind(evidence, one, name);
  const since = write === null ? "" : sinceWrite(write, evidence);
  const finding = answerFinding(
    evidence,
    one,
    `${requestOf(one, evidence.run.facts)} came ${instead === null ? `without ${quoted(name, 80)}, which it has in the last pass` : `with ${quoted(instead, 80)}, where the last pass had ${quoted(name, 80)}${beforeThen(again, instead)}`}${since}`,
    // Where another name stands in its place, that says more; not where the page is that of before.
    before !== null || write !== null ? 0.9 : found === null && instead !== null ? 0.74 : 0.66,
  );
  const events = [...finding.events, ...(write === null ? [] : [write.seq])];
  return [{ ...finding, events, isWithoutTarget: true }];
}

/** The texts beside one, by which its place is known. */
const around = (texts: string[], at: number): string => `${behind(texts, at)}\n${texts[at + 1] ?? ""}`;
/** What is left out takes along what stands after it. */
const behind = (texts: string[], at: number): string => texts[at - 1] ?? "";

/** The new text that stands wherever every pass has the one that is looked for: between the same two texts, or behind the same one. */
function inPlaceOf(
  name: string,
  now: string[],
  fresh: string[],
  pages: string[][],
  placeOf = around,
): string | null {
  const places = pages.map(
    (texts) => new Set(texts.flatMap((text, at) => (text.includes(name) ? [placeOf(texts, at)] : []))),
  );
  const found = new Set(
    now.filter((text, at) => fresh.includes(text) && places.every((set) => set.has(placeOf(now, at)))),
  );
  return found.size === 1 ? [...found][0]! : null;
}

function closest(text: string, among: readonly string[]): string | null {
  const likenessOf = likenessTo(text);
  let best: { text: string; likeness: number } | null = null;
  for (const one of among.slice(0, 200)) {
    const likeness = likenessOf(one);
    if (likeness > (best?.likeness ?? 0.4)) best = { text: one, likeness };
  }
  return best?.text ?? null;
}
