import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { recordPreflight, scenarioText, send, syncScenarios } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const sync = (schedule: string) =>
  syncScenarios(t, { shop: scenarioText("shop", schedule === "" ? "" : `schedule: ${schedule}\n`) });
const checks = async () =>
  ((await (await t.api("/v1/scheduled_checks?scenario=shop")).json()) as { items: { id: string }[] }).items;

test("the schedule of a file is a check that is off until its preflight is recorded and somebody switches it on", async () => {
  const ids = await sync(
    "{ cron: '*/10 * * * *', regions: [us-east-1, eu-west-1], timezone: Europe/Berlin }",
  );
  const [check] = await checks();
  expect(check).toMatchObject({
    origin: "file",
    cron: "*/10 * * * *",
    timezone: "Europe/Berlin",
    regions: ["us-east-1", "eu-west-1"],
    enabled: false,
    next_run_at: null,
  });
  const on = () => send(t, "PUT", `/v1/scheduled_checks/${check!.id}`, { enabled: true });
  expect(await (await on()).json()).toMatchObject({ error: "preflight_required" });
  await recordPreflight(t, ids.shop!);
  expect(await (await on()).json()).toMatchObject({ enabled: true, next_run_at: "2026-03-01T12:10:00.000Z" });
});

test("what people changed of it holds until the file's own schedule changes", async () => {
  const [check] = await checks();
  await send(t, "PUT", `/v1/scheduled_checks/${check!.id}`, { cron: "*/20 * * * *" });
  await sync("{ cron: '*/10 * * * *', regions: [us-east-1, eu-west-1], timezone: Europe/Berlin }");
  expect(await checks()).toMatchObject([{ id: check!.id, cron: "*/20 * * * *" }]);
  await sync("{ cron: '*/15 * * * *' }");
  expect(await checks()).toMatchObject([
    {
      ...{ id: check!.id, cron: "*/15 * * * *", timezone: "UTC", regions: ["us-east-1"] },
      ...{ enabled: true, next_run_at: "2026-03-01T12:15:00.000Z" },
    },
  ]);
});

test("a file without a schedule any more has its check switched off; one that is removed comes again", async () => {
  await sync("");
  const [check] = await checks();
  expect(check).toMatchObject({ enabled: false, next_run_at: null });
  await t.api(`/v1/scheduled_checks/${check!.id}`, { method: "DELETE" });
  expect(await checks()).toEqual([]);
  await sync("{ cron: '*/15 * * * *' }");
  expect(await checks()).toHaveLength(1);
});
