import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { answerTo } from "../../../bench/cause-told.ts";
import { getJson } from "../../../helpers/traces.ts";
import { type ViewerApp, viewerApp } from "../../../helpers/viewer.ts";

setDefaultTimeout(120_000);

let on: ViewerApp;
beforeAll(async () => {
  on = await viewerApp();
});
afterAll(() => on.close());

interface Cause {
  headline: string;
  suspects: { title: string; detail: string | null }[];
}

/** As both are read: without addresses' schemes, quotes and spaces told apart. */
const read = (text: string): string =>
  text
    .replace(/[a-z]+:\/\//g, "")
    .replace(/\s+@\s+/g, "@")
    .replace(/[\s"“”]+/g, " ");

/** The bench asks this of every seeded failure; here that nothing which the engine says first gets lost on the way. */
test.each([
  "v3-failing",
  "v4-runner-failing",
  "v10-failing",
  "v10-runner-failing",
  "v10-runner-renamed",
  "v10-runner-timeout",
])("why %s failed is answered with all that the cause engine says first", async (name) => {
  const { id } = await on.ingest(name);
  const { headline, suspects } = await getJson<Cause>(on.app, `/v1/traces/${id}/cause`);
  const text = read(await answerTo({ url: on.base, apiKey: on.app.apiKey }, id, "Why did it fail?"));
  expect(text).toContain(read(headline));
  expect(text).toContain(read(suspects[0]!.title));
  const detail = suspects[0]!.detail;
  if (detail !== null) expect(text).toContain(read(detail).slice(0, 100));
});

test("a recording of a test is run again by the line at which it is declared, not by the one that failed", async () => {
  const { id } = await on.ingest("v10-runner-failing");
  const server = { url: on.base, apiKey: on.app.apiKey };
  const text = await answerTo(server, id, "How do I reproduce it?");
  expect(text).toContain("npx playwright test shop.spec.js:25\n");
  expect(text).not.toMatch(/Hooks|Attach/);
  // The answer that the failure comes from, though another went wrong before it.
  const requests = await answerTo(server, id, "Which requests failed?");
  expect(requests).toMatch(/POST localhost:\d+\/api\/checkout answered:\n\n```text\n.*ledger/);
});
