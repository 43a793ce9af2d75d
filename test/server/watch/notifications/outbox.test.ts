import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { createOrg } from "../../../../server/identity/orgs.ts";
import type { Facts } from "../../../../server/watch/channel-types/facts.ts";
import type { Channel, CreatedChannel } from "../../../../server/watch/channels/model.ts";
import type { Delivery } from "../../../../server/watch/deliveries/model.ts";
import { insertNotice } from "../../../../store/records/notices.ts";
import { insertDelivery } from "../../../../store/records/webhook-deliveries.ts";
import { childCommand } from "../../../helpers/child.ts";
import { FACTS, notifyingServer, RETRY_SECONDS, SETTINGS } from "../../../helpers/notifying.ts";
import { runPeriodic } from "../../../helpers/traces.ts";

setDefaultTimeout(60_000);

const HAND_ON_CHILD = join(import.meta.dir, "../../../helpers/hand-on-child.ts");
const DAY_MS = 24 * 60 * 60_000;
const server = notifyingServer();
const { call, made, deliveries, tell, eventOf, channel, passRetry, letRetriesPass, restarted, receiver } =
  server;

describe("the outbox", () => {
  test("holds one message for a notice and channel, however often it is handed over", async () => {
    await made("/once");
    expect(await Promise.all([tell("n1"), tell("n1"), tell("n1")])).toContain(1);
    await server.app.runJobs();
    expect(receiver.at("/once")).toHaveLength(1);
  });

  test("tells the channels that are named, every enabled one without names, and none of another org", async () => {
    const a = await made("/a");
    await made("/b");
    const { body: off } = await call<Channel>("PUT", `/v1/notification-channels/${(await made("/c")).id}`, {
      enabled: false,
    });
    expect(off.enabled).toBe(false);
    const other = await createOrg(server.app.deps, "other");
    const foreign = await call<CreatedChannel>(
      "POST",
      "/v1/notification-channels",
      { type: "webhook", name: "x", url: receiver.url("/foreign") },
      other.api_key,
    );
    expect(await tell("n1", {}, [])).toBe(0);
    expect(await tell("n2", {}, [a.id, foreign.body.id])).toBe(1);
    expect(await tell("n3")).toBe(2);
    await server.app.runJobs();
    expect([receiver.at("/a").length, receiver.at("/b").length, receiver.at("/foreign").length]).toEqual([
      2, 1, 0,
    ]);
    const [mine] = await deliveries();
    expect(
      await call("POST", `/v1/webhook-deliveries/${mine!.id}/replay`, undefined, other.api_key),
    ).toMatchObject({
      status: 403,
      body: { error: "wrong_org" },
    });
    for (const [method, path] of [
      ["PUT", `/v1/notification-channels/${a.id}`],
      ["DELETE", `/v1/notification-channels/${a.id}`],
      ["POST", `/v1/notification-channels/${a.id}/test`],
    ] as const) {
      const body = method === "PUT" ? { name: "theirs" } : undefined;
      expect(await call(method, path, body, other.api_key)).toMatchObject({ status: 403 });
    }
  });

  test("outlives the server: what was decided before a stop is sent after the next start", async () => {
    await made("/restart");
    await tell("n1");
    await restarted(SETTINGS);
    await server.app.runJobs();
    expect(receiver.at("/restart")).toHaveLength(1);
  });

  test("holds nothing of a server that is killed at any write while it hands a notice on, and one message afterwards", async () => {
    await made("/killed");
    await insertNotice(server.app.store.records, {
      ...{
        id: server.app.deps.ids.uuid(),
        org_id: server.app.orgId,
        event: "monitor.errors",
        incident_id: null,
      },
      ...{ scenario_id: null, region: "eu-west-1", run_id: null, failure_signature: null, trace_id: null },
      ...{
        channels: null,
        due_at: server.app.clock.now(),
        created_at: server.app.clock.now(),
        reason: "now",
      },
    });
    let killed = 0;
    for (let nth = 0; ; nth++) {
      const command = [
        ...childCommand(HAND_ON_CHILD),
        server.dataDir,
        String(nth),
        String(server.app.clock.now()),
      ];
      const child = Bun.spawn(command, { stdout: "ignore", stderr: "inherit" });
      if ((await child.exited) === 0) break;
      expect(child.signalCode).toBe("SIGKILL");
      killed++;
      expect(await deliveries()).toEqual([]);
    }
    // The notice, its message, the job that sends it.
    expect(killed).toBeGreaterThanOrEqual(3);
    await runPeriodic(server.app, "notices");
    expect(await deliveries()).toHaveLength(1);
    await server.app.runJobs();
    expect(receiver.at("/killed")).toHaveLength(1);
  });

  test("sends what was decided while the clock was ahead once it is put right, and waits no longer than it would have", async () => {
    const YEAR = 365 * DAY_MS;
    await made("/ahead");
    await made("/ahead-again");
    receiver.answer("/ahead-again", () => new Response("", { status: 503 }));
    const cameTo = (path: string) => receiver.at(path).length;
    await server.app.tick();
    server.app.clock.advance(YEAR);
    await server.app.runJobs();
    await tell("tried", {}, null);
    await server.app.runJobs();
    expect([cameTo("/ahead"), cameTo("/ahead-again")]).toEqual([1, 1]);
    await tell("waits");
    server.app.clock.advance(-YEAR);
    // The jobs may be put right before the messages are.
    await server.app.runJobs();
    await server.app.tick();
    await server.app.runJobs();
    expect([cameTo("/ahead"), cameTo("/ahead-again")]).toEqual([2, 2]);
    await passRetry(0);
    expect(cameTo("/ahead-again")).toBe(4);
    expect((await deliveries()).map(({ attempts }) => attempts).sort()).toEqual([1, 1, 2, 2]);
  });

  test("sends what is due a moment later than its job comes, since the clock was put right in between", async () => {
    await made("/moment");
    await server.app.runJobs();
    await tell("n1");
    server.app.clock.advance(-500);
    await server.app.runJobs();
    server.app.clock.advance(500);
    await server.app.runJobs();
    expect(receiver.at("/moment")).toHaveLength(1);
  });

  test("does not tell the beginning of what has ended when it comes that late", async () => {
    await made("/late");
    receiver.answer("/late", () => new Response("", { status: 502 }));
    await tell("n1");
    await server.app.runJobs();
    receiver.answer("/late", () => new Response("ok"));
    await tell("n2", { event: "incident.resolved" });
    server.app.clock.advance(RETRY_SECONDS[0]! * 1000);
    await server.app.runJobs();
    const told = await deliveries();
    expect(told.map(({ event, state }) => [event, state])).toEqual([
      ["incident.resolved", "delivered"],
      ["incident.opened", "dead"],
    ]);
    expect(told[1]!.last_error).toContain("ended before this arrived");
  });

  test("tells over the others, once, that a channel is broken", async () => {
    await made("/broken");
    await made("/healthy");
    receiver.answer("/broken", () => new Response("", { status: 500 }));
    await tell("n1");
    await tell("n2");
    await letRetriesPass();
    await letRetriesPass();
    const told = receiver.at("/healthy").map(({ body }) => (JSON.parse(body) as Facts).event);
    expect(told).toEqual(["incident.opened", "incident.opened", "channel.broken"]);
    const { body } = await call<{ items: Channel[] }>("GET", "/v1/notification-channels");
    expect(body.items.map(({ broken_since }) => broken_since !== null)).toEqual([true, false]);
  });

  test("tells at once of a channel whose credential is refused, and tries its message again until it works", async () => {
    const { id } = await made("/refused");
    await made("/works");
    receiver.answer("/refused", () => new Response("", { status: 401 }));
    await tell("n1");
    await server.app.runJobs();
    expect(receiver.at("/works").map(eventOf)).toEqual(["incident.opened", "channel.broken"]);
    expect((await channel(id)).broken_since).not.toBeNull();
    expect(await deliveries(`?channel_id=${id}`)).toMatchObject([{ state: "pending", attempts: 1 }]);
    await passRetry(0);
    receiver.answer("/refused", () => new Response("ok"));
    await passRetry(1);
    expect(await deliveries(`?channel_id=${id}`)).toMatchObject([{ state: "delivered", attempts: 3 }]);
    expect((await channel(id)).broken_since).toBeNull();
    expect(receiver.at("/works")).toHaveLength(2);
  });

  test("tells of a channel that fails three times in a row, and not of one that asks for patience", async () => {
    const slow = await made("/patience");
    const { id } = await made("/unwell");
    await made("/well");
    receiver.answer("/patience", () => new Response("", { status: 429 }));
    receiver.answer("/unwell", () => new Response("", { status: 503 }));
    await tell("n1");
    await server.app.runJobs();
    await passRetry(0);
    expect((await channel(id)).broken_since).toBeNull();
    await passRetry(1);
    expect((await channel(id)).broken_since).not.toBeNull();
    expect((await channel(slow.id)).broken_since).toBeNull();
    expect(receiver.at("/well").map(eventOf)).toEqual(["incident.opened", "channel.broken"]);
  });

  test("forgets what was told 90 days ago, however much it is", async () => {
    const { id: channel_id } = await made("/old");
    const old = { org_id: server.app.orgId, channel_id, channel_type: "webhook", channel_name: "old" };
    const at = server.app.clock.now();
    await server.app.store.records.transaction().execute(async (trx) => {
      for (let n = 0; n < 2001; n++)
        await insertDelivery(trx, {
          ...{
            ...old,
            id: server.app.deps.ids.uuid(),
            notice_id: `old ${n}`,
            event: "test",
            incident_id: null,
          },
          ...{ facts: "{}", state: "delivered", next_attempt_at: null, created_at: at, ended_at: at },
        });
    });
    await tell("n1");
    await server.app.runJobs();
    server.app.clock.advance(90 * DAY_MS + 1);
    await tell("n2");
    await runPeriodic(server.app, "deliveries.prune");
    expect((await deliveries()).map(({ state }) => state)).toEqual(["delivered"]);
  });

  test("gives up what waits for a channel that is removed", async () => {
    const { id } = await made("/removed");
    receiver.answer("/removed", () => new Response("", { status: 500 }));
    await tell("n1");
    await server.app.runJobs();
    expect((await call("DELETE", `/v1/notification-channels/${id}`)).status).toBe(204);
    await letRetriesPass();
    expect(receiver.at("/removed")).toHaveLength(1);
    expect(await deliveries()).toMatchObject([{ state: "dead", last_error: "The channel was removed." }]);
  });

  test("is read page by page, by state and by incident", async () => {
    await made("/pages");
    for (let n = 0; n < 5; n++) await tell(`n${n}`);
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await call<{ items: Delivery[]; next_cursor: string | null }>(
        "GET",
        `/v1/webhook-deliveries?limit=2&state=pending&incident_id=${FACTS.incidentId}${cursor}`,
      );
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(5);
    expect(seen).toEqual(seen.toSorted().reverse());
    expect((await call("GET", "/v1/webhook-deliveries?cursor=zzz")).status).toBe(422);
  });
});
