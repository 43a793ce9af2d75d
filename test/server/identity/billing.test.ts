import { expect, test } from "bun:test";
import type { Usage } from "../../../server/identity/billing/model.ts";
import { createTestClock, testApp } from "../../helpers/app.ts";
import { oneOfEach } from "../../helpers/nouns.ts";
import { person, secondOrg } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, uploadTrace } from "../../helpers/traces.ts";

const usage = "/v1/billing/usage";

test("usage is counted from what there is, of the calendar month and of one org, against the plan", async () => {
  const clock = createTestClock(Date.parse("2026-02-28T23:00:00.000Z"));
  await using t = await testApp({
    clock,
    settings: { plan: "business", debugger: { budget_cents_per_month: 900 } },
  });
  await uploadTrace(t);
  clock.advance(2 * 60 * 60_000);
  const other = await secondOrg(t);
  await oneOfEach(t, other);
  await statement(t.store, "UPDATE runs SET duration_ms = 90000");
  const mine = await getJson<Usage>(t, usage);
  expect(mine).toMatchObject({
    plan: "business",
    period: { start: "2026-03-01T00:00:00.000Z", end: "2026-04-01T00:00:00.000Z" },
    runs: { used: 0, limit: null },
    ingests: { used: 0, limit: null },
    debugger_cents: { used: 0, limit: 900 },
    members: { used: 1 },
    replays: { used: 0, limit: 10 },
    limits: { upload_bytes: 4 * 1024 ** 3, hot_days: 90, warm_days: 365, regions: 6 },
  });
  expect(mine.storage_bytes.used).toBeGreaterThan(0);
  const theirs = await other.owner.send<Usage>("GET", usage);
  expect(theirs.body).toMatchObject({
    runs: { used: 1 },
    run_minutes: { used: 1.5 },
    ingests: { used: 1 },
    // With the one that its directory has provisioned.
    members: { used: 3 },
    replays: { used: 1 },
  });
});

test("usage is for who has to do with the bill", async () => {
  await using t = await testApp();
  const [billing, member] = [await person(t, "billing"), await person(t, "member")];
  expect((await billing.send("GET", usage)).status).toBe(200);
  expect((await billing.send("GET", "/v1/traces")).status).toBe(403);
  expect((await billing.send("GET", `/v1/orgs/${t.orgId}`)).status).toBe(403);
  expect((await member.send("GET", usage)).status).toBe(403);
});
