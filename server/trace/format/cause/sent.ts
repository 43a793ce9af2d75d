import { oneLine } from "../error-text.ts";
import { isRecord } from "./differences.ts";
import { jsonOf, type Leaf, leavesOf } from "./json-leaves.ts";
import { exchangeKey, exchangesOf } from "./keys.ts";
import { isAnotherId, isToken } from "./made-values.ts";
import { oncePer } from "./once.ts";
import { isOneForAll } from "./operations.ts";
import type { Exchange } from "./run-facts.ts";
import type { Evidence, RunEvidence } from "./types.ts";
import { headerOf, quoted } from "./words.ts";

/** What is told of by its name alone. */
export const SECRET = /token|key|secret|auth|sess|csrf|xsrf|pass|(?<!as)sign|cookie|card|cvc|iban/i;

/**
 * What a request said otherwise than in every pass, as a clause: `, which was sent with the header x-line “undefined”
 * where the last pass sent “north”,`. Empty when it said the same, or nothing is known of it.
 */
export function sentOtherwise(evidence: Evidence, one: Exchange): string {
  const other = otherSent(evidence, one);
  return other === null
    ? sentBesides(evidence, one)
    : `, which was sent ${other.words}${other.now === undefined ? ", which the last pass sent" : ""},`;
}

/** A field of a request that no pass has ever sent with it, as a clause; empty where there is none. */
function sentBesides(evidence: Evidence, one: Exchange): string {
  const known = everSent(evidence, exchangeKey(one, evidence.run.facts));
  const fresh = saidBy(one, evidence.run, evidence.passes.length).find(
    ({ path, value }) =>
      path.startsWith("the field") &&
      !known.has(path) &&
      !SECRET.test(path) &&
      !VARYING.test(String(value)) &&
      !isToken(value),
  );
  return fresh === undefined || known.size === 0
    ? ""
    : `, which was sent with ${fresh.path} ${told(fresh.value)} that no pass sends,`;
}

/** The places of all that passes send with a request. */
const everSent = oncePer(
  ({ passes }: Evidence, key: string) =>
    new Set(
      passes.flatMap((pass) => allSent(pass, key, passes.length).flatMap((parts) => [...parts.keys()])),
    ),
);

/** A part of a request that every pass said otherwise. */
export interface OtherSent {
  /** `the field rows`, `the parameter page`, `the header x-line` */
  path: string;
  /** `with the field rows “5” where the last pass sent “6”`, `without the field name “Ana”` */
  words: string;
  /** Undefined where it was left out. */
  now: unknown;
  before: unknown;
}

/** The first part of a request that every pass said otherwise, or that it left out; null where nothing is known of such a one. */
export function otherSent(evidence: Evidence, one: Exchange): OtherSent | null {
  const { run, passes } = evidence;
  const key = exchangeKey(one, run.facts);
  const turns = sentInTurn(evidence, key);
  const at = turns?.orderOf.get(one);
  if (turns === null || at === undefined)
    return apart(byPath(saidBy(one, run, passes.length)), usuallySent(evidence, key), one, run);
  const other = apart(turns.mine[at]!, turns.usual[at]!, one, run);
  if (other === null) return null;
  // What was sent in another turn was sent in another order, which chance may make.
  if (partsSent(evidence, key).has(partOf(other.path, other.before))) return null;
  // Of fewer requests than passes sent it may be the first that is missing.
  const isInTurn =
    turns.isWhole || (at > 0 && apart(turns.mine[at - 1]!, turns.usual[at - 1]!, one, run) === null);
  return isInTurn ? other : null;
}

/** The first part that is another one than usual, or is missing. */
function apart(
  mine: ReadonlyMap<string, Said>,
  usual: readonly Usual[],
  one: Exchange,
  run: RunEvidence,
): OtherSent | null {
  if (usual.length === 0) return null;
  const theirs = new Map(usual.map((part) => [part.path, part]));
  for (const { path, value, days } of mine.values()) {
    const part = theirs.get(path);
    // What differs between passes differs always.
    if (!part?.isSteady || part.value === value) continue;
    if (isAnotherId(part.value, value)) continue;
    // Tomorrow is another date each day.
    if (days !== undefined && part.allDays.has(days)) continue;
    const words = SECRET.test(path)
      ? `with ${path} of another value than in the last pass`
      : `with ${path} ${told(value)} where the last pass sent ${told(part.value)}`;
    return { path, words, now: value, before: part.value };
  }
  const body = requestBodyOf(one, run);
  const hasBody = body !== undefined;
  const gone = usual.find(
    ({ path }) =>
      !mine.has(path) && (path.startsWith("the header") || (hasBody && path.startsWith("the field"))),
  );
  if (!gone) return null;
  const instead = objectAt(body, gone.path);
  if (instead !== undefined && !SECRET.test(gone.path))
    return {
      path: gone.path,
      words: `with ${gone.path} ${told(instead)} where the last pass sent ${told(gone.value)}`,
      now: instead,
      before: gone.value,
    };
  const value = SECRET.test(gone.path) || VARYING.test(String(gone.value)) ? "" : ` ${told(gone.value)}`;
  return { path: gone.path, words: `without ${gone.path}${value}`, now: undefined, before: gone.value };
}

/** The object that stands at the place of a field, which is no value of its own; undefined where none does. */
function objectAt(body: unknown, path: string): unknown {
  let at = body;
  for (const name of path.replace("the field ", "").split("."))
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return isRecord(at) ? at : undefined;
}

/** A part of a request that every pass says each time. */
interface Usual extends Leaf {
  /** Whether it is always the same. */
  isSteady: boolean;
  /** Of dates: how far they lie from the days of their runs. */
  allDays: ReadonlySet<number>;
}

/** What every pass says each time that it sends a request. */
const usuallySent = oncePer(({ passes }: Evidence, key: string): Usual[] =>
  usualOf(passes.flatMap((pass) => allSent(pass, key, passes.length))),
);

/** A request that a run sends more than once, in the order in which it is sent. */
interface Turns {
  orderOf: ReadonlyMap<Exchange, number>;
  mine: readonly ReadonlyMap<string, Said>[];
  /** What every pass says at that turn. */
  usual: readonly Usual[][];
  /** Whether the run sent it as often as every pass. */
  isWhole: boolean;
}

/** Null where a request is sent but once, or not equally often in passes: then there is no telling which one answers to which. */
const sentInTurn = oncePer(({ run, passes }: Evidence, key: string): Turns | null => {
  const sent = exchangesOf(run.facts, key);
  const [first, ...others] = passes.map((pass) => allSent(pass, key, passes.length));
  const count = first?.length ?? 0;
  if (count < 2 || sent.length > count || others.some(({ length }) => length !== count)) return null;
  const mine = allSent(run, key, passes.length);
  return {
    orderOf: new Map(sent.map((one, at) => [one, at])),
    mine,
    usual: mine.map((_, at) => usualOf([first!, ...others].map((theirs) => theirs[at]!))),
    isWhole: sent.length === count,
  };
});

/** Every part that the run says of a request at any turn. */
const partsSent = oncePer(
  (evidence: Evidence, key: string) =>
    new Set(
      sentInTurn(evidence, key)?.mine.flatMap((parts) =>
        [...parts.values()].map(({ path, value }) => partOf(path, value)),
      ),
    ),
);

const partOf = (path: string, value: unknown): string => `${path} ${JSON.stringify(value)}`;

const allSent = (run: RunEvidence, key: string, passes: number): Map<string, Said>[] =>
  exchangesOf(run.facts, key).map((one) => byPath(saidBy(one, run, passes)));

/** The parts that all of these have. */
function usualOf([first, ...others]: readonly ReadonlyMap<string, Said>[]): Usual[] {
  return [...(first ?? [])].flatMap(([path, { value, days }]): Usual[] => {
    const said = others.map((other) => other.get(path));
    if (said.includes(undefined)) return [];
    return [
      {
        path,
        value,
        isSteady: value !== undefined && said.every((leaf) => leaf?.value === value),
        allDays: daysOf([days, ...said.map((leaf) => leaf?.days)]),
      },
    ];
  });
}

const NO_DAYS: ReadonlySet<number> = new Set();

/** Most parts are no dates. */
function daysOf(all: readonly (number | undefined)[]): ReadonlySet<number> {
  const days = all.filter((day) => day !== undefined);
  return days.length === 0 ? NO_DAYS : new Set(days);
}

/** The first part of each name, in their order. */
function byPath(said: readonly Said[]): Map<string, Said> {
  const first = new Map<string, Said>();
  for (const leaf of said) if (!first.has(leaf.path)) first.set(leaf.path, leaf);
  return first;
}

/** What the normaliser puts in the place of ids and times. */
const VARYING = /^<\w+>$/;

const told = (value: unknown) =>
  value === "" ? "empty" : quoted(typeof value === "string" ? oneLine(value) : JSON.stringify(value), 60);

interface Said extends Leaf {
  /** Of a date: how many days it lies from that of the run. */
  days?: number;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

function daysFrom(begun: number, value: unknown): number | null {
  const day = typeof value === "string" ? /^\d{4}-\d\d-\d\d(?![\d-])/.exec(value)?.[0] : undefined;
  const ts = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isFinite(ts) ? Math.floor(ts / DAY_MS) - Math.floor(begun / DAY_MS) : null;
}

/** By which a write is done or not (RFC 9110, 13; RFC 7240). */
const CONDITIONS: ReadonlySet<string> = new Set(["if-match", "if-unmodified-since", "prefer"]);

/** A short id is one of few; what is longer was most likely made for this run. */
const SHORT_ID = 24;

/**
 * Everything that a request says, as places and values: its own headers, its query, its body. Ids and moments are left
 * out where there is but one pass: two tell by themselves whether they vary.
 */
function saidBy(one: Exchange, { bodies, facts }: RunEvidence, passes: number): Said[] {
  const headers = one.requestHeaders
    .filter(({ name }) => name.startsWith("x-") || CONDITIONS.has(name))
    .map(({ name, value }) => ({ path: `the header ${name}`, value }));
  const query = [...(URL.parse(one.url)?.searchParams ?? [])].map(([name, value]) => ({
    path: `the parameter ${name}`,
    value: facts.normaliser.text(value),
  }));
  const sent = requestBodyOf(one, { bodies }) ?? {};
  const raw = new Map(leavesOf(sent).map(({ path, value }) => [path, value]));
  const body = leavesOf(facts.normaliser.json(sent)).map(({ path, value }): Said => {
    const own = VARYING.test(String(value)) ? raw.get(path) : undefined;
    const days = daysFrom(facts.firstTs, own);
    const isShort = typeof own === "number" || (typeof own === "string" && own.length <= SHORT_ID);
    const isKnown = isShort && (passes > 1 || DAY.test(String(own)));
    return { path: `the field ${path}`, value: isKnown ? own : value, ...(days !== null && { days }) };
  });
  const lists = listsIn(sent).map(({ path, value }) => ({ path: `the field ${path}`, value }));
  return [
    ...headers,
    ...query,
    ...[...lists, ...body].filter(({ path }) => !path.startsWith("the field query")),
  ];
}

const MOST_LISTS = 20;
const DEEPEST = 4;

/** How many items the lists of what was sent have. */
function listsIn(sent: unknown): Leaf[] {
  const found: Leaf[] = [];
  const visit = (node: unknown, path: string, depth: number): void => {
    if (typeof node !== "object" || node === null || depth > DEEPEST || found.length >= MOST_LISTS) return;
    if (Array.isArray(node))
      found.push({ path: path || "list", value: node.length === 1 ? "1 item" : `${node.length} items` });
    else
      for (const [name, inner] of Object.entries(node))
        visit(inner, path === "" ? name : `${path}.${name}`, depth + 1);
  };
  visit(sent, "", 0);
  return found;
}

/** The JSON that a request was sent with, or the fields of a form; undefined when it had none. */
export function requestBodyOf(one: Exchange, { bodies }: Pick<RunEvidence, "bodies">): unknown {
  const text = requestText(one, bodies);
  return jsonOf(text) ?? formOf(text, one);
}

/** Methods by which something is stored. */
export const STORING: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Methods by which something is changed. */
export const CHANGING: ReadonlySet<string> = new Set([...STORING, "DELETE"]);

/** Whether a request is sent to change something; where one address answers everything its operation says so. */
export function isWrite(one: Exchange, run: Pick<RunEvidence, "bodies">): boolean {
  if (!CHANGING.has(one.method)) return false;
  const sent = isOneForAll(one) ? requestBodyOf(one, run) : null;
  return (
    sent === null || (isRecord(sent) && typeof sent.query === "string" && /^\s*mutation\b/.test(sent.query))
  );
}

const MOST_FIELDS = 200;

/** The fields of a form. Of those that are made for each run, such as tokens against forgery, it is known only that they are there. */
function formOf(text: string, { requestHeaders }: Exchange): Record<string, string> | undefined {
  if (text === "" || !/urlencoded/i.test(headerOf(requestHeaders, "content-type") ?? "")) return undefined;
  const fields = [...new URLSearchParams(text)].map(([name, value]): [string, string] => [
    name,
    SECRET.test(name) && value !== "" ? "<id>" : value,
  ]);
  return fields.length === 0 ? undefined : Object.fromEntries(fields.slice(0, MOST_FIELDS));
}

/** A moment in ms, by which pages get past caches. */
const MOMENT = /^1\d{12}$/;

/** What a request asks for in its query, as names and values. */
export const queryOf = ({ url }: Exchange): [string, string][] =>
  [...(URL.parse(url)?.searchParams ?? [])].filter(([, value]) => !MOMENT.test(value));

/** All that a request asks for in its query and its body, ids and times left out: what tells two questions to one address apart. */
export function askedIn(one: Exchange, run: RunEvidence): string {
  const sent = requestBodyOf(one, run);
  const query = queryOf(one).sort().join("&");
  return `${query} ${sent === undefined ? "" : JSON.stringify(run.facts.normaliser.json(sent))}`;
}

/** What a request was sent with; empty where it had nothing, or that was not kept. */
export const requestText = ({ requestSeq, requestBody }: Exchange, bodies: Map<number, string>) =>
  (requestSeq === null ? undefined : bodies.get(requestSeq)) ??
  (requestBody?.startsWith("sha256:") ? "" : (requestBody ?? ""));
