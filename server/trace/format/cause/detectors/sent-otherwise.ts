import { isDateIn } from "../dates.ts";
import { exchangeKey, exchangesOf } from "../keys.ts";
import type { Exchange } from "../run-facts.ts";
import { answersBefore } from "../select.ts";
import { type OtherSent, otherSent } from "../sent.ts";
import type { Evidence, Failed, Finding } from "../types.ts";
import { isForeign, requestOf } from "../words.ts";

const MOST = 20;
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/;

/** What the page sent to be kept otherwise than in every pass, though the answer went well: what is shown later is what was sent. */
export function detectSentOtherwise(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  if (passes.length === 0) return [];
  const isWrite = ({ method, url }: { method: string; url: string }) =>
    CHANGES.test(method) && !isForeign(url, run.facts);
  return answersBefore(evidence, MOST, isWrite).flatMap((one): Finding[] => {
    const elsewhere = otherAddress(evidence, one);
    if (elsewhere !== null)
      return [
        {
          ...sharedOf(one),
          title: `${requestOf(one, run.facts)} was sent, where the last pass sent ${elsewhere}`,
          weight: 0.5,
        },
      ];
    const other = otherSent(evidence, one);
    // What a query or a header says is of the transport: sessions, versions, moments.
    if (!other?.path.startsWith("the field")) return [];
    const isSought = isShown(other, failed);
    return [
      {
        ...sharedOf(one),
        title: `${requestOf(one, run.facts)} was sent ${other.words}${other.now === undefined ? ", which the last pass sent" : ""}`,
        weight: isSought ? 0.94 : 0.5,
      },
    ];
  });
}

/** Of more requests of one kind none stands in the place of another. */
const MOST_ALIKE = 50;

const sharedOf = (one: Exchange) => ({
  kind: "page_changed" as const,
  detail: null,
  step_id: one.step_id,
  events: [one.requestSeq ?? one.seq],
  ts: one.ts,
  is_new: true,
  about: `body ${one.seq}`,
});

/**
 * The request that every pass sent in the place of this one, to another thing of the same kind. One pass does not tell
 * whether its ids vary.
 */
function otherAddress({ run, passes }: Evidence, one: Exchange): string | null {
  const key = exchangeKey(one, run.facts);
  const mine = exchangesOf(run.facts, key);
  const theirs = passes.map(({ facts }) => exchangesOf(facts, key));
  const [other] = theirs.map((list) => list[mine.indexOf(one)]);
  const isOfRun =
    passes.length < 2 || mine.length > MOST_ALIKE || theirs.some((list) => list.length !== mine.length);
  if (!other || isOfRun || theirs.some((list) => list.some(({ url }) => pathOf(url) === pathOf(one.url))))
    return null;
  const isSteady = theirs.every((list) => list.some(({ url }) => pathOf(url) === pathOf(other.url)));
  return isSteady && !mine.some(({ url }) => pathOf(url) === pathOf(other.url))
    ? requestOf(other, passes[0]!.facts)
    : null;
}

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? url;

/** Whether the failed step speaks of what was sent, or of what should have been. */
function isShown({ before, now }: OtherSent, { title, message, expected, received }: Failed): boolean {
  const [want, got] = [expected ?? "", received ?? ""];
  const words = `${title} ${message} ${want} ${got}`;
  return (
    [before, now].some((value) => typeof value === "string" && value.length > 2 && words.includes(value)) ||
    (isIn(before, want) && isIn(now, got) && !isIn(now, want))
  );
}

/** Whether a text says a date or a number. */
function isIn(value: unknown, text: string): boolean {
  if (typeof value === "number") return new RegExp(`(?<![\\d.,])${value}(?![\\d]|[.,]\\d)`).test(text);
  return typeof value === "string" && isDateIn(value, text);
}
