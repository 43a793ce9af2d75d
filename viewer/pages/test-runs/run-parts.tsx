import type { JSX } from "preact";
import { formatDuration } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import type { TestRun } from "./api.ts";

export const runName = (run: TestRun): string => oneLine(run.name ?? "Test run", 200);

/** How long it took, or has been going on. */
export const runLength = (run: TestRun, now: number): string =>
  formatDuration(run.status === "running" ? Math.max(0, now - Date.parse(run.started_at)) : run.duration_ms);

/** The commit's beginning; a changed tree says so, since then it is another code. */
export function Commit({ run }: { run: TestRun }): JSX.Element | null {
  if (run.commit_sha === null) return null;
  return (
    <span class="mono captured" title={run.is_dirty ? `${run.commit_sha}, with changes` : run.commit_sha}>
      {oneLine(run.commit_sha).slice(0, 8)}
      {run.is_dirty && <span class="dim"> + changes</span>}
    </span>
  );
}

/** `2 of 4 shards`; nothing where there are none. */
export function shardWords({ shards }: TestRun): string {
  if (shards.length === 0) return "";
  const total = Math.max(...shards.map((shard) => shard.total));
  const ended = shards.filter(({ status }) => status !== "running").length;
  return ended === total ? `${total} ${total === 1 ? "shard" : "shards"}` : `${ended} of ${total} shards`;
}
