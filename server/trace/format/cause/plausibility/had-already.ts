import { isWrite, requestBodyOf } from "../exchanges/sent.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Evidence, RunEvidence } from "../types.ts";
import { isIdAt, jsonOf, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, pathOf, quoted, requestOf } from "../words.ts";
import { all, atLeast, type Rule, say } from "./rule.ts";

const ALREADY = /\balready\b|\bexists\b|\bduplicate\b|\btaken\b|\bin use\b|\bconflict\b/i;
/** Shorter ones stand in many answers by chance. */
const SHORTEST = 3;
const MOST_READS = 40;

/** What was refused since it is there already is told with the answer that had it before. */
export const hadAlready: Rule = (finding, { evidence }) => {
  const { kind, is_new, title, status, events } = finding;
  if (kind !== "request_failed" || is_new === false || !(ALREADY.test(title) || status === 409)) return null;
  const { facts } = evidence.run;
  const write = facts.exchanges.find(({ seq }) => seq === events[0]);
  const had = write && isWrite(write, evidence.run) ? hadBefore(write, title, evidence) : null;
  if (!had) return null;
  const { read, leaf } = had;
  const words = `${requestOf(read, facts)} had ${quoted(String(leaf.value), 60)} for ${quoted(leaf.path, 60)} already, before that was sent`;
  return all(say(words, read.seq), ...(is_new ? [atLeast(0.95)] : []));
};

/** The first read that has a value which a write was refused for, of the same thing or list, and that no pass's has. */
function hadBefore(write: Exchange, said: string, evidence: Evidence): { read: Exchange; leaf: Leaf } | null {
  const { run, passes } = evidence;
  const sent = leavesOf(requestBodyOf(write, run));
  const values = new Set(sent.flatMap(({ path, value }) => (isTold(value, path, said) ? [value] : [])));
  if (values.size === 0) return null;
  const isGiven = (one: Exchange) =>
    leavesOf(requestBodyOf(one, run)).some(({ value }) => values.has(value as string));
  const before = run.facts.exchanges.filter((one) => (one.end ?? one.ts) < write.ts);
  if (before.some((one) => one.status !== null && one.status < 400 && isWrite(one, run) && isGiven(one)))
    return null;
  for (const read of lastOf(before, MOST_READS, (one) => !isWrite(one, run) && one.status === 200)) {
    const leaf = isOfSame(read, write, sent, run) ? leafIn(read, values, run) : undefined;
    if (leaf && !passes.some((pass) => hasIt(pass, exchangeKey(read, run.facts), values)))
      return { read, leaf };
  }
  return null;
}

const isTold = (value: unknown, path: string, said: string): value is string =>
  typeof value === "string" && value.length >= SHORTEST && !isIdAt(path) && said.includes(value);

/** Whether what is read is the thing that the write is about, by its id, or the list that it adds to. */
function isOfSame(read: Exchange, write: Exchange, sent: readonly Leaf[], run: RunEvidence): boolean {
  const ids = sent.flatMap(({ path, value }) => (isIdAt(path) && typeof value === "string" ? [value] : []));
  const body = bodyOf(read, run.bodies) ?? "";
  return ids.length > 0
    ? ids.some((id) => body.includes(`"${id}"`))
    : write.operation === null && pathOf(write.url).startsWith(pathOf(read.url));
}

const leafIn = (read: Exchange, values: ReadonlySet<string>, { bodies }: RunEvidence): Leaf | undefined =>
  leavesOf(jsonOf(bodyOf(read, bodies) ?? "")).find(({ value }) => values.has(value as string));

const hasIt = (pass: RunEvidence, key: string, values: ReadonlySet<string>): boolean =>
  exchangesOf(pass.facts, key)
    .slice(0, 1)
    .some((one) => leafIn(one, values, pass) !== undefined);
