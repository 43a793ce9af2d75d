import { isDeepStrictEqual } from "node:util";
import { oneLine } from "../../error-text.ts";
import { isBefore } from "../compare.ts";
import { isWrite, requestBodyOf } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangeKey, exchangesOf, ofSameTurn } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isRecord, jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, isForeign, isTracker, pathOf, quoted, requestOf } from "../words.ts";

/** The last writes of a run, and its last answers. */
const MOST_WRITES = 20;
const MOST_ANSWERS = 300;
const MOST_THINGS = 3_000;
const DEEPEST = 4;
/** Shorter ids are numbers of many other things. */
const SHORTEST_ID = 3;
const IDS = ["id", "uuid", "number", "key", "code", "ref", "slug"];
const NAMES = ["subject", "title", "name", "label", "text", "email"];

/** A write that went for another thing than in every pass: ids are other ones in each run, and what answers call their things, or which request made them, is not. */
export function detectAnotherThing(evidence: Evidence): Finding[] {
  const { run, passes } = evidence;
  if (passes.length === 0) return [];
  const writes = run.facts.exchanges.filter(
    (one) =>
      isWrite(one, run) &&
      one.type !== "api" &&
      isBefore(evidence, one.ts) &&
      !isForeign(one.url, run.facts) &&
      !isTracker(one.url),
  );
  return writes.slice(-MOST_WRITES).flatMap((one) => findingOf(evidence, one) ?? []);
}

function findingOf(evidence: Evidence, one: Exchange): Finding | null {
  const { run, passes } = evidence;
  const others = passes.map((pass) => {
    const other = ofSameTurn(one, run.facts, pass.facts);
    return other && { pass, other, sent: sentFor(other, pass) };
  });
  const [last] = others;
  if (!last || others.includes(undefined)) return null;
  const mine = sentFor(one, run);
  const apart = [...mine].filter(([place, things]) => {
    const usual = others.map((each) => each?.sent.get(place) ?? []);
    return (
      things.length === usual[0]!.length &&
      usual.every((list) => identitiesOf(list) === identitiesOf(usual[0]!)) &&
      identitiesOf(things) !== identitiesOf(usual[0]!) &&
      !isNamedAlike(things, usual[0]!) &&
      calledIn(things, run) !== calledIn(usual[0]!, last.pass)
    );
  });
  if (apart.length === 0) return null;
  const places = apart.map(([place]) => place);
  const [now, before] = [mine, last.sent].map((sent) =>
    places.map((place) => told(place, sent.get(place)!)).join(" and "),
  );
  const all = (sent: Sent) => identitiesOf(places.flatMap((place) => sent.get(place)!));
  const isSwapped = places.length === 2 && all(mine) === all(last.sent);
  return {
    kind: "page_changed",
    title: `${requestOf(one, run.facts)} was sent with ${now}, where the last pass sent ${before}${isSwapped ? ": the two are swapped" : ""}`,
    detail: null,
    step_id: one.step_id,
    events: [one.requestSeq ?? one.seq],
    ts: one.ts,
    is_new: true,
    // One pass does not tell whether each run has its own thing there.
    weight: passes.length > 1 ? 0.92 : 0.6,
    about: `body ${one.seq}`,
    isToAnother: true,
  };
}

/** Whether things go by the same words: only numbers are given anew to others in each run. */
function isNamedAlike(things: readonly Thing[], others: readonly Thing[]): boolean {
  const wordsOf = (list: readonly Thing[]) => list.map(({ id }) => id).toSorted();
  const words = wordsOf(things);
  return isDeepStrictEqual(words, wordsOf(others)) && words.every((word) => /\p{L}{3}/u.test(word));
}

/** A thing of which answers told: its id, what it goes by across runs, and what it is called. */
interface Thing {
  id: string;
  identity: string;
  name: string;
}

/** The things that a request was sent for, by their places in it, each with the id by which it was. */
type Sent = ReadonlyMap<string, SentThing[]>;

type SentThing = Thing & { id: string };

const IN_ADDRESS = "the address";

function sentFor(one: Exchange, run: RunEvidence): Sent {
  const known = thingsOf(run, "things");
  const sent = new Map<string, SentThing[]>();
  const add = (place: string, value: unknown) => {
    const id = String(value);
    const thing = known.get(id);
    if (thing) sent.set(place, [...(sent.get(place) ?? []), { ...thing, id }]);
  };
  for (const part of pathOf(one.url).split("/")) add(IN_ADDRESS, part);
  for (const { path, value } of leavesOf(requestBodyOf(one, run)))
    add(path.replace(/(?:^|\.)\d+(?=\.|$)/g, ""), value);
  return sent;
}

const identitiesOf = (things: readonly Thing[]): string =>
  things
    .map(({ identity }) => identity)
    .toSorted()
    .join("\n");

const calledIn = (things: readonly Thing[], { facts }: RunEvidence): string =>
  things
    .map(({ name }) => facts.normaliser.text(name))
    .toSorted()
    .join("\n");

const MOST_NAMED = 3;

function told(place: string, things: readonly Thing[]): string {
  const names = things.slice(0, MOST_NAMED).map(({ name }) => quoted(name, 40));
  const all = `${names.join(", ")}${things.length > MOST_NAMED ? ", …" : ""}`;
  return `the id${things.length > 1 ? "s" : ""} of ${all} ${place === IN_ADDRESS ? "in its address" : `for ${quoted(place, 40)}`}`;
}

/** The things of which the answers of a run tell, by their ids. */
const thingsOf = oncePer((run: RunEvidence, _: "things"): ReadonlyMap<string, Thing> => {
  const things = new Map<string, Thing>();
  const answers = run.facts.exchanges.filter((one) => one.status !== null && !isFailedExchange(one));
  for (const one of answers.slice(-MOST_ANSWERS)) {
    const value = jsonOf(bodyOf(one, run.bodies) ?? "");
    const made = isWrite(one, run) ? madeBy(one, run) : null;
    for (const [at, record] of recordsIn(value).entries()) {
      const ids = IDS.flatMap((key) => idOf(record[key]) ?? []).filter((id) => !things.has(id));
      const name = ids.length === 0 ? null : nameOf(record);
      if (name === null) continue;
      if (things.size >= MOST_THINGS) return things;
      // What a request made is known by that; what was there before, by what it is called.
      const identity = made !== null && at === 0 ? made : run.facts.normaliser.text(name);
      for (const id of ids) things.set(id, { id, identity, name });
    }
  }
  return things;
});

function idOf(value: unknown): string | null {
  const id = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return id.length >= SHORTEST_ID ? id : null;
}

const madeBy = (one: Exchange, { facts }: RunEvidence): string => {
  const key = exchangeKey(one, facts);
  return `${key} ${exchangesOf(facts, key).indexOf(one)}`;
};

/** The records of an answer, the outer ones first. */
function recordsIn(value: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = [];
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== "object" || node === null || depth > DEEPEST || found.length >= MOST_THINGS) return;
    if (isRecord(node)) found.push(node);
    for (const inner of Object.values(node)) visit(inner, depth + 1);
  };
  visit(value, 0);
  return found;
}

function nameOf(record: Record<string, unknown>): string | null {
  const name = NAMES.map((key) => record[key]).find(
    (text) => typeof text === "string" && text.trim().length > 2,
  );
  return typeof name === "string" ? oneLine(name) : null;
}
