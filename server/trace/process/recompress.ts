import { join } from "node:path";
import { TRACE_FILES } from "../../../store/layout.ts";
import { artifactsOf, findArtifact, putArtifact } from "../../../store/records/artifacts.ts";
import { findTrace, updateTrace } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { JobContext } from "../../jobs/types.ts";
import { keepingLease } from "./heartbeat.ts";
import type { OutputFile } from "./output-files.ts";
import type { RecompressInput } from "./recompress-task.ts";
import { closeWorkFolder, openWorkFolder } from "./work-folder.ts";

/** Points at which a crash is survived; tests crash there. */
export type RecompressStep = "made" | "swapped" | "committed";

export interface RecompressHooks {
  onStep?(step: RecompressStep): void | Promise<void>;
}

/**
 * The job `trace.recompress`: stores the events of a finished trace at level 19. Readers see the old file or the new one.
 * A crash between the swap and the commit leaves the new file under the old one's size and hash; the job runs again and
 * puts that right. A trace that is being moved to another tier, or gone, is left alone.
 */
export async function storeSmaller(
  deps: Deps,
  traceId: string,
  context: Pick<JobContext, "signal" | "heartbeat">,
  hooks: RecompressHooks = {},
): Promise<void> {
  const { store } = deps;
  const target = await looseEvents(deps, traceId);
  if (!target) return;
  const folder = await openWorkFolder(store.layout, `${traceId}-events`, deps.ids.secret(12));
  try {
    const input: RecompressInput = { ...target, folder };
    const files = await keepingLease(deps, context, (kept) =>
      deps.tasks.run<OutputFile[]>("trace.recompress", input, { ...kept, background: true }),
    );
    await hooks.onStep?.("made");
    // The transaction holds the records' one connection, so no tier change can come between the look and the swap.
    await store.records.transaction().execute(async (within) => {
      const [trace, artifact] = [
        await findTrace(within, traceId),
        await findArtifact(within, traceId, "ndjson"),
      ];
      if (trace?.tier !== "hot" || artifact?.pack_offset !== null) return;
      const made = {
        path: join(folder, TRACE_FILES.events),
        indexPath: join(folder, TRACE_FILES.eventIndex),
      };
      await store.events.swap(made, target);
      await hooks.onStep?.("swapped");
      const relative = store.layout.traceRelative(traceId);
      const before = await artifactsOf(within, traceId);
      let grown = 0;
      for (const { kind, name, size, sha256, mediaType } of files) {
        grown += size - (before.find((one) => one.kind === kind)?.size ?? 0);
        await putArtifact(within, {
          trace_id: traceId,
          kind,
          path: `${relative}/${name}`,
          size,
          sha256,
          media_type: mediaType,
        });
      }
      await updateTrace(within, traceId, { total_size_bytes: Math.max(0, trace.total_size_bytes + grown) });
    });
    await hooks.onStep?.("committed");
  } finally {
    await closeWorkFolder(folder);
  }
}

async function looseEvents(deps: Deps, traceId: string): Promise<{ path: string; indexPath: string } | null> {
  const { records, layout } = deps.store;
  const trace = await findTrace(records, traceId);
  const artifact = await findArtifact(records, traceId, "ndjson");
  if (trace?.tier !== "hot" || trace.status === "queued" || trace.status === "running") return null;
  if (artifact?.pack_offset !== null) return null;
  return {
    path: join(layout.root, artifact.path),
    indexPath: join(layout.trace(traceId), TRACE_FILES.eventIndex),
  };
}
