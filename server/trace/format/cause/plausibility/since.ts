import { isWrite, STORING } from "../exchanges/sent.ts";
import { type ServedPage, servedPages, type TextApart } from "../exchanges/served-apart.ts";
import { oncePer } from "../once.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding } from "../types.ts";
import { isForeign, isTracker, quoted, requestOf } from "../words.ts";
import { atLeast, explained, type Rule } from "./rule.ts";

/** What a served page says otherwise, for what the test met. */
const isOfPage = ({ isServed, is_new }: Finding): boolean => isServed === true && is_new === true;

/** Writes that were taken, in their order. */
const writesOf = oncePer(({ run }: Evidence, _: "writes"): Exchange[] =>
  run.facts.exchanges.filter(
    (one) =>
      STORING.has(one.method) &&
      one.status !== null &&
      one.status < 400 &&
      !isTracker(one.url) &&
      !isForeign(one.url, run.facts) &&
      isWrite(one, run),
  ),
);

const SIGN_IN = /(?:log|sign)[-_]?in\b|\bsessions?\b|\bauth\b|\bsso\b/i;

/** Before which nothing had been written: who signs in changes nothing of what is there. */
const isBeforeWrites = (evidence: Evidence, { ts }: Exchange): boolean =>
  !writesOf(evidence, "writes").some((one) => one.ts <= ts && !SIGN_IN.test(one.url));

const IS_OTHER = /, which the last pass has not: it lists more things$/;
const UNTOUCHED = "before the test had written anything";

/**
 * What a page says otherwise is told with the first page that said otherwise of the same: that is where it went another way.
 * What was so before the test wrote anything was there before the test.
 */
const since: Rule = (finding, { evidence, news }) => {
  if (!isOfPage(finding) || sameOf(finding, news).some((one) => isEarlier(one, finding))) return null;
  const pages = servedPages(evidence, "served");
  const at = pages.findIndex(({ page }) => page.seq === finding.events[0]);
  if (at < 0) return null;
  const first = firstOf(finding, pages.slice(0, at), evidence);
  if (first) {
    const words = wordsOf(first, evidence);
    return (told) => ({
      ...told,
      title: `${words}; ${told.title}`,
      events: [...told.events, first.page.seq],
      weight: Math.min(1, told.weight + FIRST),
    });
  }
  // What is there twice the server may have listed twice.
  return finding.listsMore && IS_OTHER.test(finding.title) && isBeforeWrites(evidence, pages[at]!.page)
    ? (told) => ({ ...told, title: `${told.title}; it was so ${UNTOUCHED}` })
    : null;
};

/** What a page gains that tells where it went another way. */
const FIRST = 0.04;

interface First {
  page: Exchange;
  apart: TextApart;
  /** The write since which it is so; null where no page had it as usual before, and where none or several came in between. */
  write: Exchange | null;
}

/** The first page before the finding's that says otherwise of the same text, the same thing, or how many there are of what is gone. */
function firstOf(finding: Finding, before: readonly ServedPage[], evidence: Evidence): First | null {
  const { failed } = evidence;
  const met = `${finding.title}\n${failed.title}\n${failed.message}`;
  const isOfSame = ({ now, before: usual, row }: TextApart) =>
    (row !== null && met.includes(row)) ||
    [now, usual].some((text) => text.length >= SHORTEST && finding.title.includes(quoted(text, 80)));
  const isLost = LOST.test(finding.title);
  const at = before.findIndex(
    ({ apart }) => apart?.some(isOfSame) || (isLost && apart !== null && apart.length > 0),
  );
  const { page, apart } = before[at] ?? {};
  const same = apart?.find(isOfSame);
  const one = same ?? apart?.find(isCount);
  if (!page || !one) return null;
  const write = writeIn(before, at, one, evidence);
  // Of another count it is known to be of this alone where it came with one write.
  return same || write ? { page, apart: one, write } : null;
}

const SHORTEST = 3;
const LOST = /^GET \S+ came without “/;

/** Whether only a number is another one. */
const isCount = ({ now, before }: TextApart): boolean => /^\d+$/.test(now) && /^\d+$/.test(before);

/** The one write between a page and the last one before it that said the same as the passes in that place. */
function writeIn(
  pages: readonly ServedPage[],
  at: number,
  { behind, before }: TextApart,
  evidence: Evidence,
): Exchange | null {
  const usual = pages
    .slice(0, at)
    .findLast(({ texts }) => texts.some((text, place) => text === before && texts[place - 1] === behind));
  if (!usual) return null;
  const writes = writesOf(evidence, "writes").filter(
    ({ ts }) => ts > usual.page.ts && ts <= pages[at]!.page.ts,
  );
  return writes.length === 1 ? writes[0]! : null;
}

/** A number with what it counts: `Basket (0)`. */
const counted = (number: string, { behind, ahead }: TextApart): string =>
  `${behind}${/[([]$/.test(behind) ? "" : " "}${number}${/^[)\]]/.test(ahead) ? ahead.slice(0, 1) : ""}`;

function wordsOf({ page, apart, write }: First, evidence: Evidence): string {
  const { facts } = evidence.run;
  const { now, before, row } = apart;
  const [mine, usual] = [now, before].map((text) => (isCount(apart) ? counted(text, apart) : text)) as [
    string,
    string,
  ];
  const what = `came with ${quoted(mine, 60)}${row === null ? "" : ` for ${quoted(row, 60)}`}, where the last pass had ${quoted(usual, 60)}`;
  if (isBeforeWrites(evidence, page) && !isSignedIn(write))
    return `${requestOf(page, facts)} ${what}, ${UNTOUCHED}`;
  return `${requestOf(page, facts)} ${what}${write === null ? "" : `, first after ${requestOf(write, facts)}`}`;
}

/** Whether it went another way with the sign-in: what a person had done as a guest was written before it. */
const isSignedIn = (write: Exchange | null): boolean => write !== null && SIGN_IN.test(write.url);

/** The text that a finding tells, and the one in whose place it stands. */
const pairOf = ({ title }: Finding): string | null =>
  /^GET \S+ (came (?:with|without) “[^“”]{2,100}”(?:, where the last pass had “[^“”]{1,100}”)?)/.exec(
    title,
  )?.[1] ?? null;

/** The other pages that say the same otherwise. */
function sameOf(finding: Finding, news: readonly Finding[]): Finding[] {
  const pair = pairOf(finding);
  return pair === null ? [] : news.filter((one) => one !== finding && isOfPage(one) && pairOf(one) === pair);
}

const isEarlier = (one: Finding, other: Finding): boolean => (one.ts ?? 0) < (other.ts ?? 0);

/** What several pages say otherwise in the same words the first of them says. */
const saidBefore: Rule = (finding, { news }) => {
  const others = isOfPage(finding) ? sameOf(finding, news) : [];
  if (others.length === 0) return null;
  return others.some((one) => isEarlier(one, finding)) ? explained : atLeast(finding.weight + FIRST);
};

/** Rules of where it went another way first. */
export const SINCE: readonly Rule[] = [saidBefore, since];
