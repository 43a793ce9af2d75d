import { afterAll, afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { createOrg } from "../../../server/identity/orgs.ts";
import { commit } from "../../../server/jobs/commit.ts";
import { EXECUTE } from "../../../server/run/runs/kinds.ts";
import type { Facts } from "../../../server/watch/channel-types/facts.ts";
import type { Channel, CreatedChannel } from "../../../server/watch/channels/model.ts";
import { fanOut } from "../../../server/watch/deliveries/fan-out.ts";
import type { Delivery } from "../../../server/watch/deliveries/model.ts";
import { handOn, insertNotice } from "../../../store/records/notices.ts";
import { upsertScenario } from "../../../store/records/scenarios.ts";
import { insertDelivery } from "../../../store/records/webhook-deliveries.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { childCommand } from "../../helpers/child.ts";
import { startMailbox } from "../../helpers/mailbox.ts";
import { person } from "../../helpers/people.ts";
import { createReceiver } from "../../helpers/receiver.ts";
import { runPeriodic } from "../../helpers/traces.ts";
import { until } from "../../helpers/until.ts";

setDefaultTimeout(60_000);

const HAND_ON_CHILD = join(import.meta.dir, "../../helpers/hand-on-child.ts");
const DAY_MS = 24 * 60 * 60_000;
const RETRY_SECONDS = [5, 30, 120];
const settings = {
  notifications: { allow_private_addresses: true, retry_seconds: RETRY_SECONDS },
  rate_limits: { writes_per_minute: 10_000 },
};
const receiver = createReceiver();
afterAll(() => receiver.close());

let t: TestApp;
let dataDir: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
  t = await testApp({ settings, dataDir });
});
afterEach(async () => {
  await t.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The same folder under a server that starts anew. */
async function restarted(settings: Record<string, unknown>): Promise<void> {
  const { clock } = t;
  await t.close();
  t = await testApp({ settings, dataDir, clock });
}

async function call<T>(method: string, path: string, body?: unknown, as?: string) {
  const response = await t.api(path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as T };
}

async function made(path: string, more: Record<string, unknown> = {}): Promise<CreatedChannel> {
  const url = receiver.url(path);
  const { status, body } = await call<CreatedChannel>("POST", "/v1/notification-channels", {
    type: "webhook",
    name: path,
    url,
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

const deliveries = async (query = "") =>
  (await call<{ items: Delivery[] }>("GET", `/v1/webhook-deliveries${query}`)).body.items;

const FACTS: Omit<Facts, "orgId"> = {
  event: "incident.opened",
  incidentId: "0199a1b2-0000-7000-8000-000000000001",
  scenarioSlug: "guest-checkout",
  region: "eu-west-1",
  runId: "0199a1b2-0000-7000-8000-000000000002",
  failureSignature: "sig_0123456789abcdef",
  traceUrl: "http://localhost:4173/traces/0199a1b2-0000-7000-8000-000000000003",
  timestamp: "2026-03-01T12:00:00.000Z",
  title: "Guest checkout fails in eu-west-1",
  cause: "POST /api/checkout answered 500: ledger <unavailable> & “down”",
  severity: "critical",
  url: "http://localhost:4173/incidents/0199a1b2-0000-7000-8000-000000000001",
  since: "2026-03-01T11:58:00.000Z",
};

const tell = (noticeId: string, more: Partial<Facts> = {}, channels: string[] | null = null) =>
  commit(t.deps, (trx, after) =>
    fanOut(t.deps, trx, after, { noticeId, facts: { ...FACTS, orgId: t.orgId, ...more }, channels }),
  );

const eventOf = ({ body }: { body: string }): string => (JSON.parse(body) as Facts).event;

async function channel(id: string): Promise<Channel> {
  const { body } = await call<{ items: Channel[] }>("GET", "/v1/notification-channels");
  return body.items.find((one) => one.id === id)!;
}

/** Lets the wait before the next attempt pass. @param nth 0 for that after the first attempt */
async function passRetry(nth: number): Promise<void> {
  t.clock.advance(RETRY_SECONDS[nth]! * 1000);
  await t.runJobs();
}

/** Lets the waits of all retries pass, one after the other. */
async function letRetriesPass() {
  await t.runJobs();
  for (const seconds of RETRY_SECONDS) {
    t.clock.advance(seconds * 1000);
    await t.runJobs();
  }
}

describe("a webhook", () => {
  test("gets exactly what the specification names, signed so that an independent verifier takes it", async () => {
    const { secret } = await made("/exact");
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await tell("n1");
    await t.runJobs();
    const { headers, body } = receiver.at("/exact")[0]!;
    const { title: _t, cause: _c, severity: _s, url: _u, since: _n, ...payload } = FACTS;
    expect(JSON.parse(body)).toEqual({ ...payload, orgId: t.orgId });
    const sent = Object.fromEntries(headers);
    // The verifier refuses messages that are old by its own clock.
    const signed = new Webhook(secret!).sign(
      sent["webhook-id"]!,
      new Date(Number(sent["webhook-timestamp"]) * 1000),
      body,
    );
    expect(sent["webhook-signature"]).toBe(signed);
    expect(Number(sent["webhook-timestamp"])).toBe(t.clock.now() / 1000);
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
    await t.runJobs();
    expect(await deliveries()).toMatchObject([{ state: "delivered", attempts: 5 }]);
    expect(receiver.at("/down")).toHaveLength(5);
  });

  test("waits as long as an answer asks, within a quarter of an hour", async () => {
    await made("/slower");
    receiver.answer("/slower", () => new Response("", { status: 429, headers: { "retry-after": "60" } }));
    await tell("n1");
    await t.runJobs();
    const [waiting] = await deliveries();
    expect(Date.parse(waiting!.next_attempt_at!) - t.clock.now()).toBe(60_000);
    receiver.answer("/slower", () => new Response("", { status: 503, headers: { "retry-after": "86400" } }));
    t.clock.advance(60_000);
    await t.runJobs();
    const [again] = await deliveries();
    expect(Date.parse(again!.next_attempt_at!) - t.clock.now()).toBe(15 * 60_000);
  });

  test("that answers 410 is disabled, and says why", async () => {
    const { id } = await made("/gone");
    receiver.answer("/gone", () => new Response("", { status: 410 }));
    await tell("n1");
    await t.runJobs();
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
    await t.runJobs();
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
    await t.runJobs();
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
    const jobs = t.runJobs();
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
    t.clock.advance(1000);
    const quick = await made("/beside");
    await tell("n9", {}, [quick.id]);
    const runId = t.deps.ids.uuid();
    await commit(t.deps, (_trx, after) => after.add({ kind: EXECUTE, payload: { run_id: runId } }));
    const jobs = t.runJobs();
    const isRunTaken = async () => {
      const { records } = t.store;
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

describe("the outbox", () => {
  test("holds one message for a notice and channel, however often it is handed over", async () => {
    await made("/once");
    expect(await Promise.all([tell("n1"), tell("n1"), tell("n1")])).toContain(1);
    await t.runJobs();
    expect(receiver.at("/once")).toHaveLength(1);
  });

  test("tells the channels that are named, every enabled one without names, and none of another org", async () => {
    const a = await made("/a");
    await made("/b");
    const { body: off } = await call<Channel>("PUT", `/v1/notification-channels/${(await made("/c")).id}`, {
      enabled: false,
    });
    expect(off.enabled).toBe(false);
    const other = await createOrg(t.deps, "other");
    const foreign = await call<CreatedChannel>(
      "POST",
      "/v1/notification-channels",
      { type: "webhook", name: "x", url: receiver.url("/foreign") },
      other.api_key,
    );
    expect(await tell("n1", {}, [])).toBe(0);
    expect(await tell("n2", {}, [a.id, foreign.body.id])).toBe(1);
    expect(await tell("n3")).toBe(2);
    await t.runJobs();
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
    await restarted(settings);
    await t.runJobs();
    expect(receiver.at("/restart")).toHaveLength(1);
  });

  test("holds nothing of a server that is killed at any write while it hands a notice on, and one message afterwards", async () => {
    await made("/killed");
    await insertNotice(t.store.records, {
      ...{ id: t.deps.ids.uuid(), org_id: t.orgId, event: "monitor.errors", incident_id: null },
      ...{ scenario_id: null, region: "eu-west-1", run_id: null, failure_signature: null, trace_id: null },
      ...{ channels: null, due_at: t.clock.now(), created_at: t.clock.now(), reason: "now" },
    });
    let killed = 0;
    for (let nth = 0; ; nth++) {
      const command = [...childCommand(HAND_ON_CHILD), dataDir, String(nth), String(t.clock.now())];
      const child = Bun.spawn(command, { stdout: "ignore", stderr: "inherit" });
      if ((await child.exited) === 0) break;
      expect(child.signalCode).toBe("SIGKILL");
      killed++;
      expect(await deliveries()).toEqual([]);
    }
    // The notice, its message, the job that sends it.
    expect(killed).toBeGreaterThanOrEqual(3);
    await runPeriodic(t, "notices");
    expect(await deliveries()).toHaveLength(1);
    await t.runJobs();
    expect(receiver.at("/killed")).toHaveLength(1);
  });

  test("sends what was decided while the clock was ahead once it is put right, and waits no longer than it would have", async () => {
    const YEAR = 365 * DAY_MS;
    await made("/ahead");
    await made("/ahead-again");
    receiver.answer("/ahead-again", () => new Response("", { status: 503 }));
    const cameTo = (path: string) => receiver.at(path).length;
    await t.tick();
    t.clock.advance(YEAR);
    await t.runJobs();
    await tell("tried", {}, null);
    await t.runJobs();
    expect([cameTo("/ahead"), cameTo("/ahead-again")]).toEqual([1, 1]);
    await tell("waits");
    t.clock.advance(-YEAR);
    // The jobs may be put right before the messages are.
    await t.runJobs();
    await t.tick();
    await t.runJobs();
    expect([cameTo("/ahead"), cameTo("/ahead-again")]).toEqual([2, 2]);
    await passRetry(0);
    expect(cameTo("/ahead-again")).toBe(4);
    expect((await deliveries()).map(({ attempts }) => attempts).sort()).toEqual([1, 1, 2, 2]);
  });

  test("sends what is due a moment later than its job comes, since the clock was put right in between", async () => {
    await made("/moment");
    await t.runJobs();
    await tell("n1");
    t.clock.advance(-500);
    await t.runJobs();
    t.clock.advance(500);
    await t.runJobs();
    expect(receiver.at("/moment")).toHaveLength(1);
  });

  test("does not tell the beginning of what has ended when it comes that late", async () => {
    await made("/late");
    receiver.answer("/late", () => new Response("", { status: 502 }));
    await tell("n1");
    await t.runJobs();
    receiver.answer("/late", () => new Response("ok"));
    await tell("n2", { event: "incident.resolved" });
    t.clock.advance(RETRY_SECONDS[0]! * 1000);
    await t.runJobs();
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
    await t.runJobs();
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
    await t.runJobs();
    await passRetry(0);
    expect((await channel(id)).broken_since).toBeNull();
    await passRetry(1);
    expect((await channel(id)).broken_since).not.toBeNull();
    expect((await channel(slow.id)).broken_since).toBeNull();
    expect(receiver.at("/well").map(eventOf)).toEqual(["incident.opened", "channel.broken"]);
  });

  test("forgets what was told 90 days ago, however much it is", async () => {
    const { id: channel_id } = await made("/old");
    const old = { org_id: t.orgId, channel_id, channel_type: "webhook", channel_name: "old" };
    const at = t.clock.now();
    await t.store.records.transaction().execute(async (trx) => {
      for (let n = 0; n < 2001; n++)
        await insertDelivery(trx, {
          ...{ ...old, id: t.deps.ids.uuid(), notice_id: `old ${n}`, event: "test", incident_id: null },
          ...{ facts: "{}", state: "delivered", next_attempt_at: null, created_at: at, ended_at: at },
        });
    });
    await tell("n1");
    await t.runJobs();
    t.clock.advance(90 * DAY_MS + 1);
    await tell("n2");
    await runPeriodic(t, "deliveries.prune");
    expect((await deliveries()).map(({ state }) => state)).toEqual(["delivered"]);
  });

  test("gives up what waits for a channel that is removed", async () => {
    const { id } = await made("/removed");
    receiver.answer("/removed", () => new Response("", { status: 500 }));
    await tell("n1");
    await t.runJobs();
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

describe("mail", () => {
  test("tells an incident over the org's mail server, all its mails in one thread", async () => {
    const mailbox = await startMailbox();
    const smtp = { host: "127.0.0.1", port: mailbox.port, from: "alerts@shop.example" };
    await restarted({ notifications: { smtp } });
    await made("/unused", { type: "email", url: undefined, address: "oncall@shop.example" });
    await tell("n1", { title: "Guest\r\ncheckout fails" });
    await tell("n2", { event: "incident.resolved", title: "Guest checkout works again", cause: "" });
    await t.runJobs();
    const [first, second] = mailbox.mails.toSorted((a, b) => (a.subject! > b.subject! ? 1 : -1));
    expect(first).toMatchObject({
      subject: "Guest checkout fails",
      to: [{ address: "oncall@shop.example" }],
      from: { address: "alerts@shop.example" },
      inReplyTo: second!.inReplyTo,
    });
    expect(first!.inReplyTo).toContain(FACTS.incidentId);
    expect(first!.text).toContain("answered 500");
    expect(await deliveries("?state=delivered")).toHaveLength(2);
    await mailbox.close();
  });

  const byMail = { type: "email", url: undefined, address: "oncall@shop.example" };

  test("that the mail server refuses has not arrived, which the other channels are told; sent again it may", async () => {
    const mailbox = await startMailbox({ answer: { code: 550, text: "no such user" } });
    const smtp = { host: "127.0.0.1", port: mailbox.port, from: "alerts@shop.example" };
    await restarted({ notifications: { ...settings.notifications, smtp } });
    const { id } = await made("/by-mail", byMail);
    await made("/beside-mail");
    await tell("n1");
    await t.runJobs();
    const [refused] = await deliveries(`?channel_id=${id}`);
    expect(refused).toMatchObject({ state: "dead", last_error: expect.stringContaining("no such user") });
    expect((await channel(id)).broken_since).not.toBeNull();
    expect(receiver.at("/beside-mail").map(eventOf)).toEqual(["incident.opened", "channel.broken"]);
    mailbox.accept();
    await call("POST", `/v1/webhook-deliveries/${refused!.id}/replay`);
    await t.runJobs();
    const arrived = { state: "delivered", attempts: 2, last_error: null };
    expect(await deliveries(`?channel_id=${id}`)).toMatchObject([arrived]);
    expect((await channel(id)).broken_since).toBeNull();
    await mailbox.close();
  });

  test("waits with its mail while the mail server puts it off, and its channel is told as broken after three tries", async () => {
    const mailbox = await startMailbox({ answer: { code: 451, text: "come back later" } });
    const smtp = { host: "127.0.0.1", port: mailbox.port, from: "alerts@shop.example" };
    await restarted({ notifications: { ...settings.notifications, smtp } });
    const { id } = await made("/by-mail-later", byMail);
    await tell("n1");
    await t.runJobs();
    await passRetry(0);
    const waits = {
      state: "pending",
      last_error: expect.stringContaining("come back later"),
      ended_at: null,
    };
    expect(await deliveries()).toMatchObject([{ ...waits, attempts: 2 }]);
    expect((await channel(id)).broken_since).toBeNull();
    await passRetry(1);
    expect(await deliveries()).toMatchObject([{ ...waits, attempts: 3 }]);
    expect((await channel(id)).broken_since).not.toBeNull();
    mailbox.accept();
    await passRetry(2);
    const arrived = { state: "delivered", attempts: 4, last_error: null };
    expect(await deliveries()).toMatchObject([arrived]);
    expect((await channel(id)).broken_since).toBeNull();
    expect(mailbox.mails).toHaveLength(1);
    await mailbox.close();
  });

  test("without a mail server is to be read in the outbox, and has not arrived", async () => {
    const { id } = await made("/no-mail-server", byMail);
    await tell("n1");
    await t.runJobs();
    const why = expect.stringContaining("no mail server");
    expect(await deliveries()).toMatchObject([{ state: "dead", last_error: why }]);
    expect((await channel(id)).broken_since).not.toBeNull();
    const { headers } = await person(t, { role: "admin" });
    const outbox = (await (await t.api("/v1/mail", { headers })).json()) as { items: { state: string }[] };
    expect(outbox.items).toMatchObject([{ state: "waiting", subject: FACTS.title }]);
  });
});

describe("a notice", () => {
  test("whose time has come is told over the channels with what is stored of its incident, once", async () => {
    await made("/notice");
    const scenario = await insertScenario();
    const { now } = t.clock;
    const notice = {
      ...{ id: t.deps.ids.uuid(), org_id: t.orgId, event: "monitor.errors", incident_id: null },
      ...{ scenario_id: scenario, region: "eu-west-1", run_id: t.deps.ids.uuid(), channels: null },
      ...{ failure_signature: null, trace_id: null, reason: "3 runs in a row could not be made" },
      ...{ created_at: now(), due_at: now() + 30_000 },
    };
    await insertNotice(t.store.records, notice);
    const look = () => runPeriodic(t, "notices");
    await look();
    await t.runJobs();
    expect(receiver.at("/notice")).toEqual([]);
    t.clock.advance(30_000);
    await Promise.all([look(), look()]);
    await t.runJobs();
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
      insertNotice(t.store.records, {
        ...{ id, org_id: t.orgId, event: "monitor.errors", incident_id: null, scenario_id: scenario },
        ...{ region: id, run_id: null, failure_signature: null, trace_id: null, channels: null },
        ...{ due_at: t.clock.now(), created_at: t.clock.now(), reason: "now", ...more },
      });
    await lone("a-broken", { channels: "no JSON" });
    await lone("b-whole", {});
    const told = async () => {
      await runPeriodic(t, "notices");
      return receiver.at("/apart").map(({ body }) => (JSON.parse(body) as Facts).region);
    };
    expect(await told()).toEqual(["b-whole"]);
    await t.store.records
      .updateTable("notices")
      .set({ channels: null })
      .where("id", "=", "a-broken")
      .execute();
    expect(await told()).toEqual(["b-whole"]);
    t.clock.advance(15_000);
    expect(await told()).toEqual(["b-whole", "a-broken"]);
  });
});

test("a notice of no incident is forgotten after 90 days, once it was told", async () => {
  const lone = (id: string) =>
    insertNotice(t.store.records, {
      ...{ id, org_id: t.orgId, event: "gate.failed", incident_id: null, scenario_id: null },
      ...{ region: null, run_id: null, failure_signature: null, trace_id: null, channels: null },
      ...{ due_at: t.clock.now(), created_at: t.clock.now(), reason: "now" },
    });
  const left = async () =>
    (await t.store.records.selectFrom("notices").select("id").orderBy("id").execute()).map(({ id }) => id);
  await lone("a-told");
  await handOn(t.store.records, "a-told", t.clock.now());
  await lone("b-waits");
  t.clock.advance(90 * DAY_MS);
  await runPeriodic(t, "old notices");
  expect(await left()).toEqual(["a-told", "b-waits"]);
  t.clock.advance(1);
  await runPeriodic(t, "old notices");
  expect(await left()).toEqual(["b-waits"]);
});

async function insertScenario(): Promise<string> {
  const given = { orgId: t.orgId, slug: "checkout", title: "Checkout", now: t.clock.now() };
  return (await upsertScenario(t.store.records, { id: t.deps.ids.uuid(), ...given })).id;
}

describe("a channel", () => {
  test("that two change at once has both changes, by whatever letters of its id", async () => {
    const { id } = await made("/both");
    const change = (body: object) => call("PUT", `/v1/notification-channels/${id.toUpperCase()}`, body);
    const [off, named] = await Promise.all([change({ enabled: false }), change({ name: "renamed" })]);
    expect([off.status, named.status]).toEqual([200, 200]);
    expect(await channel(id)).toMatchObject({ enabled: false, name: "renamed" });
  });

  test("sends its test through the outbox", async () => {
    const { id } = await made("/try");
    const { status, body } = await call<Delivery>("POST", `/v1/notification-channels/${id}/test`);
    expect({ status, body }).toMatchObject({ status: 202, body: { event: "test", state: "pending" } });
    await t.runJobs();
    expect(receiver.at("/try")).toHaveLength(1);
  });

  test.each([
    [{ type: "webhook", name: "x" }, '"url" is missing'],
    [{ type: "email", name: "x", address: "no address" }, "address"],
    [
      { type: "email", name: "x", address: "a@b.c", url: "https://a.b" },
      '"url" is not one of a email channel',
    ],
    [{ type: "pagerduty", name: "x", routing_key: "short" }, "routing_key"],
    [{ type: "incident_io", name: "x", url: "https://a.b/c" }, '"token" is missing'],
    [{ type: "carrier pigeon", name: "x", url: "https://a.b/c" }, "type"],
    [{ type: "webhook", name: "x", url: "https://a.b/c", colour: "red" }, "colour"],
  ])("is refused with 422 for %j", async (body, words) => {
    const refused = await call<{ message: string }>("POST", "/v1/notification-channels", body);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain(words);
  });

  test.each<[Record<string, string>, Record<string, string>]>([
    [{ type: "incident_io", url: "/io", token: "secret-token" }, { token: "another" }],
    [{ type: "pagerduty", routing_key: "r".repeat(32) }, { routing_key: "s".repeat(32) }],
  ])("takes its credential to no other server: %j", async ({ url, ...first }, credential) => {
    const at = url === undefined ? undefined : receiver.url(url);
    const { id } = await made("/credential", { ...first, url: at });
    const put = (body: object) => call<{ message: string }>("PUT", `/v1/notification-channels/${id}`, body);
    const elsewhere = "http://127.0.0.1:9/io";
    const refused = await put({ url: elsewhere });
    expect(refused).toMatchObject({ status: 422, body: { error: "validation_failed" } });
    expect(refused.body.message).toContain(`"${Object.keys(credential)[0]}" is missing`);
    expect((await put({ url: elsewhere, ...credential })).status).toBe(200);
    expect((await put({ url: "http://127.0.0.1:9/moved" })).status).toBe(200);
  });

  test("keeps its address and secrets sealed, out of the log and out of answers", async () => {
    const made = await call<CreatedChannel>("POST", "/v1/notification-channels", {
      type: "slack",
      name: "Chat",
      url: "http://127.0.0.1:9/services/T0/B0/very-secret",
    });
    expect(made.body.url).toBe("http://127.0.0.1:9/…");
    await tell("n1");
    await t.runJobs();
    const rows = await t.store.records.selectFrom("notification_channels").selectAll().execute();
    const seen = JSON.stringify(
      rows.map(({ sealed, ...row }) => [row, Buffer.from(sealed).toString("latin1")]),
    );
    const listed = JSON.stringify(await deliveries());
    for (const text of [seen, listed, t.logged.join("")]) expect(text).not.toContain("very-secret");
  });
});

describe("an address that may not be sent to", () => {
  const HOSTILE = [
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::ffff:7f00:1]/",
    "http://localhost./",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/",
    "ftp://example.com/",
    "https://user:word@example.com/",
  ];
  test.each(HOSTILE)("is refused when it is saved: %s", async (url) => {
    await restarted({});
    const body = { type: "webhook", name: "x", url };
    expect(await call("POST", "/v1/notification-channels", body)).toMatchObject({
      status: 422,
      body: { error: "url_not_allowed" },
    });
  });

  test("is refused again when it is sent to: the settings have changed", async () => {
    await made("/rebound");
    await tell("n1");
    await restarted({});
    await t.runJobs();
    expect(await deliveries()).toMatchObject([
      { state: "pending", last_error: expect.stringContaining("not public") },
    ]);
    expect(receiver.at("/rebound")).toEqual([]);
  });
});
