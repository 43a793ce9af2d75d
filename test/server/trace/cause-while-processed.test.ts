import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunSource } from "../../../server/trace/causes/source.ts";
import { causeTask } from "../../../server/trace/causes/task.ts";
import type { ComparedWith } from "../../../server/trace/process/task.ts";
import { writtenBy } from "../../helpers/archive-cause.ts";
import { processHere } from "../../helpers/process-here.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures");
const archives = [...new Bun.Glob("{playwright,releases,month}/**/*.zip").scanSync(FIXTURES)].sort();

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-while-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function processed(path: string, against?: ComparedWith | Promise<ComparedWith>) {
  const name = crypto.randomUUID();
  const folder = join(root, name);
  mkdirSync(folder);
  const playwright = join(folder, "archive.zip");
  copyFileSync(path, playwright);
  const meta = {
    ...{ title: "Checkout", scenarioSlug: "checkout", claimedStatus: null, statusReason: null },
    ...{ startedAt: null, endedAt: null, environment: {}, warnings: [], finalScreenshot: null },
  };
  const output = await processHere(
    {
      ...{ traceId: "t", folder, files: { root, coldDir: root }, events: null, summary: null },
      ...{ playwright, known: { hashes: new Map(), begun: null }, hasRrweb: false },
      ...{ meta, texts: new Map(), blobSizes: new Map() },
    },
    against,
  );
  return { output, ...writtenBy(output, root, name) };
}

const alone = (passes: RunSource[]): ComparedWith => ({
  passes,
  recorded: { blobs: new Map(), snapshots: null },
});

test("the cause that is told while files are made is the one that the stored files tell", async () => {
  const pass = await processed(join(FIXTURES, "playwright/v10-passing/trace.zip"));
  let failed = 0;
  for (const [at, archive] of archives.entries()) {
    const passes = at % 2 === 0 ? [] : [pass.source];
    const { output, source, summary } = await processed(join(FIXTURES, archive), alone(passes));
    expect([archive, output.cause !== null]).toEqual([archive, output.summary.failure !== null]);
    if (output.cause === null) continue;
    failed += 1;
    const files = { root, coldDir: root };
    const stored = await causeTask({ files, run: source, summary, passes }, () => {});
    expect([archive, output.cause]).toEqual([archive, stored]);
  }
  expect(failed).toBeGreaterThan(15);
}, 120_000);

test("a failure that cannot be compared is told by its summary", async () => {
  const failing = join(FIXTURES, "playwright/v10-failing/trace.zip");
  const lost = Promise.reject<ComparedWith>(new Error("The passes cannot be read."));
  lost.catch(() => {});
  const { output } = await processed(failing, lost);
  expect(output.files.map(({ kind }) => kind)).toContain("summary");
  expect(output.cause).toMatchObject({ context: null, faults: [expect.stringContaining("Error")] });
  expect(output.cause!.cause.headline).not.toBeNull();
});
