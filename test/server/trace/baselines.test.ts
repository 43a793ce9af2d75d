import { afterAll, beforeAll, expect, test } from "bun:test";
import { updateTrace } from "../../../store/records/traces.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { getJson, otherOrg, type TraceJson, uploadTrace } from "../../helpers/traces.ts";

let on: TestApp;
beforeAll(async () => {
  on = await testApp();
});
afterAll(() => on.close());

const baselineOf = async (id: string) =>
  (await getJson<{ baseline: TraceJson | null }>(on, `/v1/traces/${id}/baseline`)).baseline;

const upload = async (slug: string, status: string) =>
  (await uploadTrace(on, { slug, manifest: { status } })).id;

test("the newest pass of the scenario before the trace, as the list shows it", async () => {
  await upload("cart", "passed");
  const last = await upload("cart", "passed");
  await upload("another", "passed");
  const broken = await upload("cart", "failed");
  const failed = await upload("cart", "failed");
  await upload("cart", "passed");
  const listed = (await getJson<{ items: TraceJson[] }>(on, "/v1/traces?limit=200")).items;
  expect(await baselineOf(failed)).toEqual(listed.find(({ id }) => id === last)!);
  expect((await baselineOf(broken))!.id).toBe(last);
});

test("a pass has the pass before it; a pin, a source and a tier make no difference", async () => {
  const first = await upload("pins", "passed");
  await updateTrace(on.store.records, first, { pinned: 1, tier: "cold", source: "schedule" });
  expect((await baselineOf(await upload("pins", "passed")))!.id).toBe(first);
});

test("replays do not count, and nothing before is told as such", async () => {
  const replay = await upload("replayed", "passed");
  await updateTrace(on.store.records, replay, { parent_trace_id: await upload("source", "failed") });
  expect(await baselineOf(await upload("replayed", "failed"))).toBeNull();
});

test("a trace of another org, and one that does not exist", async () => {
  const id = await upload("orgs", "failed");
  const { api } = await otherOrg(on);
  expect((await api(`/v1/traces/${id}/baseline`)).status).toBe(403);
  expect((await on.api("/v1/traces/01900000-0000-7000-8000-000000000000/baseline")).status).toBe(404);
});
