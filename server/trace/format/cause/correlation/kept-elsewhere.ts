import { holds, soughtBy } from "../alone/requests/sought.ts";
import { isNew } from "../compare.ts";
import { isAfter } from "../detectors/answers/behind-write.ts";
import { askedFor, isRead, isWrite, requestBodyOf, STORING } from "../exchanges/sent.ts";
import { isFailedExchange } from "../run/failed-exchange.ts";
import { exchangeKey, exchangesOf } from "../run/keys.ts";
import type { Exchange } from "../run/run-facts.ts";
import { answersBefore } from "../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../types.ts";
import { isRecord, jsonOf, type Leaf, leavesOf } from "../values/json-leaves.ts";
import { aboutUrl, bareOf, bodyOf, pathOf, quoted, requestOf } from "../words.ts";

const MOST_ANSWERS = 60;
const MOST_WRITES = 5;
const MOST_VALUES = 200;
const SHORTEST = 2;

/**
 * A write that answered with another value for a field than the one by which the list is asked for in which the step looks for what
 * was written: it was kept in another place.
 */
export function detectKeptElsewhere(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const answers = answersBefore(evidence, MOST_ANSWERS);
  const writes = answers.filter((one) => STORING.has(one.method) && isWrite(one, run)).slice(-MOST_WRITES);
  for (const write of writes.toReversed()) {
    const reads = answers.filter((one) => isRead(one, run) && isAfter(one, write) && isOfOnePath(one, write));
    const read = reads.findLast((one) => askedFor(one, run).length > 0);
    const other = read && isMissed(evidence, write, read) ? otherPlace(write, read, run) : undefined;
    if (read && other) return [findingOf(evidence, { write, read, other })];
  }
  return [];
}

interface Kept {
  write: Exchange;
  read: Exchange;
  /** The field of the write's answer, with the value by which it was asked for. */
  other: Leaf & { asked: string };
}

function findingOf(evidence: Evidence, { write, read, other: { path, value, asked } }: Kept): Finding {
  const { run } = evidence;
  const key = exchangeKey(write, run.facts);
  const hasSame = (pass: RunEvidence) =>
    exchangesOf(pass.facts, key).some((one) =>
      dataOf(one, pass).some((leaf) => leaf.path === path && leaf.value === value),
    );
  const isSent = leavesOf(requestBodyOf(write, run)).some((leaf) => String(leaf.value) === asked);
  return {
    kind: "answer_changed",
    title: `${requestOf(write, run.facts)} answered ${quoted(String(value), 60)} for ${quoted(path, 60)}${isSent ? `, though it was sent with ${quoted(asked, 60)}` : ""}, so that ${requestOf(read, run.facts)}, asked after it, came without what it had made`,
    detail: null,
    step_id: write.step_id,
    events: [write.seq, read.seq],
    ts: read.end ?? read.ts,
    is_new: isNew(evidence, hasSame),
    weight: isSent || evidence.passes.length > 0 ? 0.97 : 0.9,
    about: aboutUrl(write.url, run.facts, write.operation),
  };
}

/** Whether a list is of what a write makes: its address is the one that was written to, or lies around it. */
const isOfOnePath = (read: Exchange, write: Exchange): boolean =>
  pathOf(write.url) === pathOf(read.url) || pathOf(write.url).startsWith(`${pathOf(read.url)}/`);

/** The field of a write's answer that a list was asked by, where it has another value of the same form. */
function otherPlace(write: Exchange, read: Exchange, run: RunEvidence): Kept["other"] | undefined {
  const said = dataOf(write, run);
  for (const [name, asked] of askedFor(read, run)) {
    const leaf = said.find(({ path }) => (path.split(".").at(-1) ?? "").toLowerCase() === name.toLowerCase());
    if (leaf && asked.length >= SHORTEST && isOther(leaf.value, asked)) return { ...leaf, asked };
  }
  return undefined;
}

/** A number may be a page of a list, and a yes or no what is left out of it. */
const isOther = (value: unknown, asked: string): boolean =>
  typeof value === "string" &&
  value.toLowerCase() !== asked.toLowerCase() &&
  /^\d{4}-/.test(value) === /^\d{4}-/.test(asked) &&
  !value.startsWith(asked) &&
  /^[\p{L}\d][\p{L}\d _-]*$/u.test(value) &&
  /^[\p{L}\d][\p{L}\d _-]*$/u.test(asked);

/** Whether the step looks for what was written, in a list that has it not. */
function isMissed(evidence: Evidence, write: Exchange, read: Exchange): boolean {
  const { run, failed } = evidence;
  const body = bodyOf(read, run.bodies);
  if (body === undefined || isFailedExchange(read)) return false;
  const [want, got] = [bareOf(failed.expected ?? ""), bareOf(failed.received ?? "")].map(Number);
  if (/toHaveCount/.test(`${failed.title} ${failed.message}`))
    return want === got! + 1 && countsIn(jsonOf(body)).includes(got!);
  const sought = soughtBy(evidence)?.text;
  return (
    sought !== undefined &&
    !holds(body, sought) &&
    leavesOf(requestBodyOf(write, run)).some(
      ({ value }) =>
        typeof value === "string" && value.length >= SHORTEST && value.toLowerCase() === sought.toLowerCase(),
    )
  );
}

/** How many items the lists of an answer have. */
function countsIn(data: unknown): number[] {
  const parts = Array.isArray(data) ? [data] : isRecord(data) ? Object.values(data) : [];
  return parts.filter(Array.isArray).map((list) => list.length);
}

const dataOf = (one: Exchange, { bodies }: RunEvidence): Leaf[] =>
  leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).slice(0, MOST_VALUES);
