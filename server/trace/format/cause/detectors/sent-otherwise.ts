import { isDateIn } from "../dates.ts";
import type { Exchange, RunFacts } from "../run-facts.ts";
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

/** Of more requests of one kind none is looked for in the place of another. */
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
  if (passes.length < 2) return null;
  const [mine, ...theirs] = [run, ...passes].map(({ facts }) => writesIn(facts, one.method));
  if (theirs.some((list) => list.has(pathOf(one.url)))) return null;
  const others = [...theirs[0]!].filter(
    ([path]) =>
      !mine!.has(path) && theirs.every((list) => list.has(path)) && isBesides(path, pathOf(one.url)),
  );
  return others.length === 1 ? requestOf(others[0]![1], passes[0]!.facts) : null;
}

/** The last requests of a method that keep something, by their paths. */
const writesIn = ({ exchanges }: RunFacts, method: string): Map<string, Exchange> =>
  new Map(
    exchanges
      .filter((one) => one.method === method && one.type !== "api")
      .slice(-MOST_ALIKE)
      .map((one) => [pathOf(one.url), one]),
  );

/** Whether two paths differ in what stands at one place of them, after their first word. */
function isBesides(path: string, other: string): boolean {
  const [mine, theirs] = [path.split("/"), other.split("/")];
  const apart = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
  return mine.length === theirs.length && apart.length === 1 && apart[0]! > 1;
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
