import { isStoring, requestBodyOf, SECRET } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isDateIn } from "../../values/dates.ts";
import { jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, bodyOf, quoted, requestOf } from "../../words.ts";
import { isBeside } from "../beside.ts";
import { holds } from "../requests/sought.ts";

const MOST_WRITES = 5;
const MOST_ANSWERS = 20;
const SHORTEST = 3;

interface Named {
  write: Exchange;
  sent: Leaf;
  answer: Exchange;
  got: Leaf;
}

/** A value that the page sent by one name and got back by another way of writing it, where it shows nothing of it: `dueDate`, `due_date`. */
export function detectNamedOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const named = namedOtherwise(evidence);
  if (named === null) return [];
  const { write, sent, answer, got } = named;
  return [
    {
      kind: "answer_changed",
      title: `${requestOf(answer, facts)} answered ${quoted(String(got.value), 40)} for ${quoted(got.path, 60)}, which ${requestOf(write, facts)} had sent as ${quoted(sent.path, 60)}: by that name the page finds nothing`,
      detail: null,
      step_id: answer.step_id,
      events: [answer.seq, write.requestSeq ?? write.seq],
      ts: answer.end ?? answer.ts,
      is_new: null,
      weight: 0.92,
      about: aboutUrl(answer.url, facts, answer.operation),
    },
  ];
}

function namedOtherwise(evidence: Evidence): Named | null {
  const { run } = evidence;
  const writes = answersBefore(evidence, MOST_WRITES, (one) => isStoring(one, run) && !isBeside(one));
  const answers = answersBefore(evidence, MOST_ANSWERS, ({ type }) => /^(?:xhr|fetch)$/.test(type ?? ""));
  for (const write of writes.toReversed())
    for (const sent of leavesOf(requestBodyOf(write, run)).filter((leaf) => isMissed(evidence, leaf)))
      for (const answer of answers.toReversed().filter(({ ts }) => ts >= write.ts)) {
        const got = otherNameIn(leavesOf(jsonOf(bodyOf(answer, run.bodies) ?? "")), sent);
        if (got !== null) return { write, sent, answer, got };
      }
  return null;
}

/** Whether the test wants a value and the page does not show it. */
function isMissed({ failed }: Evidence, { path, value }: Leaf): boolean {
  const [want, got] = [failed.expected ?? "", failed.received];
  if (got === null || typeof value !== "string" || value.length < SHORTEST || SECRET.test(path)) return false;
  return (holds(want, value) && !holds(got, value)) || (isDateIn(value, want) && !isDateIn(value, got));
}

/** The same value by the same words, of which none but the way to write them is another. What writes all its names so is meant to. */
function otherNameIn(leaves: readonly Leaf[], { path, value }: Leaf): Leaf | null {
  const name = lastName(path);
  if (leaves.some((leaf) => lastName(leaf.path) === name)) return null;
  const got = leaves.find((leaf) => leaf.value === value && isSameWords(lastName(leaf.path), name));
  const style = got && styleOf(lastName(got.path));
  const isUsual = leaves.some((leaf) => {
    const other = lastName(leaf.path);
    return got !== undefined && other !== lastName(got.path) && styleOf(other) === style;
  });
  return got && !isUsual ? got : null;
}

const lastName = (path: string): string => path.split(".").at(-1)!;

const isSameWords = (one: string, other: string): boolean =>
  one !== other && one.replace(/[_-]/g, "").toLowerCase() === other.replace(/[_-]/g, "").toLowerCase();

/** How a name of several words is written; of one word it cannot be told. */
const styleOf = (name: string): string =>
  name.includes("_") ? "_" : name.includes("-") ? "-" : /[a-z][A-Z]/.test(name) ? "aA" : name;
