import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Webhook } from "standardwebhooks";
import { commit } from "../../../../server/jobs/commit.ts";
import { EXECUTE } from "../../../../server/run/runs/kinds.ts";
import type { Channel } from "../../../../server/watch/channels/model.ts";
import { FACTS, notifyingServer } from "../../../helpers/notifying.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(60_000);

const server = notifyingServer();
const { call, made, deliveries, tell, letRetriesPass, receiver } = server;

describe("a webhook", () => {
  test("gets exactly what the specification names, signed so that an independent verifier takes it", async () => {
    const { secret } = await made("/exact");
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await tell("n1");
    await server.app.runJobs();
    const { headers, body } = receiver.at("/exact")[0]!;
    const { title: _t, cause: _c, severity: _s, url: _u, since: _n, ...payload } = FACTS;
    expect(JSON.parse(body)).toEqual({ ...payload, orgId: server.app.orgId });
    const sent = Object.fromEntries(headers);
    // The verifier refuses messages that are old by its own clock.
    const signed = new Webhook(secret!).sign(
      sent["webhook-id"]!,
      new Date(Number(sent["webhook-timestamp"]) * 1000),
      body,
    );
    expect(sent["webhook-signature"]).toBe(signed);
    expect(Number(sent["webhook-timestamp"])).toBe(server.app.clock.now() / 1000);
    const plain = createHmac("sha256", secret!).update(body).digest("hex");
    expect(sent["x-product-signature-256"]).toBe(`sha256=${plain}`);
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 1, last_status: 200 }]);
  });

  test("is tried again under the same id after the waits of the settings, then given up, and can be replayed", async () => {
    await made("/down");
    receiver.answer("/down", () => new Response("out of order", { status: 500 }));
    await tell("n1");
    await letRetriesPass();
    const got = receiver.at("/down");
    expect(got).toHaveLength(4);
    expect(new Set(got.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
    expect(new Set(got.map(({ headers }) => headers.get("webhook-timestamp"))).size).toBe(4);
    const [dead] = await deliveries("?state=dead");
    expect(dead).toMatchObject({ attempts: 4, last_status: 500, last_answer: "out of order" });
    receiver.answer("/down", () => new Response("back"));
    expect(await call("POST", `/v1/webhook-deliveries/${dead!.id}/replay`)).toMatchObject({ status: 202 });
    await server.app.runJobs();
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 5 }]);
    expect(receiver.at("/down")).toHaveLength(5);
  });

  test("waits as long as an answer asks, within a quarter of an hour", async () => {
    await made("/slower");
    receiver.answer("/slower", () => new Response("", { status: 429, headers: { "retry-after": "60" } }));
    await tell("n1");
    await server.app.runJobs();
    const [waiting] = await deliveries();
    expect(Date.parse(waiting!.next_attempt_at!) - server.app.clock.now()).toBe(60_000);
    receiver.answer("/slower", () => new Response("", { status: 503, headers: { "retry-after": "86400" } }));
    server.app.clock.advance(60_000);
    await server.app.runJobs();
    const [again] = await deliveries();
    expect(Date.parse(again!.next_attempt_at!) - server.app.clock.now()).toBe(15 * 60_000);
  });

  test("that answers 410 is disabled, and says why", async () => {
    const { id } = await made("/gone");
    receiver.answer("/gone", () => new Response("", { status: 410 }));
    await tell("n1");
    await server.app.runJobs();
    const { body } = await call<{ items: Channel[] }>("GET", "/v1/notification-channels");
    expect(body.items).toMatchObject([
      { id, enabled: false, disabled_reason: expect.stringContaining("410") },
    ]);
    await tell("n2");
    expect(await deliveries()).toHaveLength(1);
  });

  test("is not followed to where it redirects", async () => {
    await made("/moved");
    receiver.answer("/moved", () => Response.redirect(receiver.url("/elsewhere"), 307));
    await tell("n1");
    await server.app.runJobs();
    expect(receiver.at("/elsewhere")).toEqual([]);
    expect(await deliveries()).toMatchObject([
      { state: "pending", last_error: expect.stringContaining("give the final address") },
    ]);
  });

  test("that answers and breaks its answer off has it, once", async () => {
    const breaks = createServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ntaken"));
    });
    await once(breaks.listen(0, "127.0.0.1"), "listening");
    const { port } = breaks.address() as AddressInfo;
    await made("/breaks", { url: `http://127.0.0.1:${port}/` });
    await tell("n1");
    await server.app.runJobs();
    breaks.close();
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 1, last_status: 200 }]);
  });

  test("that hangs delays no other", async () => {
    await made("/hangs");
    await made("/quick");
    let release = () => {};
    receiver.answer(
      "/hangs",
      () => new Promise((resolve) => (release = () => resolve(new Response("late")))),
    );
    const arrived = new Promise<void>((resolve) =>
      receiver.answer("/quick", () => {
        resolve();
        return new Response("ok");
      }),
    );
    await tell("n1");
    const jobs = server.app.runJobs();
    await arrived;
    release();
    await jobs;
    expect((await deliveries()).map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  test("hangs with five others, through a storm, and delays neither a quick one nor a run", async () => {
    const releases: (() => void)[] = [];
    const hang = () => new Promise<Response>((resolve) => releases.push(() => resolve(new Response("late"))));
    for (let n = 0; n < 6; n++) {
      await made(`/hangs-${n}`);
      receiver.answer(`/hangs-${n}`, hang);
    }
    for (let n = 0; n < 4; n++) await tell(`n${n}`);
    // Last in the queue.
    server.app.clock.advance(1000);
    const quick = await made("/beside");
    await tell("n9", {}, [quick.id]);
    const runId = server.app.deps.ids.uuid();
    await commit(server.app.deps, (_trx, after) => after.add({ kind: EXECUTE, payload: { run_id: runId } }));
    const jobs = server.app.runJobs();
    const isRunTaken = async () => {
      const { records } = server.app.store;
      const rows = await records.selectFrom("jobs").select("state").where("kind", "=", EXECUTE).execute();
      return rows.every(({ state }) => state === "done");
    };
    await until("the quick one has its message", () => receiver.at("/beside").length === 1);
    await until("the run was taken on", isRunTaken);
    await until("each that hangs has what it may have", () => releases.length >= 12);
    expect(releases).toHaveLength(12);
    await until("all is told", async () => {
      for (const release of releases.splice(0)) release();
      return (await deliveries("?state=delivered")).length === 25;
    });
    await jobs;
  });
});
