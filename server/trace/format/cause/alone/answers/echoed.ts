import { answeredWith, givenIn, isStoring, SECRET } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isDateIn } from "../../values/dates.ts";
import { hasNumber } from "../../values/figures.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { aboutUrl, isTracker, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 5;
const LONGEST = 200;
const MOST_READ = 40;
/** Of a value that the step met in the place of the one that it wants. */
export const MET = 0.92;

/** A server that answers a write with another value under a name that the page had given it one for: it kept something else. */
export function detectEchoedOtherwise(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const writes = answersBefore(evidence, MOST, (one) => isStoring(one, run) && !isTracker(one.url));
  return writes.flatMap((one): Finding[] => {
    const answered = leavesOf(answeredWith(one, run));
    const other = leavesOf(givenIn(one, run)).flatMap((sent) => {
      const answer = answerTo(sent, answered);
      return answer && isOther(sent, answer) && !isElsewhere(sent, answer, answered)
        ? [{ sent, answer }]
        : [];
    });
    const [first] = other;
    // Of a request whose answer is about something else, nothing is the same.
    if (!first || other.length > 1) return [];
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(one, run.facts)} was sent with ${quoted(String(first.sent.value), 60)} for ${quoted(first.sent.path, 60)} and answered with ${quoted(String(first.answer.value), 60)}${isOld(evidence, one, first.answer) ? ", the old value: it was not kept" : ""}`,
        detail: null,
        step_id: one.step_id,
        events: one.requestSeq === null ? [one.seq] : [one.seq, one.requestSeq],
        ts: one.end ?? one.ts,
        is_new: null,
        weight: isMetAsDate(evidence, first)
          ? 0.95
          : isMet(evidence, first)
            ? MET
            : isSought(evidence, first) && !isAdded(evidence, one, first)
              ? 0.8
              : 0.4,
        about: aboutUrl(one.url, run.facts, one.operation),
        ...((isMetAsDate(evidence, first) ||
          (isMet(evidence, first) && hourIn(String(first.sent.value)) !== null)) && { isOfTime: true }),
      },
    ];
  });
}

/** Whether an answer had said the same of the thing before it was written to. */
const isOld = (evidence: Evidence, write: Exchange, { path, value }: Leaf): boolean =>
  answersBefore(
    evidence,
    MOST_READ,
    ({ method, url, ts }) => method === "GET" && ts < write.ts && pathOf(url) === pathOf(write.url),
  ).some((read) => {
    const said = answerTo({ path, value }, leavesOf(answeredWith(read, evidence.run)));
    return said?.value === value;
  });

/** Whether the answer may be a sum that what was sent was added to, and which the test did not meet. */
const isAdded = (
  { failed }: Evidence,
  { method }: Exchange,
  { sent, answer }: { sent: Leaf; answer: Leaf },
): boolean =>
  method === "POST" &&
  Number(sent.value) > 0 &&
  Number(answer.value) > Number(sent.value) &&
  !hasNumber(failed.received ?? "", Number(answer.value));

/** What an answer says under the same name; it may wrap the thing that it is of. */
function answerTo({ path: asked }: Leaf, answered: readonly Leaf[]): Leaf | undefined {
  const same = answered.find(({ path }) => path === asked);
  const [wrapped, ...others] = answered.filter(
    ({ path }) => path.endsWith(`.${asked}`) && /^[a-z_]+$/i.test(path.slice(0, -asked.length - 1)),
  );
  return same ?? (others.length === 0 ? wrapped : undefined);
}

/** Whether the test wants the one value and met the other in its place. */
function isMet({ failed }: Evidence, { sent, answer }: { sent: Leaf; answer: Leaf }): boolean {
  const [want, got] = [failed.expected ?? "", failed.received ?? ""];
  const [mine, theirs] = [sent, answer].map(({ value }) => hourIn(String(value)) ?? String(value)) as [
    string,
    string,
  ];
  const isText = typeof sent.value === "string" && mine.length >= SHORTEST && theirs.length >= SHORTEST;
  return (
    isText && want.includes(mine) && !got.includes(mine) && got.includes(theirs) && !want.includes(theirs)
  );
}

const SHORTEST = 2;

/** Whether the test wants the day that was sent, however pages write it, and met the one of the answer. */
function isMetAsDate({ failed }: Evidence, { sent, answer }: { sent: Leaf; answer: Leaf }): boolean {
  const [want, got] = [failed.expected ?? "", failed.received ?? ""];
  const isIn = ({ value }: Leaf, text: string) => typeof value === "string" && isDateIn(value, text);
  return isIn(sent, want) && !isIn(sent, got) && isIn(answer, got) && !isIn(answer, want);
}

/** Whether the thing of the answer has a number that was sent by another name, beside one of its own by that name. */
function isElsewhere({ value }: Leaf, { path }: Leaf, answered: readonly Leaf[]): boolean {
  const around = path.slice(0, path.lastIndexOf(".") + 1);
  return (
    typeof value === "number" &&
    around !== "" &&
    answered.some(
      (leaf) => leaf.value === value && leaf.path.slice(0, leaf.path.lastIndexOf(".") + 1) === around,
    )
  );
}

/** The hour of a moment, as tests that run in no other zone read it. */
const hourIn = (value: string): string | null => /^\d{4}-\d\d-\d\dT(\d\d:\d\d)/.exec(value)?.[1] ?? null;

/** Whether the failed step speaks of either value, or of the name: answers have a status and a message of their own too. */
function isSought({ failed }: Evidence, { sent, answer }: { sent: Leaf; answer: Leaf }): boolean {
  const words =
    `${failed.title} ${failed.message} ${failed.expected ?? ""} ${failed.received ?? ""}`.toLowerCase();
  const said = new Set(words.match(/[\p{L}\p{N}]+/gu));
  const name = sent.path.split(".").at(-1)!;
  return [sent.value, answer.value, name].some((one) => {
    const text = String(one).toLowerCase();
    return said.has(text) || (text.length > 3 && words.includes(text));
  });
}

/** Servers trim, spell and shorten what they keep. */
function isOther({ path, value: sent }: Leaf, { value: answer }: Leaf): boolean {
  if (sent === null || answer === null || SECRET.test(path) || /(?:^|\.)(?:id|_?version|rev)$/i.test(path))
    return false;
  const [mine, theirs] = [sent, answer].map((value) => String(value).trim().toLowerCase()) as [
    string,
    string,
  ];
  if (mine === "" || theirs === "" || mine.length > LONGEST) return false;
  const isText = typeof sent === "string" && typeof answer === "string";
  return isText ? !mine.includes(theirs) && !theirs.includes(mine) : mine !== theirs;
}
