import { afterAll, afterEach, beforeEach, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commit } from "../../server/jobs/commit.ts";
import type { Facts } from "../../server/watch/channel-types/facts.ts";
import type { Channel, CreatedChannel } from "../../server/watch/channels/model.ts";
import { fanOut } from "../../server/watch/deliveries/fan-out.ts";
import type { Delivery } from "../../server/watch/deliveries/model.ts";
import { type TestApp, testApp } from "./app.ts";
import { createReceiver } from "./receiver.ts";

export const RETRY_SECONDS = [5, 30, 120];
export const SETTINGS = {
  notifications: { allow_private_addresses: true, retry_seconds: RETRY_SECONDS },
  rate_limits: { writes_per_minute: 10_000 },
};

export const FACTS: Omit<Facts, "orgId"> = {
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

/** A server per test that tells people over channels, with somebody who receives it. To be called once in a file. */
export function notifyingServer() {
  const receiver = createReceiver();
  let app: TestApp;
  let dataDir: string;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "tracedeck-test-"));
    app = await testApp({ settings: SETTINGS, dataDir });
  });
  afterEach(async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  afterAll(() => receiver.close());

  /** The same folder under a server that starts anew. */
  async function restarted(settings: Record<string, unknown>): Promise<void> {
    const { clock } = app;
    await app.close();
    app = await testApp({ settings, dataDir, clock });
  }

  async function call<T>(method: string, path: string, body?: unknown, as?: string) {
    const response = await app.api(path, {
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

  const tell = (noticeId: string, more: Partial<Facts> = {}, channels: string[] | null = null) =>
    commit(app.deps, (trx, after) =>
      fanOut(app.deps, trx, after, { noticeId, facts: { ...FACTS, orgId: app.orgId, ...more }, channels }),
    );

  const eventOf = ({ body }: { body: string }): string => (JSON.parse(body) as Facts).event;

  async function channel(id: string): Promise<Channel> {
    const { body } = await call<{ items: Channel[] }>("GET", "/v1/notification-channels");
    return body.items.find((one) => one.id === id)!;
  }

  /** Lets the wait before the next attempt pass. @param nth 0 for that after the first attempt */
  async function passRetry(nth: number): Promise<void> {
    app.clock.advance(RETRY_SECONDS[nth]! * 1000);
    await app.runJobs();
  }

  /** Lets the waits of all retries pass, one after the other. */
  async function letRetriesPass() {
    await app.runJobs();
    for (const seconds of RETRY_SECONDS) {
      app.clock.advance(seconds * 1000);
      await app.runJobs();
    }
  }

  return {
    /** It is another one after `restarted`. */
    get app() {
      return app;
    },
    get dataDir() {
      return dataDir;
    },
    receiver,
    restarted,
    call,
    made,
    deliveries,
    tell,
    eventOf,
    channel,
    passRetry,
    letRetriesPass,
  };
}
