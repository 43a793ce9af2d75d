import { type AnyElysia, Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import type { TraceAccess } from "./access.ts";
import { blobsReads } from "./blobs/routes.ts";
import { causesReads } from "./causes/routes.ts";
import { eventsReads } from "./events/routes.ts";
import { findReads } from "./find/routes.ts";
import { recordingsReads } from "./recordings/routes.ts";
import { reportsReads } from "./reports/routes.ts";
import { snapshotsReads } from "./snapshots/routes.ts";
import { summaryReads } from "./traces/summary-routes.ts";

type Reads = (deps: Deps, access: TraceAccess) => AnyElysia;

/** What everybody may read of a trace that is open to them: `routes.ts` of each noun has the paths below the prefix. */
const READS: readonly Reads[] = [
  summaryReads,
  causesReads,
  eventsReads,
  findReads,
  blobsReads,
  snapshotsReads,
  recordingsReads,
  reportsReads,
];

/** The reads of one trace below a prefix, which ends with the parameter that names the trace for this access. */
export function traceReads(
  deps: Deps,
  { prefix, access }: { prefix: string; access: TraceAccess },
): AnyElysia {
  const plugin: AnyElysia = new Elysia({ prefix });
  for (const reads of READS) plugin.use(reads(deps, access));
  return plugin;
}
