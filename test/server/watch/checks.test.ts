import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { changeCheck } from "../../../store/records/checks.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { recordPreflight, scenarioText, send, syncScenarios, watched } from "../../helpers/watch.ts";

setDefaultTimeout(60_000);

let t: TestApp;
let ids: Record<string, string>;
beforeAll(async () => {
  t = await testApp();
  ids = await syncScenarios(t, {
    shop: scenarioText("shop"),
    bare: '---\nslug: bare\ntitle: bare\n---\n1. go to "http://127.0.0.1:9"\n',
    unseen: scenarioText("unseen"),
  });
  for (const slug of ["shop", "bare"]) await recordPreflight(t, ids[slug]!);
});
afterAll(() => t.close());

const CHECKS = "/v1/scheduled_checks";
const create = (body: object) => send(t, "POST", CHECKS, body);
const json = async <T extends object = Record<string, unknown> & { id: string }>(
  response: Response | Promise<Response>,
) => (await (await response).json()) as T;
const audited = async (action: string) =>
  t.store.records.selectFrom("audit_events").selectAll().where("action", "=", action).execute();

describe("a check", () => {
  test("has its defaults, is told whole, listed newest first, and written down in the audit log", async () => {
    const made = await json(create({ scenario_id: "shop" }));
    expect(made).toEqual({
      id: expect.any(String),
      scenario_id: ids.shop,
      scenario_slug: "shop",
      scenario_title: "shop",
      cron: "*/5 * * * *",
      timezone: "UTC",
      regions: ["us-east-1"],
      shadow_prod: false,
      slo: null,
      alert_policy: {
        consecutive_failures: 2,
        failure_rate: { percent: 50, window_minutes: 30, min_samples: 4 },
        shadow_diff: false,
        self_heal: "informational",
        retries: 1,
      },
      enabled: true,
      origin: "api",
      paused_until: null,
      next_run_at: "2026-03-01T12:05:00.000Z",
      last_run_at: null,
      last_runs: [],
      created_at: "2026-03-01T12:00:00.000Z",
      updated_at: "2026-03-01T12:00:00.000Z",
    });
    expect(await json(t.api(`${CHECKS}/${made.id}`))).toEqual(made);
    const second = await json(create({ scenario_id: ids.shop, enabled: false, shadow_prod: true }));
    expect(second).toMatchObject({ enabled: false, next_run_at: null, alert_policy: { shadow_diff: true } });
    const list = async (query: string) =>
      (await json(t.api(`${CHECKS}?${query}`))) as { items: { id: string }[] };
    expect((await list("scenario=shop")).items.map(({ id }) => id)).toEqual([second.id, made.id]);
    expect((await list("enabled=true")).items.map(({ id }) => id)).toEqual([made.id]);
    expect((await list("scenario=none")).items).toEqual([]);
    const page = (await json(t.api(`${CHECKS}?limit=1`))) as { next_cursor: string };
    expect((await list(`limit=1&cursor=${page.next_cursor}`)).items.map(({ id }) => id)).toEqual([made.id]);
    expect(await audited("check.create")).toHaveLength(2);
  });

  test.each([
    [{ scenario_id: "none" }, 404, "not_found", "scenario"],
    [{ scenario_id: "unseen" }, 422, "preflight_required", "/preflight"],
    [{ scenario_id: "unseen", enabled: false }, 422, "preflight_required", "/preflight"],
    [{ scenario_id: "bare" }, 422, "validation_failed", "base_url"],
    [{ scenario_id: "shop", cron: "0 0 * * *" }, 422, "cron_invalid", "too seldom"],
    [{ scenario_id: "shop", cron: "@daily" }, 422, "cron_invalid", "@hourly"],
    [{ scenario_id: "shop", cron: "* * * * * *" }, 422, "cron_invalid", "five fields"],
    [{ scenario_id: "shop", cron: "61 * * * *" }, 422, "cron_invalid", "minute"],
    [{ scenario_id: "shop", cron: "\0 * * * *" }, 422, "cron_invalid", "minute"],
    [{ scenario_id: "shop", timezone: "Mars/Olympus" }, 422, "validation_failed", "Europe/Berlin"],
    [{ scenario_id: "shop", timezone: "+02:00" }, 422, "validation_failed", "Europe/Berlin"],
    [{ scenario_id: "shop", regions: ["us-west-2"] }, 422, "validation_failed", "us-east-1"],
    [{ scenario_id: "shop", regions: [] }, 422, "validation_failed", "regions"],
    [{ scenario_id: "shop", region: "us-east-1" }, 422, "validation_failed", "region"],
    [{ scenario_id: "shop", alert_policy: { retry: 1 } }, 422, "validation_failed", "retry"],
    [{ scenario_id: "shop", alert_policy: { retries: 6 } }, 422, "validation_failed", "retries"],
  ])("%j is %i %s", async (body, status, error, part) => {
    const answer = await create(body);
    const told = await json(answer);
    expect({ status: answer.status, error: told.error }).toEqual({ status, error });
    expect(String(told.message)).toContain(part);
  });

  test("of a plan with five minutes does not come each minute", async () => {
    const free = await testApp({ settings: { plan: "free" } });
    const id = await watched(free, "shop");
    const often = await send(free, "PUT", `${CHECKS}/${id}`, { cron: "*/2 * * * *" });
    expect(often.status).toBe(422);
    expect(await often.json()).toMatchObject({ error: "cron_too_frequent" });
    expect((await send(free, "PUT", `${CHECKS}/${id}`, { regions: ["eu-west-1"] })).status).toBe(422);
    await free.close();
  });

  test("is changed in part; what is named of its policy replaces all of it", async () => {
    const id = await watched(t, "shop", { alert_policy: { retries: 3, channels: [] } });
    const changed = await json(
      send(t, "PUT", `${CHECKS}/${id}`, {
        cron: "17 * * * *",
        timezone: "Asia/Kolkata",
        alert_policy: { consecutive_failures: null, latency_p99: { ms: 900 } },
      }),
    );
    expect(changed).toMatchObject({
      cron: "17 * * * *",
      next_run_at: "2026-03-01T12:47:00.000Z",
      regions: ["us-east-1"],
      alert_policy: {
        consecutive_failures: null,
        latency_p99: { ms: 900, window_minutes: 30 },
        retries: 1,
      },
    });
    expect(changed.alert_policy).not.toHaveProperty("channels");
    const off = await json(send(t, "PUT", `${CHECKS}/${id}`, { enabled: false }));
    expect(off).toMatchObject({ enabled: false, next_run_at: null });
    const on = await json(send(t, "PUT", `${CHECKS}/${id}`, { enabled: true }));
    expect(on).toMatchObject({ enabled: true, next_run_at: "2026-03-01T12:47:00.000Z" });
  });

  test("names channels that are there, in whatever letters, and keeps one that was removed since", async () => {
    const email = { type: "email", name: "x", address: "a@shop.example" };
    const made = (await (await send(t, "POST", "/v1/notification-channels", email)).json()) as { id: string };
    const id = await watched(t, "shop", { alert_policy: { channels: [made.id.toUpperCase()] } });
    const policy = async (channels: string[]) => {
      const answer = await send(t, "PUT", `${CHECKS}/${id}`, { alert_policy: { channels } });
      const body = (await answer.json()) as { message?: string; alert_policy?: { channels: string[] } };
      return [answer.status, body.alert_policy?.channels ?? body.message];
    };
    expect(await json(t.api(`${CHECKS}/${id}`))).toMatchObject({ alert_policy: { channels: [made.id] } });
    const naming = async (channel: string) =>
      (await json<{ items: { id: string }[] }>(t.api(`${CHECKS}?channel=${channel}`))).items.map(
        (item) => item.id,
      );
    expect(await naming(made.id.toUpperCase())).toEqual([id]);
    expect(await naming(Bun.randomUUIDv7())).toEqual([]);
    expect((await t.api(`${CHECKS}?channel=%25`)).status).toBe(422);
    const nobody = "0199a1b2-0000-7000-8000-000000000009";
    expect(await policy([made.id, nobody])).toEqual([422, expect.stringContaining(nobody)]);
    const scenario = { scenario_id: "shop", alert_policy: { channels: [nobody] } };
    expect((await send(t, "POST", CHECKS, scenario)).status).toBe(422);
    await t.api(`/v1/notification-channels/${made.id}`, { method: "DELETE" });
    expect(await policy([made.id])).toEqual([200, [made.id]]);
    expect(await policy([])).toEqual([200, []]);
    expect(await policy([made.id])).toEqual([422, expect.stringContaining(made.id)]);
  });

  test("is switched on by the schedule and regions that come with it, not by those of before", async () => {
    const id = await watched(t, "shop");
    await send(t, "PUT", `${CHECKS}/${id}`, { enabled: false });
    // As a region that was taken out of the settings, and a cadence that the plan no longer has.
    await changeCheck(t.store.records, id, { regions: '["gone-1"]', cron: "*/7 0 * * *" });
    const refused = await send(t, "PUT", `${CHECKS}/${id}`, { enabled: true });
    expect(refused.status).toBe(422);
    const on = { enabled: true, regions: ["us-east-1"], cron: "*/5 * * * *" };
    expect(await json(send(t, "PUT", `${CHECKS}/${id}`, on))).toMatchObject(on);
  });

  test("is gone once removed, and its runs stay", async () => {
    const id = await watched(t, "shop");
    expect((await t.api(`${CHECKS}/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await t.api(`${CHECKS}/${id}`, { method: "DELETE" })).status).toBe(404);
    expect((await t.api(`${CHECKS}/${id}`)).status).toBe(404);
  });
});

describe("a pause", () => {
  const pause = (id: string, body: object) => send(t, "POST", `${CHECKS}/${id}/pause`, body);

  test("moves the next run behind its end; another replaces its end, and zero hours end it", async () => {
    const id = await watched(t, "shop");
    expect(await json(pause(id, { hours: 2 }))).toMatchObject({
      paused_until: "2026-03-01T14:00:00.000Z",
      next_run_at: "2026-03-01T14:00:00.000Z",
    });
    expect(await json(pause(id, { until: "2026-03-01T13:01:00+01:00" }))).toMatchObject({
      paused_until: "2026-03-01T12:01:00.000Z",
      next_run_at: "2026-03-01T12:05:00.000Z",
    });
    const row = await t.store.records
      .selectFrom("scheduled_checks")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ paused_at: t.clock.now(), paused_by: expect.stringMatching(/^\w+:/) });
    for (let again = 0; again < 2; again++)
      expect(await json(pause(id, { hours: 0 }))).toMatchObject({
        paused_until: null,
        next_run_at: "2026-03-01T12:05:00.000Z",
      });
  });

  test.each([
    [{}, "hours"],
    [{ hours: 1, until: "2026-03-01T13:00:00Z" }, "hours"],
    [{ hours: -1 }, "hours"],
    [{ hours: 721 }, "hours"],
    [{ until: "2026-03-01T11:00:00Z" }, "until"],
    [{ until: "2026-05-01T11:00:00Z" }, "until"],
    [{ until: "soon" }, "until"],
    [{ hours: 1, reason: "x" }, "reason"],
  ])("%j is refused", async (body, part) => {
    const id = await watched(t, "shop");
    const answer = await pause(id, body);
    expect(answer.status).toBe(422);
    expect(String((await json(answer)).message)).toContain(part);
  });
});

describe("the next fires", () => {
  test("are told with where clocks change on the way", async () => {
    const fires = await json<object>(
      t.api(`${CHECKS}/fires?cron=*/30+*+*+*+*&timezone=Europe/Berlin&from=2026-10-25T00:15:00Z&count=3`),
    );
    expect(fires).toEqual({
      fires: [
        { at: "2026-10-25T00:30:00.000Z", local: "2026-10-25T02:30+02:00" },
        { at: "2026-10-25T01:00:00.000Z", local: "2026-10-25T02:00+01:00" },
        { at: "2026-10-25T01:30:00.000Z", local: "2026-10-25T02:30+01:00" },
      ],
      warnings: [expect.stringContaining("go back from 03:00 to 02:00")],
    });
    expect(await json(t.api(`${CHECKS}/fires`))).toMatchObject({ warnings: [] });
    expect((await t.api(`${CHECKS}/fires?cron=5`)).status).toBe(422);
    expect((await t.api(`${CHECKS}/fires?from=soon`)).status).toBe(422);
  });
});

describe("who may", () => {
  test("a key without the scope changes nothing, and reads with runs:read", async () => {
    const id = await watched(t, "shop");
    const { key } = await json<{ key: string }>(
      send(t, "POST", "/v1/api-keys", { name: "r", scopes: ["runs:read"] }),
    );
    const as = (method: string, path: string, body?: object) =>
      t.api(path, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
    expect((await as("GET", `${CHECKS}/${id}`)).status).toBe(200);
    const refused = await as("POST", `${CHECKS}/${id}/pause`, { hours: 1 });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      error: "insufficient_scope",
      message: expect.stringContaining("scheduled_checks:manage"),
    });
    expect((await as("DELETE", `${CHECKS}/${id}`)).status).toBe(403);
  });

  test("another org's check is 403, and its scenario is not there", async () => {
    const id = await watched(t, "shop");
    await t.store.records
      .insertInto("orgs")
      .values({ id: "o2", slug: "o2", name: "o2", created_at: 1 })
      .execute();
    await t.store.records
      .updateTable("scheduled_checks")
      .set({ org_id: "o2" })
      .where("id", "=", id)
      .execute();
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PUT", "", { enabled: false }],
      ["DELETE", "", undefined],
      ["POST", "/pause", { hours: 1 }],
    ] as const) {
      const answer = await send(t, method, `${CHECKS}/${id}${path}`, body);
      expect(await answer.json()).toMatchObject({ error: "wrong_org" });
    }
  });
});
