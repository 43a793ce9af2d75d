import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startShop } from "../../fixtures/app/shop.ts";
import { testApp } from "../helpers/app.ts";
import { runProgram, scratchFolder, startProgram } from "../helpers/program.ts";
import { recordPreflight, scenarioText, syncScenarios } from "../helpers/watch.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const data = scratch.at("data");
beforeAll(async () => {
  const t = await testApp({ dataDir: data });
  const ids = await syncScenarios(t, { shop: scenarioText("shop"), unseen: scenarioText("unseen") });
  await recordPreflight(t, ids.shop!);
  await t.close();
});
afterAll(() => scratch.remove());

const checks = (...args: string[]) => runProgram(["checks", ...args, "--data", data]);
const json = async (...args: string[]) => JSON.parse((await checks(...args, "--json")).stdout);

describe("tracedeck checks", () => {
  test("makes, shows, changes, pauses, switches and removes a check", async () => {
    const made = await json(
      "create",
      "shop",
      "--cron",
      "*/10 * * * *",
      "--region",
      "us-east-1",
      "--policy",
      '{"retries":2}',
    );
    expect(made).toMatchObject({ cron: "*/10 * * * *", enabled: true, alert_policy: { retries: 2 } });
    const { id } = made as { id: string };
    expect(await json("update", id, "--timezone", "Europe/Berlin")).toMatchObject({
      timezone: "Europe/Berlin",
    });
    expect((await json("pause", id, "--hours", "1.5")).paused_until).toEndWith("Z");
    expect((await checks("list")).stdout).toMatch(
      /shop +\*\/10 \* \* \* \* \(Europe\/Berlin\) +us-east-1 +paused until/,
    );
    expect(await json("resume", id)).toMatchObject({ paused_until: null });
    expect(await json("disable", id)).toMatchObject({ enabled: false, next_run_at: null });
    expect((await checks("enable", id)).stdout).toContain("on, next run ");
    expect((await checks("show", id)).stdout).toContain("shop");
    expect(await json("rm", id)).toEqual({ id, removed: true });
    expect(await json("list")).toEqual({ items: [], next_cursor: null });
  });

  test("says what is missing", async () => {
    const refused = await checks("create", "unseen");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("preflight");
    expect((await checks("pause", "01997c3e-5a10-7c4e-9f0a-1d2b3c4d5e6f")).code).toBe(2);
    expect((await checks("update", "01997c3e-5a10-7c4e-9f0a-1d2b3c4d5e6f")).code).toBe(2);
    expect((await checks("show", "7")).code).toBe(2);
  });
});

describe("tracedeck cron next", () => {
  const next = (...args: string[]) => runProgram(["cron", "next", ...args]);

  test("shows fires in the zone and in UTC, and warns where clocks change on the way", async () => {
    const from = ["--timezone", "Europe/Berlin", "--from", "2026-10-25T00:15:00Z", "--count", "2"];
    const told = await next("*/30 * * * *", ...from);
    expect(told.stdout).toContain("2026-10-25T02:30+02:00  2026-10-25T00:30:00.000Z");
    expect(told.stdout).toContain("2026-10-25T02:00+01:00  2026-10-25T01:00:00.000Z");
    expect(told.stderr).toContain("go back from 03:00 to 02:00");
    expect(JSON.parse((await next("*/30 * * * *", ...from, "--json")).stdout)).toEqual({
      fires: [
        { at: "2026-10-25T00:30:00.000Z", local: "2026-10-25T02:30+02:00" },
        { at: "2026-10-25T01:00:00.000Z", local: "2026-10-25T02:00+01:00" },
      ],
      warnings: [expect.stringContaining("Europe/Berlin")],
    });
  });

  test("says what no check may have, and refuses what cannot be read", async () => {
    expect((await next("30 2 * * *")).stderr).toContain("too seldom");
    expect((await next("@daily", "--count", "1")).code).toBe(0);
    for (const wrong of ["61 * * * *", "* * * * * *", "@never", ""]) expect((await next(wrong)).code).toBe(2);
    expect((await next("@hourly", "--timezone", "Mars")).code).toBe(2);
  });
});

describe("tracedeck checks preflight", () => {
  test("needs a server to make the run", async () => {
    const { code, stderr } = await checks("preflight", "unseen");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("tracedeck serve") });
  });

  test("records that a target knows synthetic users, after which the scenario may be watched", async () => {
    const shop = startShop();
    const server = await startProgram(data);
    try {
      const text = scenarioText("seen").replace("http://127.0.0.1:9", shop.url);
      await server.api("/v1/scenarios/sync", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ files: [{ path: "seen.scenario.md", text }] }),
      });
      expect(await json("preflight", "seen")).toMatchObject({ recorded: true });
      expect(await checks("create", "seen")).toMatchObject({ code: 0 });
      expect(await checks("preflight", "none")).toMatchObject({ code: 1, stdout: "" });
    } finally {
      await server.stop();
      await shop.stop();
    }
  });
});
