import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { person, secondOrg } from "../../helpers/org-people.ts";
import { createReceiver } from "../../helpers/receiver.ts";
import { getJson, post, uploadTrace } from "../../helpers/traces.ts";
import { recordPreflight, syncScenarios } from "../../helpers/watch.ts";

interface Status {
  steps: { key: string; title: string; done: boolean; at: string | null }[];
}

let t: TestApp;
let receiver: ReturnType<typeof createReceiver>;
beforeAll(async () => {
  t = await testApp({ settings: { notifications: { allow_private_addresses: true } } });
  receiver = createReceiver();
});
afterAll(async () => {
  receiver.close();
  await t.close();
});

const status = () => getJson<Status>(t, "/v1/onboarding/status");
const doneKeys = async () => (await status()).steps.filter(({ done }) => done).map(({ key }) => key);

const KEYS = [
  "scenario_written",
  "scenario_passed",
  "preflight_recorded",
  "analytics_acknowledged",
  "check_enabled",
  "channel_tested",
];

test("an empty org has every step before it, in order, and their keys stand in the OpenAPI document", async () => {
  const { steps } = await status();
  expect(steps.map(({ key }) => key)).toEqual(KEYS);
  for (const { done, at, title } of steps) {
    expect({ done, at }).toEqual({ done: false, at: null });
    expect(title).not.toBe("");
  }
  const document = JSON.stringify(await getJson(t, "/openapi.json"));
  for (const key of KEYS) expect(document).toContain(`"${key}"`);
});

test("each step is done when the org has what it asks for, at the time when that came", async () => {
  const written = await post(t, "/v1/scenarios", {
    path: "shop.scenario.md",
    text: '---\nslug: shop\ntitle: Shop\nbase_url: https://shop.example\n---\n1. go to "/"\n',
  });
  expect(written.status).toBe(200);
  const { id } = (await written.json()) as { id: string };
  expect(await doneKeys()).toEqual(KEYS.slice(0, 1));

  t.clock.advance(60_000);
  await uploadTrace(t, { slug: "shop" });
  const passedAt = new Date(t.clock.now()).toISOString();
  t.clock.advance(60_000);
  expect((await status()).steps[1]).toMatchObject({ done: true, at: passedAt });

  await recordPreflight(t, id);
  expect(await doneKeys()).toEqual(KEYS.slice(0, 3));
  expect((await post(t, "/v1/onboarding/analytics-ack")).status).toBe(200);
  expect(await doneKeys()).toEqual(KEYS.slice(0, 4));

  const check = await post(t, "/v1/scheduled_checks", { scenario_id: "shop", enabled: false });
  expect(check.status).toBe(200);
  expect(await doneKeys()).toEqual(KEYS.slice(0, 4));
  const { id: checkId } = (await check.json()) as { id: string };
  const headers = { "content-type": "application/json" };
  const put = (body: object) =>
    t.api(`/v1/scheduled_checks/${checkId}`, { method: "PUT", headers, body: JSON.stringify(body) });
  expect((await put({ enabled: true })).status).toBe(200);
  expect(await doneKeys()).toEqual(KEYS.slice(0, 5));

  const channel = (await (
    await post(t, "/v1/notification-channels", { type: "webhook", name: "Ops", url: receiver.url("/ops") })
  ).json()) as { id: string };
  expect((await post(t, `/v1/notification-channels/${channel.id}/test`)).status).toBe(202);
  expect(await doneKeys()).toEqual(KEYS.slice(0, 5));
  await t.runJobs();
  expect(receiver.at("/ops")).toHaveLength(1);
  expect(await doneKeys()).toEqual(KEYS);

  // What is undone is told as it is.
  expect((await put({ enabled: false })).status).toBe(200);
  expect(await doneKeys()).toEqual(KEYS.filter((key) => key !== "check_enabled"));
});

test("the acknowledgement is one audit entry with whoever gave it, however often it is given", async () => {
  const first = (await status()).steps.find(({ key }) => key === "analytics_acknowledged")!;
  t.clock.advance(1000);
  const both = await Promise.all([1, 2].map(() => post(t, "/v1/onboarding/analytics-ack")));
  for (const answer of both) {
    const { steps } = (await answer.json()) as Status;
    expect(steps.find(({ key }) => key === "analytics_acknowledged")).toEqual(first);
  }
  const { items } = await getJson<{ items: { target: string }[] }>(
    t,
    "/v1/audit-events?action=onboarding.analytics_ack",
  );
  expect(items.map(({ target }) => target)).toEqual([t.orgId]);
});

test("another org has its own steps, and a member may see them but not acknowledge", async () => {
  const { owner } = await secondOrg(t);
  const theirs = await owner.send<Status>("GET", "/v1/onboarding/status");
  expect(theirs.body.steps.filter(({ done }) => done)).toEqual([]);
  const member = await person(t, "member");
  expect((await member.send("GET", "/v1/onboarding/status")).status).toBe(200);
  expect((await member.send("POST", "/v1/onboarding/analytics-ack")).status).toBe(403);
});

test("a file is taken in beside the others, and its path keeps it", async () => {
  await syncScenarios(t, { first: '---\nslug: first\ntitle: First\n---\n1. go to "https://shop.example"\n' });
  const starter = await getJson<{ path: string; text: string }>(
    t,
    `/v1/scenarios/starter.json?${new URLSearchParams({ url: "https://shop.example/cart", text: 'The "cart"' })}`,
  );
  expect((await post(t, "/v1/scenarios", starter)).status).toBe(200);
  expect(await getJson(t, "/v1/scenarios/first")).toMatchObject({ missing: false });
  expect(await getJson(t, "/v1/scenarios/shop-example-cart")).toMatchObject({
    path: starter.path,
    missing: false,
  });

  const moved = await post(t, "/v1/scenarios", { ...starter, path: "other.scenario.md" });
  expect(moved.status).toBe(409);
  expect(await moved.text()).toContain("comes from shop-example-cart.scenario.md");
  const changed = { ...starter, text: starter.text.replace("within 10s", "within 20s") };
  expect((await post(t, "/v1/scenarios", changed)).status).toBe(200);
});

test("a file that does not compile is refused with its place, and nothing is kept of it", async () => {
  const wrong = await post(t, "/v1/scenarios", {
    path: "bad.scenario.md",
    text: '---\nslug: bad\ntitle: Bad\n---\n1. go two "/"\n',
  });
  expect(wrong.status).toBe(422);
  expect(((await wrong.json()) as { message: string }).message).toMatch(/^bad\.scenario\.md:5:\d+: /);
  expect((await t.api("/v1/scenarios/bad")).status).toBe(404);
  for (const path of ["../bad.scenario.md", "/bad.scenario.md", "a\\b.scenario.md"])
    expect((await post(t, "/v1/scenarios", { path, text: "" })).status).toBe(422);
  const query = new URLSearchParams({ url: "ftp://shop.example", text: "x" });
  expect((await t.api(`/v1/scenarios/starter.json?${query}`)).status).toBe(422);
});
