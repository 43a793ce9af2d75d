import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { layout } from "../../store/layout.ts";
import { blob, bundle, eventLines, events, manifest, sha256 } from "../helpers/bundles.ts";
import { loosePath } from "../helpers/loose-blobs.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";

interface Report {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
  repairs?: string[];
}

const PICTURE = "a picture, in some way";
const HASH = sha256(PICTURE);

describe("doctor", () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let data: string;
  let traceId: string;

  beforeEach(async () => {
    scratch = scratchFolder();
    data = scratch.at("data");
    const lines = eventLines(20, (seq) =>
      seq === 3 ? { kind: "screenshot", blob: `sha256:${HASH}`, width: 1, height: 1 } : {},
    );
    writeFileSync(scratch.at("bundle"), bundle([manifest(), events(lines), blob(PICTURE)]));
    const args = ["ingest", scratch.at("bundle"), "--scenario", "checkout", "--json", "--data", data];
    traceId = (JSON.parse((await runProgram(args)).stdout) as { trace_id: string }).trace_id;
  });

  afterEach(() => scratch.remove());

  async function doctor(
    ...more: string[]
  ): Promise<{ report: Report; code: number; bad: Record<string, string> }> {
    const { stdout, code } = await runProgram(["doctor", "--json", "--data", data, ...more]);
    const report = JSON.parse(stdout) as Report;
    const bad = report.checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]);
    return { report, code, bad: Object.fromEntries(bad) as Record<string, string> };
  }

  const blobPath = () => loosePath({ layout: layout(data) }, HASH);
  const inTrace = (name: string) => join(data, "traces", traceId, name);
  /** Files go by their content: the one that was written first and, when it was replaced at once, that one too. */
  const filesOf = (start: "events." | "summary.", end: ".ndjson.zst" | ".index" | ".json") =>
    readdirSync(inTrace("."))
      .filter((name) => name.startsWith(start) && name.endsWith(end))
      .map(inTrace);
  const change = (sql: string) => {
    const records = new Database(join(data, "tracedeck.db"));
    records.exec(sql);
    records.close();
  };

  test("finds nothing wrong with a sound folder, and changes nothing in it", async () => {
    const before = readdirSync(data, { recursive: true }).sort();
    const { report, code } = await doctor();
    expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
    expect(report.checks.map(({ name }) => name)).toEqual([
      ...["store", "data_folder", "settings", "keys", "disk", "clock", "port", "public_url", "browser"],
      ...["schema", "integrity", "references", "blobs", "artifacts", "event_indexes", "stray_files", "jobs"],
      "audit",
    ]);
    expect(readdirSync(data, { recursive: true }).sort()).toEqual(before);
  });

  test("names a damaged blob and the traces that lose by it", async () => {
    writeFileSync(blobPath(), PICTURE.replace("picture", "PICTURE"));
    const { bad, code } = await doctor();
    expect(code).toBe(1);
    expect(Object.keys(bad)).toEqual(["blobs"]);
    expect(bad.blobs).toContain(HASH);
    expect(bad.blobs).toContain(traceId);
    expect(bad.blobs).toContain("is damaged");
  });

  test("forgets the place of a blob whose file is gone when it repairs, and says so", async () => {
    rmSync(blobPath());
    expect((await doctor()).bad.blobs).toContain(`${HASH} is missing`);
    const { report, code } = await doctor("--repair");
    expect(code).toBe(0);
    expect(report.repairs?.join()).toContain(HASH);
    expect(report.repairs?.join()).toContain(traceId);
  });

  test("names a damaged and a cut file of a trace", async () => {
    for (const path of filesOf("events.", ".ndjson.zst")) truncateSync(path, statSync(path).size - 9);
    for (const path of filesOf("summary.", ".json")) writeFileSync(path, "{}");
    const { bad } = await doctor();
    expect(bad.artifacts).toContain(`${traceId}/ndjson is damaged`);
    expect(bad.artifacts).toContain(`${traceId}/summary is damaged`);
  });

  test("says which key files are damaged or open to others, as whoever needs them does in one sentence", async () => {
    chmodSync(join(data, "credentials.json"), 0o644);
    writeFileSync(join(data, "signing.key"), "no key");
    const { bad } = await doctor();
    expect(Object.keys(bad)).toEqual(["keys"]);
    expect(bad.keys).toContain(`may read ${join(data, "credentials.json")}`);
    expect(bad.keys).toContain("signing.key is not a signing key");
    const { code, stderr } = await runProgram(["traces", "list", "--data", data]);
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 1, lines: 1 });
    writeFileSync(join(data, "credentials.json"), "{");
    expect((await doctor()).bad.keys).toContain("credentials.json is damaged");
  });

  test("makes a lost event index anew, byte for byte", async () => {
    for (const path of filesOf("events.", ".index")) rmSync(path);
    expect((await doctor()).bad.event_indexes).toContain(traceId);
    const { report, bad } = await doctor("--repair");
    expect(bad).toEqual({});
    expect(report.repairs?.join()).toContain(traceId);
  });

  test("clears files away that nothing names once they are an hour old", async () => {
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    const strays = [
      join(data, "tmp", "left"),
      join(data, "blobs", "sha256", "left"),
      join(data, "traces", "left"),
    ];
    const young = join(data, "tmp", "young");
    for (const path of [...strays, young]) writeFileSync(path, "x");
    for (const path of strays) utimesSync(path, old, old);
    expect((await doctor()).bad.stray_files).toContain("3 files");
    expect((await doctor("--repair")).code).toBe(0);
    expect(strays.filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(young)).toBe(true);
  });

  test("puts a dead job back into the queue with the trace that it gave up", async () => {
    change(`UPDATE traces SET status = 'error', status_reason = 'Post-processing failed: x'`);
    change(`UPDATE jobs SET state = 'dead', last_error = 'it would not' WHERE kind = 'trace.process'`);
    expect((await doctor()).bad.jobs).toContain("it would not");
    const { report, code } = await doctor("--repair");
    expect(code).toBe(0);
    expect(report.repairs?.join()).toContain("trace.process");
    const { stdout } = await runProgram(["traces", "show", traceId, "--json", "--data", data]);
    expect((JSON.parse(stdout) as { status: string }).status).toBe("queued");
  });

  test("says that records are broken, and does not make it worse", async () => {
    change("PRAGMA foreign_keys = OFF; DELETE FROM scenarios;");
    expect(Object.keys((await doctor()).bad)).toEqual(["references"]);
    change("PRAGMA user_version = 999");
    const newer = await doctor("--repair");
    expect(newer.bad.schema).toContain("999");
    writeFileSync(join(data, "tracedeck.db"), "no database at all".repeat(1000));
    expect((await doctor()).bad.integrity).toContain("not a database");
  });

  test("says which setting is wrong and checks the rest all the same", async () => {
    writeFileSync(join(data, "settings.json"), '{"plan":"gold"}');
    const { bad, report } = await doctor();
    expect(Object.keys(bad)).toEqual(["settings"]);
    expect(bad.settings).toContain('"plan"');
    expect(report.checks.map(({ name }) => name)).toContain("blobs");
  });

  test("knows a clock that went back behind the newest trace", async () => {
    change("UPDATE traces SET created_at = created_at + 86400000, ord = ord + 86400000 * 4096");
    expect(Object.keys((await doctor()).bad)).toEqual(["clock"]);
  });
});
