import { join } from "node:path";
import { dataFolder } from "./data-folder.ts";

/**
 * Every path below the data folder, in one place, for the store alone. Paths kept in the database are relative to the data
 * folder, so that the folder can be moved: they are the keys of `store/files`.
 */
export function layout(dataDir: string) {
  return {
    ...dataFolder(dataDir),
    /** Room for the records on a full disk. */
    reserve: join(dataDir, "reserve"),
    /** Work in progress. Swept at start: nothing here is ever the only copy of something acknowledged. */
    tmp: join(dataDir, "tmp"),
    /** What `doctor` set aside because no record names it. */
    strays: join(dataDir, "strays"),
    blobs: join(dataDir, "blobs", "sha256"),
    traces: join(dataDir, "traces"),
    /** What the records say of each test run. */
    testRuns: join(dataDir, "test-runs"),
    trace: (id: string) => join(dataDir, "traces", id),
    /** Relative form of `trace(id)`, as kept in `artifacts.path` and `blob_locations.container`. */
    traceRelative: (id: string) => `traces/${id}`,
  };
}

export type Layout = ReturnType<typeof layout>;
