import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { TestApp } from "./app.ts";

const TABLES = [
  "traces",
  "scenarios",
  "artifacts",
  "blob_locations",
  "trace_blobs",
  "jobs",
  "idempotency_keys",
] as const;

/** Everything an upload may leave: files below the data folder, rows of the tables it writes. Empty when it left nothing. */
export async function leftovers(app: TestApp): Promise<string[]> {
  const found = filesLeft(app.dataDir);
  for (const table of TABLES) {
    const rows = await app.store.records.selectFrom(table).selectAll().execute();
    if (rows.length > 0) found.push(`${rows.length} rows of ${table}`);
  }
  const audited = await app.store.records
    .selectFrom("audit_events")
    .select("seq")
    .where("action", "=", "trace.ingest")
    .execute();
  if (audited.length > 0) found.push("audit events");
  return found;
}

/** Files and folders in the staging area and among the traces, files among the blobs. */
export function filesLeft(dataDir: string): string[] {
  const blobs = readdirSync(join(dataDir, "blobs", "sha256"), { recursive: true, withFileTypes: true });
  return [
    ...readdirSync(join(dataDir, "tmp")).map((name) => `tmp/${name}`),
    ...readdirSync(join(dataDir, "traces")).map((name) => `traces/${name}`),
    ...blobs.filter((entry) => entry.isFile()).map((entry) => `blobs/${entry.name}`),
  ];
}
