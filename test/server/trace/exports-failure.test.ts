import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Summary } from "../../../server/trace/format/summary.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { uploadForm } from "../../helpers/bundles.ts";
import { getJson } from "../../helpers/traces.ts";
import { makeZip } from "../../store/archives/zip-maker.ts";
import { after, before, lines, options } from "./format/playwright-harness.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

async function ingest(file: Uint8Array) {
  const body = uploadForm(file, { scenario_slug: "round" });
  const response = await app.api("/v1/traces/ingest", { method: "POST", body });
  if (response.status !== 200) throw new Error(await response.text());
  await app.runJobs();
  return ((await response.json()) as { trace_id: string }).trace_id;
}

const step = (callId: string, at: number) =>
  before(callId, at, { class: "Test", method: "expect", params: {}, title: `Expect ${callId}` });
const failed = (callId: string, at: number, message: string) => after(callId, at, { error: { message } });
const stack = [{ file: "/work/cart.ts", line: 3, column: 16, function: "seedCart" }];
const CASES: [name: string, events: unknown[]][] = [
  ["between steps", [{ type: "error", message: "TypeError: cart is undefined", stack }]],
  [
    "after a step that was caught",
    [
      step("s@1", 1100),
      failed("s@1", 1200, "caught"),
      { type: "error", message: "TypeError: cart is undefined\n\nCall log:\n  - waiting", stack },
    ],
  ],
  [
    "beside that of a step",
    [
      step("s@1", 1100),
      failed("s@1", 1200, "Error: no button"),
      { type: "error", message: "TypeError: cart is undefined", stack },
      { type: "error", message: "Error: no button" },
    ],
  ],
];

test.each(CASES)("an exported trace that comes back failed as it did, by an error %s", async (_, told) => {
  const runner = { ...options, origin: "testRunner", browserName: "" };
  const archive = makeZip([{ name: "test.trace", content: Buffer.from(lines(runner, ...told)) }]);
  const id = await ingest(archive);
  const bundle = await (await app.api(`/v1/traces/${id}/export`)).bytes();
  const again = await ingest(bundle);
  const summary = (of: string) => getJson<Summary>(app, `/v1/traces/${of}/summary`);
  const [{ failure, failure_signature, status }, back] = [await summary(id), await summary(again)];
  expect(status).toBe("failed");
  expect(back).toMatchObject({ failure, failure_signature, status });
});
