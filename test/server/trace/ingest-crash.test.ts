import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IngestStep } from "../../../server/trace/ingest/publish.ts";
import { sweepStaging } from "../../../server/trace/ingest/staging.ts";
import { dataFolder } from "../../../store/data-folder.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, bundle, eventLines, events, manifest, sha256, uploadForm } from "../../helpers/bundles.ts";
import { childCommand } from "../../helpers/child.ts";
import { freshRecords } from "../../helpers/fresh-records.ts";
import { filesLeft, leftovers } from "../../helpers/leftovers.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { runProgram } from "../../helpers/program.ts";

const SHARED = "a blob that two bundles bring";
const OWN = Array.from({ length: 20 }, (_, at) => `own blob ${at}`);
const FILE = bundle([manifest(), events(eventLines(50)), blob(SHARED), ...OWN.map(blob)]);
const NEIGHBOUR = bundle([manifest(), events(eventLines(1)), blob(SHARED)]);

let folder: string;
let dataDir: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-crash-"));
  dataDir = join(folder, "data");
  file = join(folder, "bundle.tar.zst");
  mkdirSync(dataDir);
  await freshRecords(dataFolder(dataDir).database);
  writeFileSync(file, FILE);
});
afterEach(() => rmSync(folder, { recursive: true }));

const CHILD = join(import.meta.dir, "../../helpers/ingest-child.ts");

function ingestInChild(step: IngestStep | "-", shell = "") {
  const command = `${shell} exec "$0" "$@"`;
  return spawnSync("bash", ["-c", command, ...childCommand(CHILD), dataDir, file, step], {
    encoding: "utf8",
  });
}

async function reopened<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await testApp({ dataDir });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const BEFORE_COMMIT: IngestStep[] = ["received", "unpacked", "journaled", "blobs_moved", "folder_moved"];

test.each(BEFORE_COMMIT)(
  "killed at %s, the next start leaves nothing of the upload and takes it again",
  async (step) => {
    expect(ingestInChild(step).signal).toBe("SIGKILL");
    expect(filesLeft(dataDir)).not.toEqual([]);
    await reopened(async (app) => {
      expect(await sweepStaging(app.deps)).toBe(1);
      expect(await leftovers(app)).toEqual([]);
      const response = await app.api("/v1/traces/ingest", { method: "POST", body: uploadForm(FILE) });
      expect(response.status).toBe(200);
    });
  },
);

test.each(["committed", "cleared"] as const)(
  "killed at %s, the trace is whole at the next start",
  async (step) => {
    expect(ingestInChild(step).signal).toBe("SIGKILL");
    await reopened(async (app) => {
      await sweepStaging(app.deps);
      const trace = await app.store.records.selectFrom("traces").selectAll().executeTakeFirstOrThrow();
      expect(trace).toMatchObject({ status: "queued", event_count: 50, blob_count: 21 });
      for (const { path, sha256: hash } of await app.store.records
        .selectFrom("artifacts")
        .selectAll()
        .execute())
        expect(sha256(readFileSync(join(dataDir, path)))).toBe(hash);
      for (const content of [SHARED, ...OWN])
        expect(readFileSync(loosePath(app.store, sha256(content)), "utf8")).toBe(content);
      expect(await app.store.records.selectFrom("jobs").select("kind").execute()).toEqual([
        { kind: "trace.process" },
      ]);
      expect(filesLeft(dataDir).filter((name) => name.startsWith("tmp/"))).toEqual([]);
    });
  },
);

test("a command without a server takes back what a killed one left", async () => {
  expect(ingestInChild("folder_moved").signal).toBe("SIGKILL");
  expect((await runProgram(["traces", "list", "--data", dataDir])).code).toBe(0);
  await reopened(async (app) => expect(await leftovers(app)).toEqual([]));
});

test("what a crash left is taken back without the blobs that other traces have", async () => {
  await reopened((app) => app.api("/v1/traces/ingest", { method: "POST", body: uploadForm(NEIGHBOUR) }));
  expect(ingestInChild("folder_moved").signal).toBe("SIGKILL");
  await reopened(async (app) => {
    await sweepStaging(app.deps);
    expect(existsSync(loosePath(app.store, sha256(SHARED)))).toBe(true);
    for (const content of OWN) expect(existsSync(loosePath(app.store, sha256(content)))).toBe(false);
    expect(await app.store.records.selectFrom("traces").select("id").execute()).toHaveLength(1);
  });
});

test("a journal that was cut off in the middle of its writing says that nothing was moved", async () => {
  await reopened(async (app) => {
    const staging = join(app.store.layout.tmp, "ingest-0");
    mkdirSync(join(staging, "blobs"), { recursive: true });
    writeFileSync(join(staging, "journal.json.draft"), '{"trace_id":"01');
    expect(await sweepStaging(app.deps)).toBe(1);
    expect(await leftovers(app)).toEqual([]);
  });
});

test("a file that the system does not let grow is told as a full disk and leaves nothing", async () => {
  // The signal that goes with the limit would end the process; ignored, writes fail as on a full disk.
  const noise = crypto.getRandomValues(new Uint8Array(65_536));
  for (const size of [64, 8]) {
    const large = Buffer.concat(Array.from({ length: size }, () => noise));
    const content = size === 64 ? large : Buffer.alloc(8_000_000);
    writeFileSync(file, bundle([manifest(), events(eventLines(5)), blob(content)]));
    const { stdout } = ingestInChild("-", "trap '' XFSZ; ulimit -f 3000;");
    expect(JSON.parse(stdout)).toEqual({ error: "unavailable" });
    await reopened(async (app) => expect(await leftovers(app)).toEqual([]));
  }
});

const isMountable =
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

if (isMountable)
  test("whenever a disk is full, an upload is taken whole or leaves nothing", async () => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "none", disk]).status).toBe(0);
    const app = await testApp({ dataDir: disk, settings: { rate_limits: { ingests_per_minute: 1000 } } });
    try {
      const seen = new Set<number>();
      const contents = Array.from({ length: 8 }, () => crypto.getRandomValues(new Uint8Array(30_000)));
      const large = bundle([manifest(), events(eventLines(100)), ...contents.map(blob)]);
      let taken = 0;
      // From what the new database leaves: it grows with its tables.
      const { bavail, bsize } = statfsSync(disk);
      const room = bavail * bsize;
      for (let filler = room; filler > room - 2_400_000; filler -= 50_000) {
        const free = fillUpTo(disk, filler);
        const response = await app.api("/v1/traces/ingest", { method: "POST", body: uploadForm(large) });
        free();
        const { error } = (await response.json()) as { error?: string };
        seen.add(response.status);
        if (response.status === 200) taken++;
        else expect([filler, response.status, error]).toEqual([filler, 503, "unavailable"]);
        const left = filesLeft(disk);
        expect(left.filter((name) => name.startsWith("tmp/"))).toEqual([]);
        expect(left.filter((name) => name.startsWith("traces/"))).toHaveLength(taken);
        expect(await app.store.records.selectFrom("traces").select("id").execute()).toHaveLength(taken);
        if (taken === 0) expect(await leftovers(app)).toEqual([]);
      }
      expect([...seen].sort()).toEqual([200, 503]);
    } finally {
      await app.close();
      // Lazily: the database lets go of its files when its statements are collected.
      spawnSync("umount", ["--lazy", disk]);
    }
  }, 120_000);

/** Leaves the disk with what a file of that size does not take. @returns what gives the room back. */
function fillUpTo(disk: string, size: number): () => void {
  const path = join(disk, "filler");
  try {
    writeFileSync(path, new Uint8Array(size));
  } catch {
    // Fuller than asked for is full as well.
  }
  return () => rmSync(path, { force: true });
}
