import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import Ajv from "ajv";
import type { Grid } from "../../../server/watch/grid/model.ts";
import { followRun } from "../../../server/watch/incidents/follow-run.ts";
import type { StatusSummary } from "../../../server/watch/status/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { endRuns, rowsOf, scenarioText, send, syncScenarios, watched } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

let t: TestApp;
beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { reads_per_minute: 100_000, writes_per_minute: 100_000 } } });
  await syncScenarios(t, { shop: scenarioText("shop"), search: scenarioText("search") });
});
afterAll(() => t.close());

const grid = async () => (await (await t.api("/v1/monitoring/grid")).json()) as Grid;
const told = ({ cells }: Grid) =>
  cells.map(({ region, status, history }) => `${region} ${status}: ${history.join(" ")}`);

/** The schema of an answer, as the API's description has it. */
async function described(path: string): Promise<object> {
  interface Described {
    paths: Record<string, { get: { responses: { 200: { content: Record<string, { schema: object }> } } } }>;
  }
  const { paths } = (await (await t.api("/openapi.json")).json()) as Described;
  return paths[path]!.get.responses[200].content["application/json"]!.schema;
}

/** The next fire, whose runs end so. */
async function fire(check: string, status: "passed" | "failed", minutes = 5) {
  t.clock.advance(minutes * 60_000);
  await t.tick();
  await endRuns(t, check, status);
  const at = t.clock.now();
  const surroundings = { quietUntil: async () => null, retry: async () => {} };
  for (const run of await rowsOf(t, check))
    if (run.ended_at === at) await followRun(t.deps, surroundings, run.id);
}

test("the grid tells each region of what is watched, with what was left out as no data", async () => {
  expect((await grid()).cells).toEqual([]);
  const check = await watched(t, "shop", {
    regions: ["us-east-1", "eu-west-1"],
    alert_policy: { retries: 0 },
  });
  await watched(t, "search", { enabled: false });
  expect(told(await grid())).toEqual(["us-east-1 no_data: ", "eu-west-1 no_data: "]);
  await fire(check, "passed");
  await fire(check, "passed", 20);
  const after = await grid();
  expect(after.scenarios.map(({ slug }) => slug)).toEqual(["shop"]);
  expect(after.regions).toEqual(["eu-west-1", "us-east-1"]);
  expect(told(after)).toEqual([
    "us-east-1 passing: passing no_data passing",
    "eu-west-1 passing: passing no_data passing",
  ]);
  expect(after.cells[0]).toMatchObject({ p50_ms: 0, p99_ms: 0, incident_id: null });
  // It is put together as text: no schema is asked on its way out.
  const isGrid = new Ajv({ strict: false, validateFormats: false }).compile(await described("/v1/monitoring/grid"));
  expect([isGrid(after), isGrid.errors]).toEqual([true, null]);
  await fire(check, "failed");
  expect((await grid()).cells[0]).toMatchObject({ status: "failing", incident_id: null });
  await fire(check, "failed");
  const { status, incident_id } = (await grid()).cells[0]!;
  expect([status, typeof incident_id]).toEqual(["failing", "string"]);
  const silenced = { duration_seconds: 3600, reason: "known" };
  const answer = await send(t, "POST", `/v1/incidents/${incident_id}/suppress`, silenced);
  expect(await answer.json()).toMatchObject({ status: "suppressed" });
  expect((await grid()).cells.map(({ status }) => status)).toEqual(["suppressed", "failing"]);
  await send(t, "POST", `/v1/scheduled_checks/${check}/pause`, { hours: 1 });
  expect((await grid()).cells.map(({ status }) => status)).toEqual(["paused", "paused"]);
});

test("the public status needs no credential, is cacheable, and tells nothing but titles and states", async () => {
  const open = (headers = {}) => t.api("/v1/status", { headers: { authorization: "", ...headers } });
  const first = await open();
  expect(first.headers.get("cache-control")).toBe("public, max-age=30");
  expect(first.headers.get("access-control-allow-origin")).toBe("*");
  const etag = first.headers.get("etag")!;
  expect((await open({ "if-none-match": etag })).status).toBe(304);
  const text = await first.text();
  const summary = JSON.parse(text) as StatusSummary;
  expect(summary.status.indicator).toBe("major");
  expect(summary.components.map(({ name, status }) => [name, status])).toEqual([["shop", "partial_outage"]]);
  expect(summary.incidents.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
    "shop: failing in eu-west-1 investigating",
    "shop: failing in us-east-1 investigating",
  ]);
  for (const word of ["127.0.0.1", "go to", "signature"]) expect(text).not.toContain(word);
  const id = summary.incidents[0]!.id;
  await send(t, "POST", `/v1/incidents/${id}/ack`);
  t.clock.advance(5000);
  const after = (await (await open()).json()) as StatusSummary;
  expect(after.incidents.find((incident) => incident.id === id)!.status).toBe("identified");
});
