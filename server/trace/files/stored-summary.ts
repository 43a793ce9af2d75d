import { artifactLocation } from "../../../store/files/locations.ts";
import { findArtifact } from "../../../store/records/artifacts.ts";
import type { TraceRow } from "../../../store/records/traces.ts";
import type { Deps } from "../../deps.ts";
import type { Summary } from "../format/summary.ts";

/** What post-processing left of a finished trace; null when there is nothing of it. Read it within `whereItLies`. */
export async function storedSummary(
  deps: Pick<Deps, "store">,
  trace: Pick<TraceRow, "id" | "status" | "tier">,
): Promise<Summary | null> {
  if (trace.status === "running" || trace.status === "queued") return null;
  // Every trace that was post-processed has a manifest; a summary without one was uploaded and may be anything. A cold
  // trace was post-processed before it got there, and its manifest went with the pack.
  const [artifact, manifest] = [
    await findArtifact(deps.store.records, trace.id, "summary"),
    await findArtifact(deps.store.records, trace.id, "manifest"),
  ];
  if (!artifact || (!manifest && trace.tier !== "cold")) return null;
  const bytes = await deps.store.files.read(artifactLocation(artifact));
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as Summary;
}
