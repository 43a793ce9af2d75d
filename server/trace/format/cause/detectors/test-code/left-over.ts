import { dataIn } from "../../exchanges/asked-again.ts";
import { CHANGING, requestBodyOf } from "../../exchanges/sent.ts";
import { ofSameTurn } from "../../run/keys.ts";
import type { Exchange, Step } from "../../run/run-facts.ts";
import { answersBefore, lastOf } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isRecord, jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, isForeign, isTracker, quoted, requestOf } from "../../words.ts";

const MOST_ANSWERS = 20;
const MOST_WRITES = 60;
const MOST_ITEMS = 100;
/** What an item goes by. */
const NAMED = /^(?:id|\w*_?id|uuid|key|slug|sku|code|name|title|label|text|email|subject)$/i;

/** A list with more items than the test wants, just those too many that nothing of this run brought: they were left there before. */
export function detectLeftOver(evidence: Evidence): Finding[] {
  const counts = countsIn(evidence.failed);
  if (!counts) return [];
  const { run, passes } = evidence;
  const { facts } = run;
  let sent: Set<string> | null = null;
  for (const one of answersBefore(
    evidence,
    MOST_ANSWERS,
    ({ method, url }) => method === "GET" && !isForeign(url, facts),
  ).toReversed()) {
    const list = listIn(dataIn(bodyOf(one, run.bodies) ?? ""), counts.got);
    if (!list) continue;
    sent ??= sentIn(evidence);
    const left = list.items.filter((item) => !isIn(sent!, item));
    if (left.length !== counts.got - counts.want || isUsual(evidence, one, list)) continue;
    // What is written to only afterwards stood there before as well: it may be the one that the test does away with.
    const brought = sentIn(evidence, one.ts);
    if (list.items.some((item) => !left.includes(item) && !isIn(brought, item))) continue;
    const known = left
      .map((item) => namesOf(item).find((name) => /\p{L}{3}/u.test(name)))
      .find((name) => name !== undefined);
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, facts)} answered with ${counts.got === 1 ? "1 item" : `${counts.got} items`}${list.name === "" ? "" : ` for ${quoted(list.name, 60)}`}, and ${known === undefined ? `${left.length} of them` : quoted(known, 80)} came of nothing that this run sent: left there before`,
        detail: null,
        step_id: one.step_id,
        events: [one.seq],
        ts: one.end ?? one.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.86,
        about: aboutUrl(one.url, facts),
      },
    ];
  }
  return [];
}

const isIn = (names: ReadonlySet<string>, item: unknown): boolean =>
  namesOf(item).some((name) => names.has(nameOf(name)));

/** Whether a pass had as many in that answer, and came to its end. */
const isUsual = ({ run, passes }: Evidence, one: Exchange, { name, items }: List): boolean =>
  passes.some((pass) => {
    const same = ofSameTurn(one, run.facts, pass.facts);
    return same !== undefined && listIn(dataIn(bodyOf(same, pass.bodies) ?? ""), items.length)?.name === name;
  });

/** How many things the test wants and how many there were, where the page shows too many of them. */
function countsIn({ expected, received }: Evidence["failed"]): { want: number; got: number } | null {
  const [[want, rest], [got, other]] = [expected, received].map((text) => countIn(bareOf(text ?? ""))) as [
    Count,
    Count,
  ];
  return want !== null && got !== null && got > want && rest === other && got <= MOST_ITEMS
    ? { want, got }
    : null;
}

type Count = [count: number | null, rest: string];

/** The one number of a text, and what else it says, in the singular or not. */
function countIn(text: string): Count {
  const numbers = text.match(/\d+/g) ?? [];
  return numbers.length === 1 && /^\d{1,3}$/.test(numbers[0]!)
    ? [Number(numbers[0]), text.replace(/\d+/, "#").replace(/(?<=\p{L}{2})s\b/gu, "")]
    : [null, text];
}

interface List {
  name: string;
  items: unknown[];
}

/** The list of an answer that has so many items. */
function listIn(data: unknown, length: number): List | null {
  const lists = Array.isArray(data) ? [["", data] as const] : isRecord(data) ? Object.entries(data) : [];
  for (const [name, items] of lists)
    if (Array.isArray(items) && items.length === length && items.every(isRecord)) return { name, items };
  return null;
}

const namesOf = (item: unknown): string[] =>
  Object.entries(item as Record<string, unknown>).flatMap(([name, value]) =>
    NAMED.test(name) && (typeof value === "string" || typeof value === "number") && value !== ""
      ? [String(value).trim()]
      : [],
  );

const nameOf = (value: unknown): string => String(value).trim().toLowerCase();

/** What this run sent and typed up to a moment, and what its writes were answered with. */
export function sentIn({ run, failed }: Evidence, until = failed.to): Set<string> {
  const writes = lastOf(
    run.facts.exchanges,
    MOST_WRITES,
    ({ method, ts, url }) => CHANGING.has(method) && ts <= until && !isTracker(url),
  );
  return new Set([
    ...writes.flatMap((one) => [
      ...partsOf(one),
      ...valuesOf(requestBodyOf(one, run)),
      ...valuesOf(jsonOf(bodyOf(one, run.bodies) ?? "")),
    ]),
    ...run.facts.steps.filter(({ ts }) => ts <= until).flatMap(typedIn),
  ]);
}

const partsOf = ({ url }: Exchange): string[] =>
  (URL.parse(url)?.pathname ?? "")
    .split("/")
    .filter((part) => part !== "")
    .map(nameOf);
const valuesOf = (value: unknown): string[] => leavesOf(value).map(({ value: leaf }) => nameOf(leaf));
const typedIn = ({ params }: Step): string[] =>
  [params.text, params.value].filter((text) => typeof text === "string").map(nameOf);
