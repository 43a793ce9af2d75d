import { answerFinding } from "../../exchanges/answer-finding.ts";
import { givenIn, isStoring } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { hasNumber } from "../../values/figures.ts";
import { isIdAt, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isTracker, quoted, requestOf } from "../../words.ts";
import { isRefusedBy } from "../requests/refused.ts";

const MOST_ANSWERS = 30;
const MOST_WRITES = 5;
/** One more or less there is by chance. */
const FEWEST = 2;

/**
 * A number that was to be changed by what a write was sent with, and was changed by something else: taken away where it was to be added,
 * added twice, joined to it as a text, or not at all. What there was before and what there is since stand under one name.
 */
export function detectWrongChange(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const want = numberOf(bareOf(failed.expected ?? ""));
  const got = bareOf(failed.received ?? "");
  if (want === null || got === "" || hasNumber(got, want)) return [];
  const answers = answersBefore(evidence, MOST_ANSWERS, ({ url }) => !isTracker(url));
  const writes = answers.filter((one) => isStoring(one, run) && !isRefusedBy(one, run));
  for (const write of writes.slice(-MOST_WRITES).toReversed())
    for (const sent of leavesOf(givenIn(write, run))) {
      const by = isIdAt(sent.path) ? null : numberOf(String(sent.value));
      if (by === null || by === 0) continue;
      const same = writes.filter((one) => isSame(one, write, run));
      const told = toldOf(evidence, { answers, write, same, sent, by, before: want - by, got });
      if (told !== null)
        return [
          answerFinding(evidence, write, `${told}, where the test wants ${quoted(String(want), 30)}`, 0.95),
        ];
    }
  return [];
}

interface Change {
  answers: readonly Exchange[];
  write: Exchange;
  /** The write, and others that were sent with the very same. */
  same: readonly Exchange[];
  sent: Leaf;
  by: number;
  before: number;
  got: string;
}

function toldOf(evidence: Evidence, change: Change): string | null {
  const { run } = evidence;
  const { answers, write, same, sent, by, before, got } = change;
  const first = same[0] ?? write;
  const names = new Set(answers.flatMap((one) => (one.ts < first.ts ? namesOf(one, before, evidence) : [])));
  if (names.size === 0) return null;
  const after = (value: number | string) =>
    answers.flatMap((one) =>
      one.ts < write.ts
        ? []
        : answeredIn(one, evidence).flatMap((leaf) =>
            String(leaf.value) === String(value) && names.has(nameOf(leaf.path)) ? [{ one, leaf }] : [],
          ),
    )[0];
  const request = requestOf(write, run.facts);
  for (const { now, how } of [
    {
      now: before - by,
      how: `it was ${by < 0 ? "added instead of taken away" : "taken away instead of added"}`,
    },
    { now: before + 2 * by, how: by < 0 ? "it was taken away twice" : "it was added twice" },
    { now: `${before}${by}`, how: "the two were joined as text instead of added" },
  ]) {
    const kept = hasNumber(got, Number(now)) ? after(now) : undefined;
    if (!kept) continue;
    const answered = kept.one === write ? "answered" : `${requestOf(kept.one, run.facts)} then answered`;
    return `${request} was sent ${same.length > 1 ? `${same.length === 2 ? "twice" : `${same.length} times`} ` : ""}with ${quoted(String(sent.value), 30)} for ${quoted(sent.path, 60)}, and ${answered} with ${quoted(String(now), 30)} for ${quoted(kept.leaf.path, 60)}, which had been ${quoted(String(before), 30)}: ${how}`;
  }
  const isRead =
    after(before) !== undefined || answers.some(({ type, ts }) => type === "document" && ts > write.ts);
  return Math.abs(by) >= FEWEST && isRead && got === String(before)
    ? `${request} was sent with ${quoted(String(sent.value), 30)} for ${quoted(sent.path, 60)} and answered with ${write.status}, but ${targetOf(evidence) || "the page"} still has ${quoted(got, 30)}, as before: it was not ${by < 0 ? "taken away" : "added"}`
    : null;
}

const isSame = (one: Exchange, other: Exchange, run: Evidence["run"]): boolean =>
  one.method === other.method &&
  one.url === other.url &&
  JSON.stringify(givenIn(one, run)) === JSON.stringify(givenIn(other, run));

/** The names under which a number stands in what was answered, or sent before. */
const namesOf = (one: Exchange, value: number, evidence: Evidence): string[] =>
  [
    ...answeredIn(one, evidence),
    ...(isStoring(one, evidence.run) ? leavesOf(givenIn(one, evidence.run)) : []),
  ]
    .filter((leaf) => numberOf(String(leaf.value)) === value && !isIdAt(leaf.path))
    .map(({ path }) => nameOf(path));

const answeredIn = (one: Exchange, { run }: Evidence): Leaf[] =>
  leavesOf(jsonOf(bodyOf(one, run.bodies) ?? ""));

const numberOf = (text: string): number | null => (/^-?\d{1,9}$/.test(text) ? Number(text) : null);
const nameOf = (path: string): string => path.split(".").at(-1)!;
