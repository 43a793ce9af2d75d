import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { processHere } from "../../helpers/process-here.ts";

const ARCHIVE = join(import.meta.dir, "../../../fixtures/playwright/v10-failing/trace.zip");

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-writes-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const process = (folder: string) =>
  processHere({
    ...{ traceId: "t", folder, files: { root, coldDir: root }, events: null, summary: null },
    ...{ playwright: ARCHIVE, known: { hashes: new Map(), begun: null }, hasRrweb: false },
    ...{ texts: new Map(), blobSizes: new Map() },
    meta: {
      ...{ title: "Checkout", scenarioSlug: "checkout", claimedStatus: null, statusReason: null },
      ...{ startedAt: null, endedAt: null, environment: {}, warnings: [], finalScreenshot: null },
    },
  });

test.each([
  TRACE_FILES.events,
  TRACE_FILES.eventIndex,
  TRACE_FILES.snapshots,
  TRACE_FILES.summary,
  TRACE_FILES.manifest,
])(
  "when %s cannot be written the task fails, and nothing is at work in its folder any more",
  async (name) => {
    const folder = mkdtempSync(join(root, "work-"));
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "in the way"), "");
    const failed = await process(folder).catch((error: NodeJS.ErrnoException) => error);
    expect(failed).toBeInstanceOf(Error);
    expect((failed as NodeJS.ErrnoException).code).toMatch(/^(?:EEXIST|EISDIR|ENOTEMPTY)$/);
    const left = readdirSync(folder);
    expect(left.filter((file) => file.endsWith(".partial"))).toEqual([]);
    rmSync(folder, { recursive: true });
    // Whatever still wrote would find no folder, and tell so to nobody.
    await new Promise<void>((resolve) => setImmediate(resolve));
  },
);

test("what is written while the rest is made is told in one order, each file with the bytes it has", async () => {
  const folder = mkdtempSync(join(root, "work-"));
  const { files } = await process(folder);
  expect(files.map(({ kind }) => kind)).toEqual([
    "ndjson",
    "event_index",
    "snapshots",
    "summary",
    "manifest",
  ]);
  for (const { name, size, sha256 } of files) {
    const bytes = await Bun.file(join(folder, name)).bytes();
    expect([name, bytes.length]).toEqual([name, size]);
    expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(sha256);
  }
});
