import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFacts } from "../../../server/trace/causes/evidence.ts";
import { holdFacts, takeFacts } from "../../../server/trace/causes/facts-at-hand.ts";
import type { RunFacts } from "../../../server/trace/format/cause/run/run-facts.ts";
import { createRunReader } from "../../../server/trace/format/cause/run/run-reader.ts";
import { processTrace } from "../../../server/trace/process/task.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";

const FIXTURES = join(import.meta.dir, "../../../fixtures");
const archives = [...new Bun.Glob("{playwright,releases,month}/**/*.zip").scanSync(FIXTURES)].sort();

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "tracedeck-facts-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Without what is made of it by functions. */
const told = ({ normaliser: _, hasLine: __, ...facts }: RunFacts) => facts;

test("what a conversion holds of a failed run is what its stored events tell", async () => {
  let failed = 0;
  for (const [at, name] of archives.entries()) {
    const folder = join(root, `${at}`);
    mkdirSync(folder);
    const meta = {
      ...{ title: "Checkout", scenarioSlug: "checkout", claimedStatus: null, statusReason: null },
      ...{ startedAt: null, endedAt: null, environment: {}, warnings: [], finalScreenshot: null },
    };
    const { summary } = await processTrace(
      {
        ...{ traceId: "t", folder, files: { root, coldDir: root }, events: null, summary: null },
        ...{ playwright: join(FIXTURES, name), known: { hashes: new Map(), begun: null } },
        ...{ hasRrweb: false, meta, texts: new Map(), blobSizes: new Map() },
      },
      () => {},
    );
    const held = takeFacts(folder);
    expect([name, held !== null]).toEqual([name, summary.failure !== null]);
    if (held === null) continue;
    failed += 1;
    const events = {
      path: join(folder, TRACE_FILES.events),
      indexPath: join(folder, TRACE_FILES.eventIndex),
    };
    const read = await readFacts({ events, blobs: new Map(), snapshots: null, environment: {} });
    expect({ name, ...told(held) }).toEqual({ name, ...told(read) });
  }
  expect(failed).toBeGreaterThan(15);
}, 120_000);

test("what is held is one run's, and is given away once", () => {
  const { finish } = createRunReader();
  holdFacts("one", finish);
  expect(takeFacts("another")).toBeNull();
  expect(takeFacts("one")).toBeNull();
  holdFacts("one", finish);
  expect(takeFacts("one")).toMatchObject({ exchanges: [] });
  expect(takeFacts("one")).toBeNull();
});
