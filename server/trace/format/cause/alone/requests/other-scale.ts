import { answeredWith, givenIn, isRead, isStoring } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding, RunEvidence } from "../../types.ts";
import { SCALES } from "../../values/figures.ts";
import { type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { isForeign, pathOf, quoted, requestOf } from "../../words.ts";

const MOST = 60;
const FEWEST = 2;

/** A write that has the very values which its address had answered, and all of them in another unit: euros for cents. */
export function detectOtherScale(evidence: Evidence): Finding[] {
  const { run } = evidence;
  const { facts } = run;
  const answers = answersBefore(evidence, MOST, (one) => one.type !== "api" && !isForeign(one.url, facts));
  for (const write of answers.filter((one) => isStoring(one, run)).toReversed()) {
    const read = answers.findLast(
      (one) =>
        isRead(one, run) &&
        one.ts < write.ts &&
        pathOf(one.url) === pathOf(write.url) &&
        numbersBoth(one, write, run).length > 0,
    );
    const scaled = read ? scaledIn(read, write, run) : null;
    if (!read || !scaled) continue;
    const { leaf, before, words, others } = scaled;
    return [
      {
        kind: "page_changed",
        title: `${requestOf(write, facts)} was sent with ${quoted(String(leaf.value), 30)} for ${quoted(leaf.path, 60)}, which ${requestOf(read, facts)} had answered as ${quoted(String(before), 30)}, and with ${others === 1 ? "one more value" : `${others} more values`} that ${others === 1 ? "is" : "are"} ${words} what ${others === 1 ? "it" : "they"} had been: it was sent in another unit than it is read in`,
        detail: null,
        step_id: write.step_id,
        events: [write.requestSeq ?? write.seq, read.seq],
        ts: write.ts,
        is_new: null,
        weight: 0.94,
        about: `body ${write.seq}`,
      },
    ];
  }
  return [];
}

interface Scaled {
  leaf: Leaf;
  before: number;
  words: string;
  others: number;
}

/** By what most of the numbers of a write differ from those that were read; null where one of them is as it was. */
function scaledIn(read: Exchange, write: Exchange, run: RunEvidence): Scaled | null {
  const pairs = numbersBoth(read, write, run);
  if (pairs.some(({ ratio }) => ratio === 1)) return null;
  for (const { factor, part, times } of SCALES)
    for (const [ratio, words] of [
      [factor, part],
      [1 / factor, times],
    ] as const) {
      const alike = pairs.filter((pair) => Math.abs(pair.ratio / ratio - 1) < 1e-9);
      const [first] = alike;
      if (first && alike.length >= FEWEST && alike.length > pairs.length / 2)
        return { ...first, words, others: alike.length - 1 };
    }
  return null;
}

/** The numbers that a write has where the answer before it had some. */
function numbersBoth(read: Exchange, write: Exchange, run: RunEvidence) {
  const known = new Map(leavesOf(answeredWith(read, run)).map(({ path, value }) => [path, value]));
  return leavesOf(givenIn(write, run)).flatMap((leaf) => {
    const before = known.get(leaf.path);
    return typeof before === "number" && typeof leaf.value === "number" && before !== 0 && leaf.value !== 0
      ? [{ leaf, before, ratio: before / leaf.value }]
      : [];
  });
}
