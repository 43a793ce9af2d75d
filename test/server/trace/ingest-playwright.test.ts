import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBudget } from "../../../server/trace/ingest/budget.ts";
import { checkPlaywright } from "../../../server/trace/ingest/playwright.ts";
import { childCommand } from "../../helpers/child.ts";
import { scratchFolder } from "../../helpers/program.ts";
import { makeZip } from "../../store/archives/zip-maker.ts";

setDefaultTimeout(60_000);

const MIB = 1 << 20;
const GIB = 1 << 30;
const CHECK = join(import.meta.dir, "../../helpers/check-archive-child.ts");

test("many members that are each one long line take the memory of one", async () => {
  const folder = scratchFolder();
  const path = join(folder.path, "trace.zip");
  const line = Buffer.alloc(5 * MIB, "a");
  const first = { name: "trace.trace", content: Buffer.from(`{"version":8}\n`) };
  writeFileSync(
    path,
    makeZip([first, ...Array.from({ length: 60 }, (_, at) => ({ name: `${at}.trace`, content: line }))]),
  );
  const child = Bun.spawn([...childCommand(CHECK), path, String(GIB)], { stdout: "pipe" });
  const { grown } = await new Response(child.stdout).json();
  folder.remove();
  expect(grown).toBeLessThan(150 * MIB);
});

test("what an archive begins last and does not end counts against what it may unpack to", async () => {
  const folder = scratchFolder();
  const path = join(folder.path, "trace.zip");
  const lines = Buffer.alloc(4 * MIB, '{"type":"unknown"}\n');
  writeFileSync(path, makeZip([{ name: "trace.trace", content: lines }]).subarray(0, -200));
  const budget = createBudget(16 * MIB);
  await checkPlaywright(path, budget, []);
  expect(budget.left).toBeLessThan(13 * MIB);
  await expect(checkPlaywright(path, createBudget(MIB), [])).rejects.toMatchObject({ kind: "bundle_bomb" });
  folder.remove();
});
