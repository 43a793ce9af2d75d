import { afterAll, beforeAll, expect, test } from "bun:test";
import { readBlob } from "../../../server/trace/files/read-body.ts";
import { pageOf } from "../../../server/trace/steps/page.ts";
import { findTrace } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { uploadTrace } from "../../helpers/traces.ts";

const MIB = 1024 * 1024;
const page = (paragraphs: number) =>
  `<!doctype html><html><body><h1>Cart (1)</h1>${"<p>milk</p>".repeat(paragraphs)}</body></html>`;

let app: TestApp;
let bytesRead = 0;

beforeAll(async () => {
  app = await testApp();
  const { files } = app.store;
  const { read } = files;
  files.read = async (location) => {
    const bytes = await read(location);
    bytesRead += bytes.length;
    return bytes;
  };
});
afterAll(() => app.close());

/** A trace whose one step left this page; read through the step as agents do. */
async function pageOfStep(html: string) {
  const line = eventLines(1, () => ({
    ...{ kind: "dom.snapshot", step_id: "call@1", phase: "after", url: "https://shop.test/cart" },
    html: `sha256:${sha256(html)}`,
  }));
  const { id } = await uploadTrace(app, { entries: [events(line), blob(html)] });
  const trace = (await findTrace(app.store.records, id))!;
  bytesRead = 0;
  const step = { step_id: "call@1", index: 1, title: "", seq: 0, ts: 0, duration_ms: 0 };
  return { id, shown: await pageOf(app.deps, trace, { ...step, status: "passed" }) };
}

test("a recorded page is told as a tree, and one that is too large is not even read", async () => {
  const { shown } = await pageOfStep(page(1));
  expect(shown?.tree.join("\n")).toContain("Cart (1)");
  expect(bytesRead).toBeGreaterThan(0);
  const large = await pageOfStep(page(900_000));
  expect(large.shown).toBeNull();
  expect(bytesRead).toBe(0);
});

test("what is larger than its reader can use is left where it lies", async () => {
  const body = "x".repeat(2 * MIB);
  const { id } = await uploadTrace(app, { entries: [events(eventLines(1)), blob(body)] });
  expect(await readBlob(app.deps, id, sha256(body), 2 * MIB)).toHaveLength(2 * MIB);
  bytesRead = 0;
  expect(await readBlob(app.deps, id, sha256(body), 2 * MIB - 1)).toBeNull();
  expect(bytesRead).toBe(0);
});
