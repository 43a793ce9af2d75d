import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Attempts } from "../../../server/trace/attempts/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";
import { getJson, otherOrg, post, uploadTrace } from "../../helpers/traces.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const attempts = (id: string) => getJson<Attempts>(t, `/v1/traces/${id}/attempts`);

test("the attempts of one run are the traces of its scenario with its id, by their number", async () => {
  const upload = (slug: string, fields: Record<string, string>, status = "passed") =>
    uploadTrace(t, { slug, fields, manifest: { status } });
  const second = await upload("checkout", { run_id: "ci-7", attempt: "2" });
  const first = await upload("checkout", { run_id: "ci-7", attempt: "1" }, "failed");
  await upload("signin", { run_id: "ci-7", attempt: "1" });
  await upload("checkout", { run_id: "ci-8" });
  for (const { id } of [first, second]) {
    const answer = await attempts(id);
    expect(answer.run_id).toBe("ci-7");
    expect(answer.items.map((item) => [item.id, item.number, item.status])).toEqual([
      [first.id, 1, "failed"],
      [second.id, 2, "passed"],
    ]);
  }
  expect(await getJson(t, `/v1/traces/${first.id}`)).toMatchObject({ run_id: "ci-7", attempt: 1 });
});

test("without numbers the order of arrival tells; a form field wins over the manifest", async () => {
  const one = await uploadTrace(t, { slug: "ordered", manifest: { run_id: "r" } });
  const two = await uploadTrace(t, {
    slug: "ordered",
    manifest: { run_id: "other" },
    fields: { run_id: "r" },
  });
  const { items } = await attempts(two.id);
  expect(items.map(({ id, number, attempt }) => [id, number, attempt])).toEqual([
    [one.id, 1, null],
    [two.id, 2, null],
  ]);
});

test("a trace of no run stands alone, and of another org nothing is told", async () => {
  const alone = await uploadTrace(t, { slug: "ordered" });
  expect(await attempts(alone.id)).toMatchObject({ run_id: null, items: [{ id: alone.id, number: 1 }] });
  const { api } = await otherOrg(t);
  expect((await api(`/v1/traces/${alone.id}/attempts`)).status).toBe(403);
  expect((await t.api("/v1/traces/00000000-0000-7000-8000-000000000000/attempts")).status).toBe(404);
});

test("an export takes run and attempt along", async () => {
  const { id } = await uploadTrace(t, { slug: "moved", manifest: { run_id: "ci-9", attempt: 3 } });
  const file = new Uint8Array(await (await t.api(`/v1/traces/${id}/export`)).arrayBuffer());
  const body = uploadForm(file, { scenario_slug: "moved" });
  const response = await t.api("/v1/traces/ingest", { method: "POST", body });
  const { trace_id } = (await response.json()) as { trace_id: string };
  await t.runJobs();
  expect(await getJson(t, `/v1/traces/${trace_id}`)).toMatchObject({ run_id: "ci-9", attempt: 3 });
});

test("a run or an attempt that is none is refused, by its name, and nothing is stored", async () => {
  const before = await getJson<{ items: unknown[] }>(t, "/v1/traces?limit=200");
  const wrong: Record<string, string>[] = [
    { run_id: "" },
    { run_id: "a b" },
    { attempt: "0" },
    { attempt: "1.5" },
    { attempt: "x" },
  ];
  for (const fields of wrong) {
    const body = uploadForm(bundle([manifest(), events(eventLines(1))]), {
      scenario_slug: "bad",
      ...fields,
    });
    const response = await t.api("/v1/traces/ingest", { method: "POST", body });
    expect([fields, response.status]).toEqual([fields, 400]);
    expect(((await response.json()) as { message: string }).message).toContain(Object.keys(fields)[0]!);
  }
  const webhook = await post(t, "/internal/v1/ingest-webhook", {
    scenario_slug: "bad",
    bundle_path: "/x",
    attempt: 0,
  });
  expect(webhook.status).toBe(400);
  expect(await getJson<{ items: unknown[] }>(t, "/v1/traces?limit=200")).toEqual(before);
});
