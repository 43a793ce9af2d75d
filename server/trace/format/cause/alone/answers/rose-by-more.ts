import { isRead } from "../../exchanges/sent.ts";
import { targetOf } from "../../page/target.ts";
import { answersBefore } from "../../run/select.ts";
import type { Evidence, Finding } from "../../types.ts";
import { jsonOf, leavesOf } from "../../values/json-leaves.ts";
import { isShared, wordsIn } from "../../word-families.ts";
import { aboutUrl, bareOf, bodyOf, quoted, requestOf } from "../../words.ts";
import { ownWrites } from "./there-before.ts";

const MOST = 60;

/** A count that is more than an answer had before and this run has sent since: something else added to it meanwhile, or it was stored more than once. */
export function detectRoseByMore(evidence: Evidence): Finding[] {
  const { run, failed } = evidence;
  const counts = otherCount(bareOf(failed.expected ?? ""), bareOf(failed.received ?? ""));
  if (!counts || counts.got <= counts.want) return [];
  const looked = wordsIn(`${targetOf(evidence)} ${failed.expected}`);
  const writes = ownWrites(evidence);
  for (const before of answersBefore(evidence, MOST, (one) => isRead(one, run)).toReversed()) {
    const sent = writes.filter(({ ts }) => ts >= (before.end ?? before.ts));
    const last = sent.at(-1);
    const was = last
      ? leavesOf(jsonOf(bodyOf(before, run.bodies) ?? "")).find(
          ({ path, value }) =>
            value === counts.want - sent.length && isShared(looked, wordsIn(path.split(".").at(-1)!)),
        )
      : undefined;
    if (!last || !was) continue;
    return [
      {
        kind: "answer_changed",
        title: `${requestOf(before, run.facts)} answered ${quoted(String(was.value), 20)} for ${quoted(was.path, 60)} before ${requestOf(last, run.facts)}, and the page shows ${counts.got} after it: more than this run had sent (${sent.length}), so something else was added meanwhile, or it was stored more than once`,
        detail: null,
        step_id: before.step_id,
        events: [before.seq, last.seq],
        ts: failed.from,
        is_new: null,
        weight: 0.84,
        about: aboutUrl(before.url, run.facts, before.operation),
      },
    ];
  }
  return [];
}

/** The one whole number in which two texts differ; null where they differ elsewhere too. */
function otherCount(want: string, got: string): { want: number; got: number } | null {
  const [mine, theirs] = [want, got].map((text) => text.split(/(\d+)/)) as [string[], string[]];
  const others = mine.flatMap((part, at) => (part === theirs[at] ? [] : [at]));
  const [at] = others;
  const isCount = at !== undefined && others.length === 1 && mine.length === theirs.length && at % 2 === 1;
  return isCount ? { want: Number(mine[at]), got: Number(theirs[at]) } : null;
}
