import { REQUEST_IDS } from "../run/event-fields.ts";
import { isOneForAll, purposeBy } from "../run/operations.ts";
import type { Exchange } from "../run/run-facts.ts";
import type { RunEvidence } from "../types.ts";
import { DAY_MS } from "../values/dates.ts";
import { isRecord, jsonOf, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, pathOf } from "../words.ts";
import { fieldsOf } from "./sent-form.ts";

/** What is told of by its name alone. */
export const SECRET = /token|key|secret|auth|sess|csrf|xsrf|pass|(?<!as)sign|cookie|card|cvc|iban/i;

/** Whether a text is what scripts write where they have no value, or a whole object in its place. */
export const isNoValue = (value: unknown): boolean =>
  typeof value === "string" && /^(?:undefined|null|NaN|\[object \w{1,30}\]|Invalid Date)$/.test(value);

/** What the normaliser puts in the place of ids and times. */
export const VARYING = /^<\w+>$/;

/** A part of what a request says. */
export interface Said extends Leaf {
  /** Of a date: how many days it lies from that of the run. */
  days?: number;
  /** As it was sent, where it is written as what was made to name one thing. */
  id?: string;
}

const MADE = /^(?=.{0,64}[a-z])(?=.{0,64}\d)[\w-]{6,64}$/i;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** How many days a date lies from that of a run; null of what is no date. */
export function daysFrom(begun: number, value: unknown): number | null {
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
export function saidBy(one: Exchange, { bodies, facts }: RunEvidence, passes: number): Said[] {
  const headers = one.requestHeaders
    .filter(({ name }) => (name.startsWith("x-") && !REQUEST_IDS.has(name)) || CONDITIONS.has(name))
    .map(({ name, value }) => ({ path: `the header ${name}`, value }));
  const query = [...(URL.parse(one.url)?.searchParams ?? [])].map(([name, value]) => ({
    path: `the parameter ${name}`,
    value: facts.normaliser.text(value),
  }));
  const sent = requestBodyOf(one, { bodies }) ?? {};
  const raw = new Map(leavesOf(sent).map(({ path, value }) => [path, value]));
  const body = leavesOf(facts.normaliser.json(sent)).map(({ path, value }): Said => {
    const given = raw.get(path);
    const own = VARYING.test(String(value)) ? given : undefined;
    const days = daysFrom(facts.firstTs, own);
    const isShort = typeof own === "number" || (typeof own === "string" && own.length <= SHORT_ID);
    const isKnown = isShort && (passes > 1 || DAY.test(String(own)));
    return {
      path: `the field ${path}`,
      value: isKnown ? own : value,
      ...(typeof given === "string" && MADE.test(given) && { id: given }),
      ...(days !== null && { days }),
    };
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
export const isWrite = (one: Exchange, run: Pick<RunEvidence, "bodies">): boolean =>
  CHANGING.has(one.method) && (!isOneForAll(one) || purposeOf(one, run) === "changes");

/** Whether a request is sent to read something. */
export const isRead = (one: Exchange, run: Pick<RunEvidence, "bodies">): boolean =>
  one.method === "GET" || (one.method === "POST" && isOneForAll(one) && purposeOf(one, run) === "reads");

/** The same as far as is known: an operation whose text the server has may do so. */
export const mayRead = (one: Exchange, run: Pick<RunEvidence, "bodies">): boolean =>
  one.method === "GET" || (isOneForAll(one) && !isWrite(one, run));

/** Whether a request is sent to store something, as far as is known. */
export const isStoring = (one: Exchange, run: Pick<RunEvidence, "bodies">): boolean =>
  STORING.has(one.method) && !isRead(one, run);

/** What is asked of an address that answers everything; null where that cannot be told. */
function purposeOf(one: Exchange, run: Pick<RunEvidence, "bodies">): "changes" | "reads" | null {
  const sent = requestBodyOf(one, run);
  if (sent === null) return "changes";
  const all = (Array.isArray(sent) ? sent : [sent]).map((each) => (isRecord(each) ? purposeIn(each) : null));
  return all.includes("changes") ? "changes" : all.every((each) => each === "reads") ? "reads" : null;
}

const purposeIn = ({ query, jsonrpc, method }: Record<string, unknown>): "changes" | "reads" | null =>
  typeof query === "string"
    ? /(?:^|[\s}])mutation\b/.test(query.slice(0, MOST_QUERY))
      ? "changes"
      : "reads"
    : jsonrpc !== undefined && typeof method === "string"
      ? purposeBy(method)
      : null;

const MOST_QUERY = 20_000;

/** What a request gives a server: its body, or what the operation that it asks for is given. What stands alone in there is that. */
export function givenIn(one: Exchange, run: Pick<RunEvidence, "bodies">): unknown {
  const sent = requestBodyOf(one, run);
  if (!isRecord(sent) || !isOneForAll(one)) return sent;
  const given = sent.variables ?? sent.params;
  const inner = isRecord(given) ? Object.values(given) : [];
  return inner.length === 1 && isRecord(inner[0]) ? inner[0] : given;
}

/** What an answer is of: its body, or the one thing that an operation was answered with. */
export function answeredWith(one: Exchange, { bodies }: Pick<RunEvidence, "bodies">): unknown {
  const body = jsonOf(bodyOf(one, bodies) ?? "");
  if (!isRecord(body) || !isOneForAll(one)) return body;
  const data = body.data ?? body.result;
  const inner = isRecord(data) ? Object.values(data) : [];
  return inner.length === 1 && isRecord(inner[0]) ? inner[0] : data;
}

/** The fields of a form. Of those that are made for each run, such as tokens against forgery, it is known only that they are there. */
function formOf(text: string, one: Exchange): Record<string, string | string[]> | undefined {
  const fields = fieldsOf(text, one)?.map(([name, value]): [string, string] => [
    name,
    SECRET.test(name) && value !== "" && !isNoValue(value) ? "<id>" : value,
  ]);
  if (fields === undefined) return undefined;
  const byName = Map.groupBy(fields, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, all]) => {
      const values = all.map(([, value]) => value);
      return [name, isList(name, values) ? values : values.at(-1)!];
    }),
  );
}

/** Whether a field of a form is sent for each of several things. What stands before a tick box says only that this is off, and the last one counts. */
const isList = (name: string, values: readonly string[]): boolean =>
  name.endsWith("[]") || values.length > 2 || (values.length === 2 && !OFF.test(values[0]!));

const OFF = /^(?:0|false|off|no|)$/i;

/** A moment in ms, by which pages get past caches. */
const MOMENT = /^1\d{12}$/;

/** What a request asks for in its query, as names and values. */
export const queryOf = ({ url }: Exchange): [string, string][] =>
  [...(URL.parse(url)?.searchParams ?? [])].filter(([, value]) => !MOMENT.test(value));

const MOST_VARIABLES = 60;

/** What a question asks for, as names and values: in its query, in the variables of its operation, or in its body. */
export function askedFor(one: Exchange, run: Pick<RunEvidence, "bodies">): [string, string][] {
  if (one.method === "GET") return queryOf(one);
  const sent = requestBodyOf(one, run);
  const ofOperation = isRecord(sent) ? (sent.variables ?? sent.params) : null;
  const given = isOneForAll(one) ? ofOperation : sent;
  return leavesOf(given)
    .slice(0, MOST_VARIABLES)
    .flatMap(({ path, value }): [string, string][] =>
      value === null
        ? []
        : [[path.split(".").findLast((part) => !/^\d+$/.test(part)) ?? path, String(value)]],
    );
}

/** Whether two questions are asked at one place, whatever they ask for there. */
export const isAskedAlike = (one: Exchange, other: Exchange): boolean =>
  pathOf(one.url) === pathOf(other.url) && one.operation === other.operation;

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
