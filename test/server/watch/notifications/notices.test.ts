import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Facts } from "../../../../server/watch/channel-types/facts.ts";
import { handOn, insertNotice } from "../../../../store/records/notices.ts";
import { upsertScenario } from "../../../../store/records/scenarios.ts";
import { notifyingServer } from "../../../helpers/notifying.ts";
import { runPeriodic } from "../../../helpers/traces.ts";

setDefaultTimeout(60_000);

const DAY_MS = 24 * 60 * 60_000;
const server = notifyingServer();
const { made, deliveries, receiver } = server;

describe("a notice", () => {
  test("whose time has come is told over the channels with what is stored of its incident, once", async () => {
    await made("/notice");
    const scenario = await insertScenario();
    const { now } = server.app.clock;
    const notice = {
      ...{
        id: server.app.deps.ids.uuid(),
        org_id: server.app.orgId,
        event: "monitor.errors",
        incident_id: null,
      },
      ...{ scenario_id: scenario, region: "eu-west-1", run_id: server.app.deps.ids.uuid(), channels: null },
      ...{ failure_signature: null, trace_id: null, reason: "3 runs in a row could not be made" },
      ...{ created_at: now(), due_at: now() + 30_000 },
    };
    await insertNotice(server.app.store.records, notice);
    const look = () => runPeriodic(server.app, "notices");
    await look();
    await server.app.runJobs();
    expect(receiver.at("/notice")).toEqual([]);
    server.app.clock.advance(30_000);
    await Promise.all([look(), look()]);
    await server.app.runJobs();
    const [told, ...more] = receiver.at("/notice");
    expect(more).toEqual([]);
    expect(JSON.parse(told!.body)).toMatchObject({
      event: "monitor.errors",
      scenarioSlug: "checkout",
      region: "eu-west-1",
    });
    expect(await deliveries()).toMatchObject([
      { title: expect.stringContaining("cannot be made in eu-west-1") },
    ]);
  });

  test("that cannot be told keeps no other back, and is told once it can be", async () => {
    await made("/apart");
    const scenario = await insertScenario();
    const lone = (id: string, more: object) =>
      insertNotice(server.app.store.records, {
        ...{
          id,
          org_id: server.app.orgId,
          event: "monitor.errors",
          incident_id: null,
          scenario_id: scenario,
        },
        ...{ region: id, run_id: null, failure_signature: null, trace_id: null, channels: null },
        ...{ due_at: server.app.clock.now(), created_at: server.app.clock.now(), reason: "now", ...more },
      });
    await lone("a-broken", { channels: "no JSON" });
    await lone("b-whole", {});
    const told = async () => {
      await runPeriodic(server.app, "notices");
      return receiver.at("/apart").map(({ body }) => (JSON.parse(body) as Facts).region);
    };
    expect(await told()).toEqual(["b-whole"]);
    await server.app.store.records
      .updateTable("notices")
      .set({ channels: null })
      .where("id", "=", "a-broken")
      .execute();
    expect(await told()).toEqual(["b-whole"]);
    server.app.clock.advance(15_000);
    expect(await told()).toEqual(["b-whole", "a-broken"]);
  });
});

test("a notice of no incident is forgotten after 90 days, once it was told", async () => {
  const lone = (id: string) =>
    insertNotice(server.app.store.records, {
      ...{ id, org_id: server.app.orgId, event: "gate.failed", incident_id: null, scenario_id: null },
      ...{ region: null, run_id: null, failure_signature: null, trace_id: null, channels: null },
      ...{ due_at: server.app.clock.now(), created_at: server.app.clock.now(), reason: "now" },
    });
  const left = async () =>
    (await server.app.store.records.selectFrom("notices").select("id").orderBy("id").execute()).map(
      ({ id }) => id,
    );
  await lone("a-told");
  await handOn(server.app.store.records, "a-told", server.app.clock.now());
  await lone("b-waits");
  server.app.clock.advance(90 * DAY_MS);
  await runPeriodic(server.app, "old notices");
  expect(await left()).toEqual(["a-told", "b-waits"]);
  server.app.clock.advance(1);
  await runPeriodic(server.app, "old notices");
  expect(await left()).toEqual(["b-waits"]);
});

async function insertScenario(): Promise<string> {
  const given = { orgId: server.app.orgId, slug: "checkout", title: "Checkout", now: server.app.clock.now() };
  return (await upsertScenario(server.app.store.records, { id: server.app.deps.ids.uuid(), ...given })).id;
}
