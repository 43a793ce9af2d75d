import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, givenIn, isRead, isWrite, SECRET } from "../../exchanges/sent.ts";
import { isOneForAll } from "../../run/operations.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord } from "../../values/json-leaves.ts";
import { bareOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";
import { soughtBy } from "../requests/sought.ts";

const MOST_WRITES = 8;
const MOST_READS = 60;
const MOST_TOLD = 2;
const SHORTEST = 3;

type Thing = Record<string, unknown>;

/** A thing that was read, replaced by a write to the same address or by an operation on it, and what that or the next read says it is since. */
interface Replaced {
  write: Exchange;
  read: Exchange;
  before: Thing;
  sent: Thing;
  after: Thing;
}

/** A thing that a PUT was to replace: it was sent without a field that the thing had and has no more, or the list that it was sent with was put to the one before. */
export function detectReplaced(evidence: Evidence): Finding[] {
  const found = replacedIn(evidence);
  return found.flatMap((one) => lacked(evidence, one) ?? added(evidence, one) ?? []);
}

function replacedIn(evidence: Evidence): Replaced[] {
  const { run } = evidence;
  const thingOf = (one: Exchange) => answeredWith(one, run);
  const puts = answersBefore(
    evidence,
    MOST_WRITES,
    (one) => (one.method === "PUT" || isOneForAll(one)) && isWrite(one, run) && !isTracker(one.url),
  );
  const reads = puts.length === 0 ? [] : answersBefore(evidence, MOST_READS, (one) => isRead(one, run));
  return puts.flatMap((write): Replaced[] => {
    const sent = sentWith(write, run);
    const same = reads.filter(
      (one) => pathOf(one.url) === pathOf(write.url) && (!isOneForAll(one) || isSameId(thingOf(one), sent)),
    );
    const read = same.findLast((one) => one.ts < write.ts);
    const later = same.find((one) => one.ts > write.ts);
    const before = read && thingOf(read);
    const after = [thingOf(write), later && thingOf(later)].find(
      (thing) => isRecord(thing) && isLike(thing, before),
    );
    return read && isRecord(before) && isRecord(sent) && isRecord(after)
      ? [{ write, read, before, sent, after }]
      : [];
  });
}

/** What a write puts in the place of what was there. An operation may be given the thing beside its id. */
function sentWith(write: Exchange, run: RunEvidence): unknown {
  const given = givenIn(write, run);
  return isRecord(given) && isOneForAll(write)
    ? Object.assign({}, given, ...Object.values(given).filter(isRecord))
    : given;
}

const isSameId = (thing: unknown, sent: unknown): boolean =>
  isRecord(thing) && isRecord(sent) && thing.id !== undefined && String(thing.id) === String(sent.id);

/** Whether an answer is of the thing itself, and does not only say how it went. */
const isLike = (thing: Thing, before: unknown): boolean =>
  isRecord(before) &&
  Object.keys(before).filter((name) => Object.hasOwn(thing, name)).length * 2 > Object.keys(before).length;

/** Fields that the thing had and has no more since it was sent without them, where the test looks for one of their values. */
function lacked(evidence: Evidence, { write, read, before, sent, after }: Replaced): Finding | null {
  const given = new Set(Object.keys(sent).map(stemOf));
  const names = Object.keys(before).filter(
    (name) =>
      // What is sent as its id comes back by its name.
      !given.has(stemOf(name)) && !SECRET.test(name) && isFull(before[name]) && isEmpty(after[name]),
  );
  const wanted = [bareOf(evidence.failed.expected ?? ""), soughtBy(evidence)?.text ?? ""].filter(
    (text) => text.length >= SHORTEST,
  );
  if (!names.some((name) => wanted.some((text) => text.includes(String(before[name]))))) return null;
  const told = names
    .slice(0, MOST_TOLD)
    .map((name) => quoted(name, 60))
    .join(" and ");
  const { facts } = evidence.run;
  return answerFinding(
    evidence,
    write,
    `${requestOf(write, facts)} was sent without ${told}, which ${requestOf(read, facts)} had answered with before, and the thing has ${names.length === 1 ? "it" : "them"} no more since`,
    0.95,
  );
}

/** The first word of a name: of `supplierId` and `supplier_name` that is `supplier`. */
const stemOf = (name: string): string => name.replace(/(?<=[a-z])[A-Z_].*/s, "").toLowerCase();

const isFull = (value: unknown): boolean =>
  typeof value === "number" || (typeof value === "string" && value.length >= SHORTEST);
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

/** A list that has what was sent and what was there before. */
function added(evidence: Evidence, { write, before, sent, after }: Replaced): Finding | null {
  for (const [name, items] of Object.entries(sent)) {
    const [had, has] = [before[name], after[name]];
    if (!Array.isArray(items) || !Array.isArray(had) || !Array.isArray(has)) continue;
    if (had.length === 0 || items.length === 0 || has.length !== had.length + items.length) continue;
    const left = new Set(has.map(nameOf));
    if (!had.every((item) => left.has(nameOf(item)))) continue;
    return answerFinding(
      evidence,
      write,
      `${requestOf(write, evidence.run.facts)} was sent with ${items.length} for ${quoted(name, 60)}, and the thing has ${has.length} since: the ${had.length} from before were left, and the others added to them`,
      0.95,
    );
  }
  return null;
}

/** What an item of a list goes by. */
const nameOf = (item: unknown): string =>
  isRecord(item) && (typeof item.id === "string" || typeof item.id === "number")
    ? `id ${item.id}`
    : JSON.stringify(item);
