import { isBefore } from "../../compare.ts";
import { answerFinding } from "../../exchanges/answer-finding.ts";
import { otherSent } from "../../exchanges/other-sent.ts";
import { isWrite, requestBodyOf } from "../../exchanges/sent.ts";
import { textsOf } from "../../page/page-texts.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { hasNumber } from "../../values/figures.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { bodyOf, isForeign, quoted, requestOf } from "../../words.ts";

const MOST_WRITES = 5;
/** Pages that came after a write, of which the first tells of it. */
const MOST_PAGES = 3;
const SHORTEST = 5;
const LONGEST = 200;

/** A page that counts other things than every pass's after the same list of them was sent: the server did it for some of them. */
export function detectCountedOtherwise(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const writes = lastOf(
    run.facts.exchanges,
    MOST_WRITES,
    (one) =>
      isBefore(evidence, one.end ?? one.ts) &&
      !isFailedExchange(one) &&
      !isForeign(one.url, run.facts) &&
      isWrite(one, run),
  );
  return writes.flatMap((write): Finding[] => {
    const list = listIn(write, run);
    if (!list || otherSent(evidence, write) !== null) return [];
    const pages = pagesAfter(write, evidence.run).filter((page) => isBefore(evidence, page.end ?? page.ts));
    for (const page of pages) {
      const apart = countedApart(evidence, page, list.count);
      if (apart)
        return [
          answerFinding(
            evidence,
            page,
            `${requestOf(page, run.facts)} came with ${quoted(apart.now, 80)}, where the last pass had ${quoted(apart.before, 80)}, though ${requestOf(write, run.facts)} was sent with ${list.count} values for the field ${list.name} as it is there`,
            0.93,
          ),
        ];
    }
    return [];
  });
}

/** The one list that a request was sent with. */
function listIn(one: Exchange, run: RunEvidence): { name: string; count: number } | null {
  const body = requestBodyOf(one, run);
  const [list, ...more] = Object.entries(isRecord(body) ? body : {}).flatMap(([name, value]) =>
    Array.isArray(value) ? [{ name, count: value.length }] : [],
  );
  return list && list.count > 1 && more.length === 0 ? list : null;
}

/** The first pages that were answered after a request. */
function pagesAfter(write: Exchange, { facts }: RunEvidence): Exchange[] {
  const from = facts.exchanges.indexOf(write);
  return facts.exchanges
    .slice(from, from + MOST_AFTER)
    .filter(({ mediaType, type }) => /html/.test(mediaType) && type === "document")
    .slice(0, MOST_PAGES);
}

const MOST_AFTER = 50;

/** A text of a page that every pass has with the number that was sent, and this one with a smaller one; null where there is none. */
function countedApart(
  { run, passes }: Evidence,
  page: Exchange,
  count: number,
): { now: string; before: string } | null {
  const textsIn = (one: Exchange, its: RunEvidence) =>
    textsOf(bodyOf(one, its.bodies) ?? "").filter(
      (text) =>
        text.length >= SHORTEST && text.length <= LONGEST && /\d/.test(text) && /\p{L}{2}/u.test(text),
    );
  const key = exchangeKey(page, run.facts);
  const theirs = passes.map(
    (pass) => new Set(exchangesOf(pass.facts, key).flatMap((one) => textsIn(one, pass))),
  );
  const usual = [...theirs[0]!].filter(
    (text) => hasNumber(text, count) && theirs.every((texts) => texts.has(text)),
  );
  const mine = textsIn(page, run).filter((text) => !theirs.some((texts) => texts.has(text)));
  for (const now of mine) {
    const before = usual.find((text) => wordsOf(text) === wordsOf(now));
    const [made] = now.match(/\d+/g) ?? [];
    if (before !== undefined && made !== undefined && Number(made) < count) return { now, before };
  }
  return null;
}

const wordsOf = (text: string): string => text.replace(/\d+/g, "0");
