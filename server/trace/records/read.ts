import { readFile } from "node:fs/promises";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Files } from "../../../store/files/files.ts";
import { nameOfKey, testRunRecordKey, traceKey } from "../../../store/files/keys.ts";
import { plainName, TRACE_FILES } from "../../../store/files/names.ts";
import type { TestRunRecord } from "../../../store/records/test-run-record.ts";
import type { TraceRecord } from "../../../store/records/trace-record.ts";

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = <T extends string>(...words: T[]) => Type.Union(words.map((word) => Type.Literal(word)));
const hash = Type.String({ pattern: "^[0-9a-f]{64}$" });
const status = oneOf("queued", "running", "passed", "failed", "error", "aborted");
/** Of the data folder or the cold folder, never outside. */
const path = Type.String({ pattern: "^[\\w-][\\w.-]*(/[\\w-][\\w.-]*)*$" });

const Trace = Type.Object({
  id: text,
  short_id: Type.String({ pattern: "^\\w{1,40}$" }),
  scenario_slug: text,
  scenario_title: text,
  status,
  status_reason: orNull(text),
  tier: oneOf("hot", "warm", "cold"),
  pinned: Type.Integer({ minimum: 0, maximum: 1 }),
  source: orNull(oneOf("pr", "schedule", "manual", "shadow_diff")),
  code_sha: orNull(text),
  pr_number: orNull(Type.Integer()),
  run_id: orNull(text),
  attempt: orNull(Type.Integer()),
  region: orNull(text),
  env: text,
  claimed_status: orNull(status),
  failure_signature: orNull(text),
  failure_message: orNull(text),
  failed_step_id: orNull(text),
  failed_step_title: orNull(text),
  final_screenshot: orNull(hash),
  duration_ms: Type.Integer(),
  created_at: Type.Integer(),
  started_at: orNull(Type.Integer()),
  ended_at: orNull(Type.Integer()),
  aged_from: Type.Integer(),
  total_size_bytes: count,
  blob_count: count,
  event_count: count,
  error_count: count,
  warnings: text,
  parent_trace_id: orNull(text),
  replay_from_step: orNull(Type.Integer()),
  next_chunk: count,
  last_seq: orNull(Type.Integer()),
  last_chunk_at: orNull(Type.Integer()),
  search_version: count,
});

const Artifact = Type.Object({
  kind: text,
  path,
  size: count,
  media_type: text,
  sha256: hash,
  pack_offset: orNull(count),
  pack_stored_size: orNull(count),
  pack_method: orNull(Type.Integer()),
});

const Place = Type.Object({
  hash,
  container: path,
  offset: count,
  storedSize: count,
  size: count,
  method: Type.Union([Type.Literal(0), Type.Literal(8)]),
});

const Org = Type.Object({ id: text, slug: text, name: text, created_at: Type.Integer() });

const Scenario = Type.Object({
  id: text,
  slug: text,
  title: text,
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});

const Record = Type.Object({
  version: Type.Literal(1),
  org: Org,
  scenario: Scenario,
  trace: Trace,
  artifacts: Type.Array(Artifact),
  blobs: Type.Array(Type.Object({ hash, media_type: orNull(text) })),
  places: Type.Array(Place),
  words: Type.Object({
    title: text,
    failure: text,
    console: text,
    requests: text,
    assertions: text,
    thoughts: text,
    steps: text,
    kinds: text,
  }),
});

/** `record.json` of a trace; null when there is none that can be read, or it is another trace's. */
export async function readRecord(files: Files, traceId: string): Promise<TraceRecord | null> {
  const record = await readJson(files, traceKey(traceId, TRACE_FILES.record));
  if (!Value.Check(Record, record) || record.trace.id !== traceId) return null;
  // What is checked here and more: other versions may have other columns.
  return record as TraceRecord;
}

const OfRun = Type.Object({ test_run_id: text });

/** The columns of its rows are held by the tables. */
const RunRecord = Type.Object({
  version: Type.Literal(1),
  org: Org,
  run: Type.Object({ id: text }),
  keys: Type.Array(Type.Object({ ci_run_id: text, name: text, created_at: Type.Integer() })),
  shards: Type.Array(OfRun),
  scenarios: Type.Array(Scenario),
  tests: Type.Array(Type.Composite([OfRun, Type.Object({ test_key: text, scenario_id: text })])),
  attempts: Type.Array(Type.Composite([OfRun, Type.Object({ test_key: text, trace_id: orNull(text) })])),
});

/** The record of a test run; null when there is none that can be read, or it is another run's. */
export async function readTestRun(files: Files, id: string): Promise<TestRunRecord | null> {
  const record = await readJson(files, testRunRecordKey(id), unpackText);
  if (!Value.Check(RunRecord, record) || record.run.id !== id) return null;
  const rows = [...record.shards, ...record.tests, ...record.attempts];
  return rows.every(({ test_run_id }) => test_run_id === id) ? (record as unknown as TestRunRecord) : null;
}

async function unpackText(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // A damaged one is no JSON either.
  return (await Bun.zstdDecompress(bytes).catch(() => Buffer.from(""))).toString();
}

/** What a JSON file says; null when it is missing or no JSON. */
export async function readJson(
  files: Files,
  key: string,
  textOf: (bytes: Uint8Array<ArrayBuffer>) => string | Promise<string> = (bytes) =>
    Buffer.from(bytes).toString(),
): Promise<unknown> {
  try {
    const { path, release } = await files.local(key);
    try {
      return JSON.parse(await textOf(await readFile(path)));
    } finally {
      release();
    }
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** The key of a trace's file by what it is called, the content that its name may say aside; null when there is none. */
export async function findFile(files: Files, traceId: string, name: string): Promise<string | null> {
  const keys = await files.keysOf(traceId);
  return preferred(keys.filter((key) => plainName(nameOfKey(key)) === name));
}

/** Of files of one kind, one that is named by its content is the newer. */
export const preferred = (keys: readonly string[]): string | null =>
  keys.toSorted().find((key) => plainName(nameOfKey(key)) !== nameOfKey(key)) ?? keys[0] ?? null;
