import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isInMaintenance, spansOf, windowsFor } from "../../../server/watch/maintenance/windows.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { scenarioText, send, syncScenarios } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

const WINDOWS = "/v1/maintenance-windows";
const berlin = { timezone: "Europe/Berlin", starts_at: null, cron: null, duration_minutes: 60 };
const at = (text: string) => Date.parse(text);
const shown = (window: Parameters<typeof spansOf>[0], from: string, count = 1) =>
  spansOf(window, at(from), count).map((span) =>
    [span.from, span.to].map((ms) => new Date(ms).toISOString().slice(0, 16)),
  );

describe("a window", () => {
  test("begins with its first moment and ends before its last", () => {
    const window = { ...berlin, starts_at: "2026-06-01T10:00" };
    const within = (text: string) => isInMaintenance([window], at(text));
    expect(within("2026-06-01T07:59:59.999Z")).toBe(false);
    expect(within("2026-06-01T08:00:00.000Z")).toBe(true);
    expect(within("2026-06-01T08:59:59.999Z")).toBe(true);
    expect(within("2026-06-01T09:00:00.000Z")).toBe(false);
    expect(isInMaintenance([], at("2026-06-01T08:00:00Z"))).toBe(false);
  });

  test("whose beginning clocks leave out begins after the gap, and lasts its minutes", () => {
    const once = { ...berlin, starts_at: "2026-03-29T02:30" };
    expect(shown(once, "2026-03-28T00:00:00Z")).toEqual([["2026-03-29T01:00", "2026-03-29T02:00"]]);
    const nightly = { ...berlin, cron: "30 2 * * *" };
    expect(shown(nightly, "2026-03-28T12:00:00Z", 2)).toEqual([
      ["2026-03-29T01:00", "2026-03-29T02:00"],
      ["2026-03-30T00:30", "2026-03-30T01:30"],
    ]);
  });

  test("whose beginning comes twice begins once, the first time", () => {
    const once = { ...berlin, starts_at: "2026-10-25T02:30" };
    expect(shown(once, "2026-10-24T00:00:00Z", 5)).toEqual([["2026-10-25T00:30", "2026-10-25T01:30"]]);
    const nightly = { ...berlin, cron: "30 2 * * *" };
    expect(shown(nightly, "2026-10-24T12:00:00Z", 2)).toEqual([
      ["2026-10-25T00:30", "2026-10-25T01:30"],
      ["2026-10-26T01:30", "2026-10-26T02:30"],
    ]);
  });

  test("that comes weekly is told in its zone, the one that goes on first", () => {
    const weekly = { ...berlin, cron: "0 2 * * SUN", duration_minutes: 180 };
    expect(shown(weekly, "2026-06-07T01:00:00Z", 2)).toEqual([
      ["2026-06-07T00:00", "2026-06-07T03:00"],
      ["2026-06-14T00:00", "2026-06-14T03:00"],
    ]);
  });

  test("is meant for the scenarios that it names, or for all", () => {
    const [all, one] = [{ scenario_ids: null }, { scenario_ids: '["a"]' }];
    expect(windowsFor([all, one], "a")).toEqual([all, one]);
    expect(windowsFor([all, one], "b")).toEqual([all]);
  });
});

describe("windows of an org", () => {
  let t: TestApp;
  let ids: Record<string, string>;
  beforeAll(async () => {
    t = await testApp();
    ids = await syncScenarios(t, { shop: scenarioText("shop") });
  });
  afterAll(() => t.close());

  test("are made, changed, listed and removed, and each act is written down", async () => {
    const made = (await (
      await send(t, "POST", WINDOWS, {
        ...{ name: "Deploy", timezone: "Europe/Berlin", starts_at: "2026-03-01T12:30", duration_minutes: 60 },
        scenarios: ["shop"],
      })
    ).json()) as { id: string };
    expect(made).toMatchObject({
      ...{ cron: null, scenarios: [ids.shop], active: true },
      next: [{ from: "2026-03-01T11:30:00.000Z", to: "2026-03-01T12:30:00.000Z" }],
    });
    const changed = await send(t, "PUT", `${WINDOWS}/${made.id}`, { cron: "0 2 * * SUN", scenarios: null });
    const answer = (await changed.json()) as { next: unknown[] };
    expect(answer).toMatchObject({ starts_at: null, cron: "0 2 * * SUN", scenarios: null, active: false });
    expect(answer.next).toHaveLength(5);
    expect(await (await t.api(WINDOWS)).json()).toEqual({ items: [answer] });
    expect(await (await t.api(`${WINDOWS}/${made.id}`)).json()).toEqual(answer);
    expect((await t.api(`${WINDOWS}/${made.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await t.api(`${WINDOWS}/${made.id}`)).status).toBe(404);
    const acts = await t.store.records
      .selectFrom("audit_events")
      .select("action")
      .where("target", "=", made.id)
      .orderBy("seq")
      .execute();
    expect(acts.map(({ action }) => action)).toEqual(
      ["create", "update", "delete"].map((act) => `maintenance.${act}`),
    );
  });

  test.each([
    [{ name: "x", duration_minutes: 5 }, "starts_at"],
    [{ name: "x", duration_minutes: 5, starts_at: "2026-03-01T12:30", cron: "0 2 * * *" }, "starts_at"],
    [{ name: "x", duration_minutes: 5, starts_at: "2026-02-30T12:30" }, "calendar"],
    [{ name: "x", duration_minutes: 5, starts_at: "2026-03-01T25:30" }, "calendar"],
    [{ name: "x", duration_minutes: 5, starts_at: "2026-12-31T24:00" }, "00:00 of the next day"],
    [{ name: "x", duration_minutes: 5, starts_at: "0000-03-01T12:30" }, "calendar"],
    [{ name: "x", duration_minutes: 5, starts_at: "tomorrow" }, "starts_at"],
    [{ name: "x", duration_minutes: 0, cron: "0 2 * * *" }, "duration_minutes"],
    [{ name: "x", duration_minutes: 5, cron: "0 2 30 2 *" }, "never"],
    [{ name: "x", duration_minutes: 5, cron: "0 2 * * *", timezone: "Berlin" }, "timezone"],
    [{ name: "x", duration_minutes: 5, cron: "0 2 * * *", scenarios: ["none"] }, "none"],
    [{ name: "x", duration_minutes: 5, cron: "0 2 * * *", repeat: true }, "repeat"],
  ])("%j is refused", async (body, part) => {
    const answer = await send(t, "POST", WINDOWS, body);
    expect(answer.status).toBe(422);
    expect(((await answer.json()) as { message: string }).message).toContain(part);
    expect(await (await t.api(WINDOWS)).json()).toEqual({ items: [] });
  });

  test("of another org are 403", async () => {
    const made = await send(t, "POST", WINDOWS, { name: "x", duration_minutes: 5, cron: "0 2 * * *" });
    const { id } = (await made.json()) as { id: string };
    await t.store.records
      .insertInto("orgs")
      .values({ id: "o2", slug: "o2", name: "o2", created_at: 1 })
      .execute();
    await t.store.records.updateTable("maintenance_windows").set({ org_id: "o2" }).execute();
    for (const [method, body] of [["GET"], ["PUT", { name: "y" }], ["DELETE"]] as const)
      expect((await send(t, method, `${WINDOWS}/${id}`, body)).status).toBe(403);
  });
});
