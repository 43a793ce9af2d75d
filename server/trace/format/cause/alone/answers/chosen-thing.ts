import { answerFinding } from "../../exchanges/answer-finding.ts";
import { answeredWith, givenIn, isStoring, requestText } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isIdAt, isRecord, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isTracker, pathOf, quoted, requestOf } from "../../words.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST = 40;
const MOST_WRITES = 5;
const SHORTEST = 3;

/** A write that was sent with the id of the thing which the test then looks for by its name, and answered with nothing in the place of it. */
export function detectChosenNotTaken(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const name = bareOf(evidence.failed.expected ?? "");
  for (const write of writesFor(evidence, name)) {
    const ids = idsOf(evidence, name, write);
    const sent = leavesOf(givenIn(write, run)).find(({ value }) => ids.has(String(value)));
    const answer = leavesOf(answeredWith(write, run));
    const empty = sent && emptiedIn(answer, sent);
    if (!sent || !empty) continue;
    return [
      answerFinding(
        evidence,
        write,
        `${requestOf(write, run.facts)} was sent with ${quoted(String(sent.value), 40)} (${quoted(name, 40)}) for ${quoted(sent.path, 40)} and answered with “null” for ${quoted(empty.name, 40)}${empty.of}: it was not applied`,
        0.9,
      ),
    ];
  }
  return [];
}

/** What was stored before a step that looks for something by its name, the last one first. */
function writesFor(evidence: Evidence, name: string): Exchange[] {
  const { run, failed } = evidence;
  if (name.length < SHORTEST || failed.received === null) return [];
  return answersBefore(
    evidence,
    MOST_WRITES,
    (one) => isStoring(one, run) && !isTracker(one.url) && !isRefusedBy(one, run),
  ).toReversed();
}

/** A write that was sent with nothing for a field that is called as the thing which the test then looks for, and whose id an answer had brought: the upload's `attachment`, `attachmentIds: []`. */
export function detectChosenLeftOut(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const name = bareOf(evidence.failed.expected ?? "");
  for (const write of writesFor(evidence, name)) {
    const given = givenIn(write, run);
    for (const [field, value] of Object.entries(isRecord(given) ? given : {})) {
      const stem = STEM.exec(field)?.[1]?.toLowerCase();
      if (stem === undefined || !(value === null || (Array.isArray(value) && value.length === 0))) continue;
      const bringer = answersBefore(evidence, MOST, ({ ts }) => ts < write.ts).findLast(
        (one) =>
          (bodyOf(one, run.bodies) ?? "").includes(name) &&
          `${pathOf(one.url)} ${one.operation} ${bodyOf(one, run.bodies)}`.toLowerCase().includes(stem),
      );
      const [id] = bringer ? idsOf(evidence, name, write) : [];
      if (!bringer || id === undefined || requestText(write, run.bodies).includes(id)) continue;
      return [
        answerFinding(
          evidence,
          write,
          `${requestOf(write, run.facts)} was sent with ${value === null ? "“null”" : "an empty list"} for ${quoted(field, 40)}, though ${requestOf(bringer, run.facts)} had answered ${quoted(id, 40)} for ${quoted(name, 40)}: its id was not sent`,
          0.92,
        ),
      ];
    }
  }
  return [];
}

/** What a field is of that has ids: of `attachmentIds` that is `attachment`. */
const STEM = /^(\w{4,40}?)_?[Ii]ds?$/;

/** The ids of what answers before a write call by that name. */
function idsOf(evidence: Evidence, name: string, write: Exchange): Set<string> {
  const { bodies } = evidence.run;
  const ids = new Set<string>();
  for (const one of answersBefore(evidence, MOST, ({ ts }) => ts < write.ts)) {
    const body = bodyOf(one, bodies) ?? "";
    if (!body.includes(name)) continue;
    const leaves = leavesOf(jsonOf(body));
    const called = new Set(leaves.flatMap(({ path, value }) => (value === name ? [parentOf(path)] : [])));
    for (const { path, value } of leaves)
      if (/(?:^|\.)id$/.test(path) && called.has(parentOf(path)) && value !== null) ids.add(String(value));
  }
  return ids;
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));
const nameOf = (path: string): string => path.split(".").at(-1)!;

/** The one field of an answer that is null, in its one thing or in some of its things, and that may stand for what was sent. */
function emptiedIn(answer: readonly Leaf[], sent: Leaf): { name: string; of: string } | null {
  const nulls = answer.filter(({ value }) => value === null);
  const [name, ...others] = new Set(nulls.map(({ path }) => nameOf(path)));
  if (name === undefined || others.length > 0 || !isIdAt(sent.path)) return null;
  const taken = answer.filter(({ value }) => value === sent.value).map(({ path }) => nameOf(parentOf(path)));
  const isOfSame = nulls.every(({ path }) => taken.length === 0 || taken.includes(nameOf(path)));
  const count = nulls.length + taken.length;
  return isOfSame ? { name, of: count > 1 ? ` of ${nulls.length} of ${count} things` : "" } : null;
}
