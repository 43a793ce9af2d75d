import { isWrite } from "../exchanges/sent.ts";
import { oncePer } from "../once.ts";
import type { Exchange } from "../run/run-facts.ts";
import { lastOf } from "../run/select.ts";
import type { Finding, RunEvidence } from "../types.ts";
import { jsonOf, leavesOf } from "../values/json-leaves.ts";
import { bodyOf, pathOf } from "../words.ts";
import { isBehind, isOfRead } from "./one-thing.ts";
import { atLeast, explained, type Rule } from "./rule.ts";
import type { Scene } from "./scene.ts";

const MOST_WRITES = 40;
/** A shorter one stands in an answer for other reasons. */
const SHORTEST_ID = 3;

/** What a job did less, or more, than in the passes is what is read later by as much: an import of two of three lines, and a list of 44 in the place of 45. */
export const byAsMuch: Rule = (finding, scene) => {
  if (gapOf(finding) === null) return null;
  const { news } = scene;
  if (isOfJob(finding, scene)) return news.some((read) => isApart(finding, read)) ? atLeast(0.95) : null;
  return news.some((job) => isApart(job, finding) && isOfJob(job, scene)) ? explained : null;
};

/** Whether a later answer differs from the passes' by as much as an earlier one of something else. */
const isApart = (job: Finding, read: Finding): boolean =>
  job.about !== read.about && isBehind(job, read) && gapOf(job) !== null && gapOf(job) === gapOf(read);

/** By how much a number that was read differs from the last pass's; null of anything else. */
function gapOf(finding: Finding): number | null {
  if (finding.is_new !== true || !isOfRead(finding)) return null;
  const [, now, before] = NUMBERS.exec(finding.title) ?? [];
  return now === undefined ? null : Number(now) - Number(before);
}

const NUMBERS = / answered “(\d{1,9})” for “[^“”]{1,200}”, where the last pass had “(\d{1,9})”/;

/** Whether it was asked for by the id that the answer to a write had given: what came of that write. */
const isOfJob = ({ events }: Finding, { evidence: { run } }: Scene): boolean => {
  const read = run.facts.exchanges.find(({ seq }) => seq === events[0]);
  const id = read && pathOf(read.url).split("/").at(-1)!;
  return (
    id !== undefined &&
    id.length >= SHORTEST_ID &&
    /\d/.test(id) &&
    writesOf(run, "writes").some((write) => write.end! <= read!.ts && saidBy(run, write).has(id))
  );
};

const saidBy = oncePer(
  ({ bodies }: RunEvidence, one: Exchange): ReadonlySet<string> =>
    new Set(leavesOf(jsonOf(bodyOf(one, bodies) ?? "")).map(({ value }) => String(value))),
);

const writesOf = oncePer((run: RunEvidence, _: "writes"): Exchange[] =>
  lastOf(
    run.facts.exchanges,
    MOST_WRITES,
    (one) => one.method === "POST" && one.end !== null && isWrite(one, run),
  ),
);
