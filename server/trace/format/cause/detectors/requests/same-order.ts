import { requestBodyOf, STORING } from "../../exchanges/sent.ts";
import { OPENS } from "../../page/filled.ts";
import type { Exchange, RunFacts, Step } from "../../run/run-facts.ts";
import { answersBefore, counterpart, GESTURES, lastOf } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { bodyOf, isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 10;
/** Answers in which the order of before is looked for. */
const MOST_READ = 40;
const MOST_ITEMS = 200;
/** Names of what keeps an order; that of a customer is none. */
const ORDERS =
  /(?:^|[/_.-])(?:re-?order|order(?:ing)?|sort(?:_?order|ing)?|positions?|sequence|ranks?|arrangement)$/i;
/** Those that are of nothing else. */
const SURELY_ORDERS = /re-?order|sort_?order|ordering|sorting|positions|arrangement/i;
const DRAGS = /drag|mouse\.up|drop/i;
/** Between what moved something and the request that keeps it. */
const SOON_MS = 2_000;

/** A write after something was moved that sends a list in the order in which it was read: nothing was moved, as far as the server can tell. */
export function detectSameOrder(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  const { facts } = run;
  const writes = answersBefore(
    evidence,
    MOST,
    ({ method, url }) => STORING.has(method) && !isForeign(url, facts),
  );
  return writes.toReversed().flatMap((one): Finding[] => {
    const moved = moverOf(facts, one);
    const list = moved && listOf(one, run);
    if (!list || !isOfOrder(list, one, moved)) return [];
    const { mover } = moved;
    const read = readBefore(one, list.items, run);
    if (!read || passes.some((pass) => sendsAsRead(pass, one, counterpart(facts, mover, pass.facts)?.ts)))
      return [];
    return [
      {
        kind: "page_changed",
        title: `${requestOf(one, facts)} was sent with ${quoted(list.name, 60)} in the order that ${requestOf(read, facts)} had answered before: nothing in it was moved`,
        detail: null,
        step_id: one.step_id,
        events: [one.requestSeq ?? one.seq, read.seq, mover.seq],
        ts: one.ts,
        is_new: passes.length === 0 ? null : true,
        weight: 0.88,
        about: `body ${one.seq}`,
        isUnmoved: true,
      },
    ];
  });
}

/** What may have moved something before a request. */
interface Moved {
  mover: Step;
  isDragged: boolean;
  /** Whether another gesture after the drag had its order kept. */
  isKeptApart: boolean;
}

function moverOf({ steps }: RunFacts, one: Exchange): Moved | null {
  const gestures = lastOf(
    steps,
    2,
    ({ kind, name, title, ts }) =>
      kind === "agent.action" &&
      ts <= one.ts &&
      (OPENS.test(name) || DRAGS.test(`${name} ${title}`) || GESTURES.test(name)),
  );
  const last = gestures.at(-1);
  if (!last || OPENS.test(last.name) || one.ts - last.end >= SOON_MS) return null;
  const isDrag = ({ name, title }: Step) => DRAGS.test(`${name} ${title}`);
  const [before] = gestures;
  return !isDrag(last) && before !== last && isDrag(before!) && before!.page === last.page
    ? { mover: before!, isDragged: true, isKeptApart: true }
    : { mover: last, isDragged: isDrag(last), isKeptApart: false };
}

/** Whether a list is sent for its order: after a drag it is all that is sent or called so, after any other gesture surely called so. */
function isOfOrder(
  { name, isAlone }: Sent,
  { url }: Exchange,
  { isDragged, isKeptApart }: Omit<Moved, "mover">,
): boolean {
  const names = [name, pathOf(url)];
  return isDragged
    ? (isAlone && !isKeptApart) || names.some((one) => ORDERS.test(one))
    : names.some((one) => SURELY_ORDERS.test(one));
}

/** Whether a pass sent the same request, after the same action, in the order of before as well. */
function sendsAsRead(pass: RunEvidence, { method, url }: Exchange, since: number | undefined): boolean {
  const same = pass.facts.exchanges.find(
    (one) =>
      one.method === method && pathOf(one.url) === pathOf(url) && (since === undefined || one.ts >= since),
  );
  const list = same && listOf(same, pass);
  return list ? readBefore(same, list.items, pass) !== null : false;
}

interface Sent {
  name: string;
  items: string[];
  /** Whether nothing else was sent. */
  isAlone: boolean;
}

/** The list that a request was sent with, as the texts or ids of its items; null where it has none of two different ones. */
function listOf(one: Exchange, run: RunEvidence): Sent | null {
  const body = requestBodyOf(one, run);
  const fields = Array.isArray(body) ? [["", body] as const] : Object.entries(body ?? {});
  for (const [name, value] of fields) {
    if (!Array.isArray(value) || value.length < 2 || value.length > MOST_ITEMS) continue;
    const items = value.map(nameOf);
    if (items.every((item) => item !== null) && new Set(items).size === items.length)
      return { name: name || "its list", items, isAlone: fields.length === 1 };
  }
  return null;
}

/** What an item is known by. */
function nameOf(item: unknown): string | null {
  if (typeof item === "string" || typeof item === "number") return String(item);
  const { id, key, uuid, slug } = (item ?? {}) as Record<string, unknown>;
  const named = id ?? key ?? uuid ?? slug;
  return typeof named === "string" || typeof named === "number" ? String(named) : null;
}

/** The last answer before a write that has all of these items, where it has them in the same order. */
function readBefore(one: Exchange, items: readonly string[], run: RunEvidence): Exchange | null {
  const answers = lastOf(
    run.facts.exchanges,
    MOST_READ,
    ({ status, end, url }) => status === 200 && end !== null && end <= one.ts && !isForeign(url, run.facts),
  );
  for (const answer of answers.toReversed()) {
    const text = bodyOf(answer, run.bodies) ?? "";
    const places = items.map((item) => placeIn(text, item));
    if (places.every((place) => place >= 0))
      return places.every((place, at) => at === 0 || place > places[at - 1]!) ? answer : null;
  }
  return null;
}

/** Where a text names an item first; a number by itself only. */
function placeIn(text: string, item: string): number {
  for (let at = text.indexOf(item); at >= 0; at = text.indexOf(item, at + 1))
    if (!/[\w-]/.test(text[at - 1] ?? "") && !/[\w-]/.test(text[at + item.length] ?? "")) return at;
  return -1;
}
