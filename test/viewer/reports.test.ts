import { expect, test } from "bun:test";
import { strToU8, zipSync } from "fflate";
import { isReport, sharedRun } from "../../viewer/pages/list/reports.ts";

const zip = (members: Record<string, string>) =>
  new Blob([
    zipSync(
      Object.fromEntries(Object.entries(members).map(([name, text]) => [name, strToU8(text)])),
    ) as Uint8Array<ArrayBuffer>,
  ]);

test("reports are told by their content", async () => {
  expect(await isReport(new Blob(['\ufeff<?xml version="1.0"?>\n<testsuites></testsuites>']))).toBe(true);
  expect(await isReport(new Blob(['{\n  "config": {}, "suites": [] }']))).toBe(true);
  expect(await isReport(zip({ "report.jsonl": "{}", "resources/a.zip": "x" }))).toBe(true);
  for (const other of [new Blob(["{}"]), new Blob(["<html>"]), new Blob([]), zip({ "trace.trace": "{}" })])
    expect(await isReport(other)).toBe(false);
});

test("archives that come together are shards of one run, whatever their order; a report alone is none", () => {
  const [a, b, c] = [
    new File(["1"], "1.zip"),
    new File(["22"], "2.zip"),
    new File(["3"], "junit.xml"),
  ] as const;
  const [first, second] = [sharedRun(a, [a, c, b])!, sharedRun(b, [a, c, b])!];
  expect(first.id).toBe(second.id);
  expect(first.id).toBe(sharedRun(b, [b, a])!.id);
  expect([first.shard, second.shard]).toEqual([
    { index: 1, total: 2 },
    { index: 2, total: 2 },
  ]);
  expect(sharedRun(c, [a, b, c])).toBeNull();
  expect(sharedRun(a, [a, c])).toBeNull();
});
