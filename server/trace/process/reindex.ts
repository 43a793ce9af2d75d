import { artifactLocation } from "../../../store/files/locations.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import { addStepsAndKinds, tracesToIndex } from "../../../store/records/search.ts";
import type { Deps } from "../../deps.ts";
import { type CommitDeps, commit } from "../../jobs/commit.ts";
import type { PeriodicTask } from "../../jobs/types.ts";
import { stepsAndKinds } from "../format/search-text.ts";
import type { Summary } from "../format/summary.ts";

const LOOK_EVERY_MS = 60_000;
/** Traces per look: about a second of reading with pauses, until all are done. */
const AT_ONCE = 1_000;

/** Makes traces that were stored before titles of steps and kinds of events were indexed known by them. */
export function reindexTask(deps: CommitDeps & Pick<Deps, "store" | "log">): PeriodicTask {
  return {
    name: "search index",
    everyMs: LOOK_EVERY_MS,
    of: "store",
    isDue: async () => (await tracesToIndex(deps.store.records, 1)).length > 0,
    run: () => indexOlder(deps),
  };
}

/** Their summaries stay at hand in every tier. */
export async function indexOlder(deps: CommitDeps & Pick<Deps, "store" | "log">): Promise<void> {
  const { records } = deps.store;
  for (const { id, ord } of await tracesToIndex(records, AT_ONCE)) {
    const summary = await readSummary(deps, id);
    await commit(deps, (within) => addStepsAndKinds(within, ord, summary ? stepsAndKinds(summary) : NOTHING));
  }
}

const NOTHING = { steps: "", kinds: [] };

/** Null when the trace has none, or none that can be read: it is then found by what is known of it. */
async function readSummary(deps: Pick<Deps, "store" | "log">, id: string): Promise<Summary | null> {
  const artifact = await findArtifact(deps.store.records, id, "summary");
  if (!artifact) return null;
  try {
    return JSON.parse(new TextDecoder().decode(await deps.store.files.read(artifactLocation(artifact))));
  } catch (error) {
    deps.log.warn("a summary cannot be read for the search", { trace_id: id, error });
    return null;
  }
}
