import type { FullConfig } from "@playwright/test/reporter";
import type { CiFacts } from "./ci.ts";
import type { Frame } from "./journal.ts";
import type { ReporterOptions } from "./options.ts";
import { shardOf } from "./outcome.ts";

/** What a run is begun with. Shards that nothing joins are runs of their own. */
export function frameOf(given: {
  options: ReporterOptions;
  facts: CiFacts;
  tree: { branch: string | null; isDirty: boolean };
  commit: string | null;
  config: FullConfig;
  startedAt: string;
}): Frame {
  const { options, facts, tree, commit } = given;
  const runId = options.runId ?? facts.run;
  const branch = facts.branch ?? tree.branch;
  const pr = options.pr ?? facts.pr;
  const shard = runId === null ? null : shardOf(given.config);
  return {
    ...(options.name && { name: options.name.slice(0, 200) }),
    ...(runId !== null && {
      ci: {
        provider: facts.provider ?? "local",
        run_id: runId.slice(0, 200),
        url: isWebAddress(facts.url) ? facts.url : null,
      },
    }),
    ...(branch && { branch: branch.slice(0, 500) }),
    ...(commit && { commit_sha: commit }),
    // A CI checks out what was committed; what its steps write beside it is no change of the code.
    is_dirty: facts.run === null && tree.isDirty,
    ...(pr !== null && { pr_number: pr }),
    ...(shard && { shard }),
    started_at: given.startedAt,
  };
}

const isWebAddress = (text: string | null): text is string => text !== null && /^https?:\/\//.test(text);
