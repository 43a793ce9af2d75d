import { answerFinding } from "../../exchanges/answer-finding.ts";
import { givenIn, isStoring } from "../../exchanges/sent.ts";
import type { Exchange } from "../../run/run-facts.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { isIdAt, jsonOf, type Leaf, leavesOf } from "../../values/json-leaves.ts";
import { bareOf, bodyOf, isTracker, quoted, requestOf } from "../../words.ts";

const MOST_ANSWERS = 30;

/** A number that was to be taken away and was added, or the other way round: the page shows it as far from what there was before as the test wants it, on the other side. */
export function detectLostSign(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const [want, got] = [failed.expected, failed.received].map((text) => numberIn(bareOf(text ?? "")));
  if (want == null || got == null || want === got) return [];
  const change = (want - got) / 2;
  const before = got + change;
  const answers = answersBefore(evidence, MOST_ANSWERS);
  const had = (one: Exchange, value: number): Leaf[] =>
    leavesOf(jsonOf(bodyOf(one, run.bodies) ?? "")).filter(
      (leaf) => leaf.value === value && !isIdAt(leaf.path),
    );
  const writes = answers.filter((one) => isStoring(one, run) && !isTracker(one.url));
  for (const write of writes.toReversed()) {
    const sent = leavesOf(givenIn(write, run)).find(({ value }) => value === change);
    const kept = sent && answers.find((one) => one.ts >= write.ts && had(one, got).length > 0);
    if (!sent || !kept) continue;
    const names = answers
      .filter((one) => one.ts < write.ts)
      .flatMap((one) => had(one, before).map(({ path }) => nameOf(path)));
    const place = had(kept, got).find(({ path }) => names.includes(nameOf(path)))?.path;
    if (place === undefined) continue;
    const told = kept === write ? "answered" : `${requestOf(kept, run.facts)} then answered`;
    return [
      answerFinding(
        evidence,
        write,
        `${requestOf(write, run.facts)} was sent with ${quoted(String(change), 30)} for ${quoted(sent.path, 60)}, and ${told} with ${quoted(String(got), 30)} for ${quoted(place, 60)}, which had been ${quoted(String(before), 30)}: it was ${change < 0 ? "added instead of taken away" : "taken away instead of added"}`,
        0.95,
      ),
    ];
  }
  return [];
}

const numberIn = (text: string): number | null => (/^-?\d{1,9}$/.test(text) ? Number(text) : null);
const nameOf = (path: string): string => path.split(".").at(-1)!;
