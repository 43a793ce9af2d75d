import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodeHostError } from "../../../server/gate/code-host/types.ts";
import type { InboundDelivery } from "../../../server/gate/inbound-deliveries/model.ts";
import type { EventHandlers, EventName } from "../../../server/gate/webhooks/events.ts";
import { inboundHandlers } from "../../../server/gate/webhooks/handlers.ts";
import { INBOUND_KINDS } from "../../../server/gate/webhooks/kinds.ts";
import { createTestClock, type TestApp, type TestClock, testApp } from "../../helpers/app.ts";
import { type HostApi, startHostApi } from "../../helpers/host-api/host-api.ts";
import { secondOrg } from "../../helpers/org-people.ts";
import { createReceiver } from "../../helpers/receiver.ts";
import { runPeriodic } from "../../helpers/traces.ts";

setDefaultTimeout(60_000);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NAMES =
  "pull_request push check_run check_suite installation installation_repositories pull_request_review deployment_status merge_group";

let clock: TestClock;
let host: HostApi;
let t: TestApp;
let dataDir: string;
/** What handlers were told, and what they do. */
let told: { name: string; event: Record<string, unknown>; deliveryId: string }[];
let act: () => Promise<string>;

beforeEach(async () => {
  clock = createTestClock();
  host = startHostApi({ now: clock.now });
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
  told = [];
  act = async () => "A gate began.";
  await begin({ code_host: host.asApp });
});
afterEach(async () => {
  await t.close();
  rmSync(dataDir, { recursive: true, force: true });
  host.close();
});

async function begin(settings: Record<string, unknown>) {
  const notifications = { allow_private_addresses: true };
  t = await testApp({ dataDir, clock, settings: { notifications, ...settings } });
  const handlers = Object.fromEntries(
    NAMES.split(" ").map((name) => [
      name,
      async (event: Record<string, unknown>, { deliveryId }: { deliveryId: string }) => {
        told.push({ name, event, deliveryId });
        return act();
      },
    ]),
  ) as unknown as EventHandlers;
  const kinds: readonly string[] = INBOUND_KINDS;
  const others = t.runtime.handlers.filter(({ kind }) => !kinds.includes(kind));
  t.runtime.jobs.prepare([...others, ...inboundHandlers(t.deps, handlers)]);
  host.sendsTo((request) => t.app.handle(request));
}

const listed = async (query = "") =>
  ((await (await t.api(`/v1/inbound-deliveries${query}`)).json()) as { items: InboundDelivery[] }).items;
const replay = (id: string, headers: Record<string, string> = {}) =>
  t.api(`/v1/inbound-deliveries/${id}/replay`, { method: "POST", headers });
const missed = () => runPeriodic(t, "missed deliveries");

async function opened(): Promise<void> {
  const answer = await host.deliver(
    "pull_request",
    host.pullPayload("opened", host.openPull({ "a.md": "1" })),
  );
  expect(answer?.status).toBe(200);
}

describe("a delivery that was taken", () => {
  test("is handed to the handler of its event, which says what followed", async () => {
    await opened();
    await host.deliver("push", host.payload("push", null, { ref: "refs/heads/main" }));
    await host.deliver("merge_group", host.payload("merge_group", "checks_requested"));
    await t.runJobs();
    expect(told.map(({ name }) => name).sort()).toEqual(["merge_group", "pull_request", "push"]);
    expect(told.find(({ name }) => name === "pull_request")!.event).toMatchObject({
      ...{ action: "opened", number: 1, headSha: host.model.pulls[0]!.headSha, isFork: false },
    });
    const all = await listed("?state=done");
    expect(all).toHaveLength(3);
    expect(all.at(-1)).toMatchObject({ outcome: "A gate began.", attempts: 1, subject: "#1", error: null });
    expect(all.at(-1)!.id).toBe(told.find(({ name }) => name === "pull_request")!.deliveryId);
  });

  test("waits longer and longer for a host that cannot be reached, and is told when that lasted a day", async () => {
    const receiver = createReceiver();
    const channel = { type: "webhook", name: "Ops", url: receiver.url("/ops") };
    await t.api("/v1/notification-channels", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(channel),
    });
    act = async () => {
      throw new CodeHostError("unreachable", "The code host cannot be reached: refused.");
    };
    await opened();
    const began = clock.now();
    const waits: number[] = [];
    for (;;) {
      const before = clock.now();
      await t.runJobs();
      const [one] = await listed();
      if (one!.state !== "queued") break;
      clock.set(Date.parse(one!.next_attempt_at!));
      waits.push((clock.now() - before) / MINUTE_MS);
    }
    expect(waits.slice(0, 7)).toEqual([1, 2, 5, 15, 30, 60, 60]);
    expect(clock.now() - began).toBeGreaterThan(24 * HOUR_MS);
    expect(clock.now() - began).toBeLessThan(26 * HOUR_MS);
    expect(await listed()).toMatchObject([
      { state: "dead", error: "The code host cannot be reached: refused." },
    ]);
    await t.runJobs();
    expect(receiver.at("/ops").map(({ body }) => JSON.parse(body).event)).toEqual(["monitor.errors"]);
    receiver.close();
    act = async () => "At last.";
    expect((await replay((await listed())[0]!.id)).status).toBe(202);
    await t.runJobs();
    expect(await listed()).toMatchObject([{ state: "done", outcome: "At last.", replays: 1 }]);
  });

  test("waits as long as the host asks", async () => {
    act = async () => {
      throw new CodeHostError("limited", "Slower.", clock.now() + 40 * MINUTE_MS);
    };
    await opened();
    await t.runJobs();
    const [one] = await listed();
    expect(one).toMatchObject({ state: "queued", attempts: 1, error: "Slower." });
    expect(Date.parse(one!.next_attempt_at!)).toBe(clock.now() + 40 * MINUTE_MS);
    act = async () => "Done.";
    clock.advance(39 * MINUTE_MS);
    await t.runJobs();
    expect(told).toHaveLength(1);
    clock.advance(MINUTE_MS);
    await t.runJobs();
    expect(await listed()).toMatchObject([{ state: "done", attempts: 2, error: null }]);
  });

  test("is tried three times when its handler fails, then kept as dead", async () => {
    act = async () => {
      throw new Error("a bug of ours");
    };
    await opened();
    for (const wait of [0, 1000, 5000, 30_000]) {
      clock.advance(wait);
      await t.runJobs();
    }
    expect(told).toHaveLength(3);
    expect((await listed())[0]).toMatchObject({
      state: "dead",
      error: expect.stringContaining("a bug of ours"),
    });
  });

  test("is handled once although the clock goes back", async () => {
    await t.runJobs();
    await opened();
    clock.set(clock.now() - 2 * HOUR_MS);
    await t.runJobs();
    await t.runJobs();
    expect(told).toHaveLength(1);
    expect(await listed()).toMatchObject([{ state: "done" }]);
  });
});

describe("a replay", () => {
  test("handles again what is old and was seen, is written down, and once at a time", async () => {
    const pull = host.openPull({ "a.md": "1" });
    clock.advance(HOUR_MS);
    const late = await host.deliver("pull_request", host.pullPayload("opened", pull));
    expect(late?.status).toBe(422);
    const [one] = await listed("?state=stale");
    const answers = await Promise.all([replay(one!.id), replay(one!.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    await t.runJobs();
    expect(told).toHaveLength(1);
    expect((await replay(one!.id)).status).toBe(202);
    await t.runJobs();
    expect(told.map(({ deliveryId }) => deliveryId)).toEqual([one!.id, one!.id]);
    expect(await listed()).toMatchObject([{ state: "done", replays: 2 }]);
    const audit = await (await t.api("/v1/audit-events?limit=5")).json();
    expect(JSON.stringify(audit)).toContain("inbound_delivery.replay");
  });

  test("of nothing to handle, of nothing, and by another org or without the scope is refused", async () => {
    await host.deliver("star", { action: "created" });
    const [one] = await listed();
    expect(one).toMatchObject({ state: "ignored", can_be_replayed: false });
    expect((await replay(one!.id)).status).toBe(409);
    expect((await replay("00000000-0000-7000-8000-000000000000")).status).toBe(404);
    const other = await secondOrg(t, "other");
    const foreign = await replay(one!.id, { ...other.owner.headers, authorization: "" });
    expect(foreign.status).toBe(403);
    const theirs = await t.api("/v1/inbound-deliveries", {
      headers: { ...other.owner.headers, authorization: "" },
    });
    expect(await theirs.json()).toEqual({ items: [], next_cursor: null });
  });

  test("is reached page by page, newest first", async () => {
    for (let i = 0; i < 5; i++) await host.deliver("star", { action: "created" });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await (await t.api(`/v1/inbound-deliveries?limit=2${query}`)).json()) as {
        items: InboundDelivery[];
        next_cursor: string | null;
      };
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toHaveLength(5);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
    expect((await t.api("/v1/inbound-deliveries?cursor=none")).status).toBe(422);
  });
});

describe("what the host told while nobody was here", () => {
  const pullOf = () => host.pullPayload("opened", host.openPull({ "a.md": "1" }));

  test("is asked for at start, and taken although it is older than others may be, once", async () => {
    await missed();
    await t.close();
    host.sendsTo(null);
    await host.deliver("pull_request", pullOf());
    await host.deliver("star", { action: "created" });
    host.sendsTo(() => new Response("bad gateway", { status: 502 }));
    await host.deliver("push", host.payload("push", null, { ref: "refs/heads/main" }));
    clock.advance(5 * HOUR_MS);
    await begin({ code_host: host.asApp });
    await missed();
    await t.runJobs();
    expect(told.map(({ name }) => name).sort()).toEqual(["pull_request", "push"]);
    clock.advance(11 * MINUTE_MS);
    await missed();
    expect(host.model.deliveries.filter(({ isRedelivery }) => isRedelivery)).toHaveLength(2);
  });

  test("is asked for when the machine wakes, not at every look", async () => {
    await missed();
    const looks = () => host.requests.filter((one) => one.startsWith("GET /app/hook/deliveries")).length;
    expect(looks()).toBe(1);
    clock.advance(30_000);
    await missed();
    expect(looks()).toBe(1);
    host.sendsTo(null);
    await host.deliver("pull_request", pullOf());
    // The lid is closed: the wall clock goes on, the monotonic one does not.
    clock.set(clock.now() + 3 * HOUR_MS);
    host.sendsTo((request) => t.app.handle(request));
    await missed();
    await t.runJobs();
    expect(looks()).toBe(2);
    expect(told.map(({ name }) => name)).toEqual(["pull_request"]);
  });

  test("is no second time for what came through though the host heard of no answer", async () => {
    await missed();
    await opened();
    host.model.deliveries.at(-1)!.status = 0;
    clock.advance(11 * MINUTE_MS);
    await missed();
    expect(host.model.deliveries).toHaveLength(1);
  });

  test("is given up after three times", async () => {
    await missed();
    host.sendsTo(() => new Response("", { status: 500 }));
    await host.deliver("pull_request", pullOf());
    for (let i = 0; i < 6; i++) {
      clock.advance(11 * MINUTE_MS);
      await missed();
    }
    expect(host.model.deliveries).toHaveLength(4);
  });

  test("is asked for from the same time again when the host cannot be asked", async () => {
    await missed();
    host.sendsTo(null);
    await host.deliver("pull_request", pullOf());
    host.sendsTo((request) => t.app.handle(request));
    for (let i = 0; i < 3; i++) {
      clock.advance(11 * MINUTE_MS);
      host.fail(/hook\/deliveries/, { status: 503 });
      await missed();
    }
    expect(t.logged.join("\n")).toContain("The code host could not be asked what was missed");
    clock.advance(11 * MINUTE_MS);
    await missed();
    await t.runJobs();
    expect(told).toHaveLength(1);
  });

  test("is found by the heads of open pull requests where the credential is no app's", async () => {
    await t.close();
    await begin({
      code_host: { ...host.asToken, app_id: host.asApp.app_id, webhook_secret: host.asApp.webhook_secret },
    });
    host.openPull({ "old.md": "1" }, { updatedAt: clock.now() - 24 * HOUR_MS });
    await missed();
    expect(told).toEqual([]);
    clock.advance(11 * MINUTE_MS);
    const pull = host.openPull({ "a.md": "1" });
    await missed();
    clock.advance(11 * MINUTE_MS);
    await missed();
    expect(told.map(({ event }) => event.headSha)).toEqual([pull.headSha]);
    const next = host.push(pull, { "a.md": "2" });
    clock.advance(11 * MINUTE_MS);
    await missed();
    expect(told.at(-1)!.event).toMatchObject({ action: "synchronize", headSha: next, number: pull.number });
    expect(told).toHaveLength(2);
  });
});

test("what was told is kept for thirty days and five thousand deliveries, ids for four days", async () => {
  await host.deliver("star", { action: "created" });
  clock.advance(29 * 24 * HOUR_MS);
  await opened();
  await runPeriodic(t, "inbound.prune");
  expect(await listed()).toHaveLength(2);
  clock.advance(2 * 24 * HOUR_MS);
  await runPeriodic(t, "inbound.prune");
  expect((await listed()).map(({ event }) => event as EventName)).toEqual(["pull_request"]);
});
