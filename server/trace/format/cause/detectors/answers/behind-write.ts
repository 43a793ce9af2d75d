import { isBeside } from "../../alone/beside.ts";
import { isWrite, STORING } from "../../exchanges/sent.ts";
import { staleness } from "../../exchanges/staleness.ts";
import { oncePer } from "../../once.ts";
import { isFailedExchange } from "../../run/failed-exchange.ts";
import { exchangeKey } from "../../run/keys.ts";
import type { Exchange } from "../../run/run-facts.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { isRecord, jsonOf } from "../../values/json-leaves.ts";
import { isToken } from "../../values/made-values.ts";
import { aboutUrl, bodyOf, isTracker, lapse, quoted, requestOf } from "../../words.ts";

const MOST = 40;
const MOST_EXCHANGES = 600;

/** A write that was answered with a new value, and a read after it that has still the old one: the server answered before it had stored it. */
export function detectBehindWrite(evidence: Evidence): Finding[] {
  const { run, passes, failed } = evidence;
  const isAlone = passes.length === 0;
  return behindIn(run, failed.to).map(({ write, read, name, now, answered, elsewhere }) => {
    const isUsual = passes.some((pass) =>
      behindIn(pass, pass.facts.lastTs).some(
        (other) =>
          exchangeKey(other.write, pass.facts) === exchangeKey(write, run.facts) &&
          exchangeKey(other.read, pass.facts) === exchangeKey(read, run.facts),
      ),
    );
    const copy = staleness(read);
    return {
      kind: "answer_changed",
      title: `${requestOf(read, run.facts)} answered ${copy === null ? "" : `${copy} `}${told(now)} for ${quoted(name, 60)}, still the old value, ${sinceOf(read.ts - write.end!)} ${requestOf(write, run.facts)} had answered ${told(answered)} for it: ${copy !== null ? "an old copy was read" : elsewhere ? `${quoted(elsewhere.called, 60)} has it now, which had ${told(elsewhere.before)} before` : "what was written is not stored, or not yet"}`,
      detail: null,
      step_id: read.step_id,
      events: [read.seq, write.seq],
      ts: read.end ?? read.ts,
      is_new: isAlone ? null : !isUsual,
      // It tells more than that the answer is another one than in the passes.
      weight: isAlone ? 0.84 : 0.975,
      about: aboutUrl(read.url, run.facts, read.operation),
      isOther: "value",
    };
  });
}

/** A read that came after a write, with a value of the same thing that is the one of before it. */
interface Behind {
  write: Exchange;
  read: Exchange;
  name: string;
  now: unknown;
  answered: unknown;
  /** Another thing that has the new value since then. */
  elsewhere: { called: string; before: unknown } | null;
}

function behindIn(run: RunEvidence, until: number): Behind[] {
  const all = run.facts.exchanges
    .slice(-MOST_EXCHANGES)
    .filter(
      (one) =>
        /^(?:xhr|fetch)$/.test(one.type ?? "") &&
        one.end !== null &&
        one.ts <= until &&
        one.status !== null &&
        !isFailedExchange(one) &&
        !isTracker(one.url) &&
        !isBeside(one),
    );
  const writes = all.filter((one) => STORING.has(one.method) && isWrite(one, run)).slice(-MOST);
  const reads = all.filter((one) => one.method === "GET" || (STORING.has(one.method) && !isWrite(one, run)));
  return writes.flatMap((write, at): Behind[] => {
    const [thing] = thingsOf(run, write);
    if (!thing) return [];
    const next = writes[at + 1]?.ts ?? Number.POSITIVE_INFINITY;
    const isOfThing = (one: Exchange) => thingOf(one, thing, run) !== undefined;
    const read = reads.findLast((one) => isAfter(one, write) && one.ts < next && isOfThing(one));
    const before = reads.findLast((one) => one.end! <= write.ts && isOfThing(one));
    if (!read || !before) return [];
    const [now, then] = [read, before].map((one) => thingOf(one, thing, run)!);
    const stale = Object.entries(thing.fields).filter(
      ([name, answered]) =>
        isPlain(answered) &&
        name in now!.fields &&
        now!.fields[name] !== answered &&
        now!.fields[name] === then!.fields[name],
    );
    const [name, answered] = stale.find(([name]) => !/id$/i.test(name)) ?? [];
    if (name === undefined) return [];
    const elsewhere = writtenElsewhere({ thing, name, answered }, thingsOf(run, before), thingsOf(run, read));
    return [{ write, read, name, now: now!.fields[name], answered, elsewhere }];
  });
}

/** Ms by which recorders note the end of an answer too late. */
const NOTED_LATE_MS = 20;

const sinceOf = (ms: number): string => (ms < NOTED_LATE_MS ? "right after" : `${lapse(ms)} after`);

/** Whether a read began once a write was answered; what goes out side by side begins with it. */
export const isAfter = ({ ts }: Exchange, write: Exchange): boolean =>
  ts >= write.end! || (ts >= write.end! - NOTED_LATE_MS && ts - write.ts > (write.end! - write.ts) * 0.8);

interface Thing {
  /** The field by which it is known, and what stands in it. */
  by: string;
  id: unknown;
  fields: Record<string, unknown>;
}

/** The one other thing that came to have what was written; null where there is none, or several. */
function writtenElsewhere(
  { thing, name, answered }: { thing: Thing; name: string; answered: unknown },
  before: readonly Thing[],
  since: readonly Thing[],
): Behind["elsewhere"] {
  if (answered === null || typeof answered === "boolean") return null;
  const former = new Map(before.map((one) => [one.id, one]));
  const others = since.filter(
    ({ id, fields }) =>
      id !== thing.id &&
      fields[name] === answered &&
      former.has(id) &&
      former.get(id)!.fields[name] !== answered,
  );
  const [other, ...more] = others;
  const called = other && more.length === 0 ? labelOf(other) : undefined;
  return other && called !== undefined ? { called, before: former.get(other.id)!.fields[name] } : null;
}

/** What people call a thing: the first of its texts that is no id. */
const labelOf = ({ id, fields }: Thing): string | undefined =>
  Object.values(fields)
    .filter((text) => typeof text === "string")
    .find((text) => text !== id && /\p{L}{2}/u.test(text) && !isToken(text));

const DEEPEST = 4;
const MOST_THINGS = 500;

const thingOf = (one: Exchange, wanted: Thing, run: RunEvidence): Thing | undefined =>
  thingsOf(run, one).find((thing) => isSame(thing, wanted));

/** Ids are of one thing each; what else things go by may be of another kind of them, and has a text in common besides. */
const isSame = ({ fields }: Thing, { by, id, fields: wanted }: Thing): boolean =>
  fields[by] === id &&
  (by === "id" ||
    Object.entries(wanted).some(
      ([name, value]) =>
        name !== by && typeof value === "string" && value.length >= TELLING && fields[name] === value,
    ));

const TELLING = 6;
/** What a thing goes by, of which interfaces for customers have often no id. */
const IDENTITIES = ["id", "uuid", "number", "key", "code", "slug", "ref"];

const thingsOf = oncePer(({ bodies }: RunEvidence, one: Exchange) =>
  thingsIn(jsonOf(bodyOf(one, bodies) ?? "")),
);

/** The records of an answer that go by something, the outer ones first. */
function thingsIn(value: unknown): Thing[] {
  const found: Thing[] = [];
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== "object" || node === null || depth > DEEPEST || found.length >= MOST_THINGS) return;
    const by = isRecord(node)
      ? IDENTITIES.find((name) => node[name] != null && isPlain(node[name]))
      : undefined;
    if (isRecord(node) && by !== undefined) found.push({ by, id: node[by], fields: node });
    for (const inner of Object.values(node)) visit(inner, depth + 1);
  };
  visit(value, 0);
  return found;
}

const isPlain = (value: unknown): boolean =>
  value === null || /^(?:string|number|boolean)$/.test(typeof value);

const told = (value: unknown): string =>
  quoted(typeof value === "string" ? value : JSON.stringify(value), 60);
