import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createApiClient } from "../../../../server/platform/api-client.ts";
import { systemClock } from "../../../../server/platform/clock.ts";
import { createIds } from "../../../../server/platform/ids.ts";
import { keepJournal, listJournals } from "../../../../server/run/playwright/journal.ts";
import { type OutboxEntry, openOutbox } from "../../../../server/run/playwright/outbox.ts";
import { sendEntry } from "../../../../server/run/playwright/send.ts";
import { sendJournals } from "../../../../server/run/playwright/send-journals.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { scratchFolder } from "../../../helpers/program.ts";

/** A proxy, or another program at a wrong address: `/404` answers all below it with that status and a page. */
let stranger: Bun.Server<undefined>;
let on: TestApp;
let url: string;
const scratch = scratchFolder();
beforeAll(async () => {
  let status = 404;
  stranger = Bun.serve({
    port: 0,
    fetch(request) {
      const set = /^\/set\/(\d+)$/.exec(new URL(request.url).pathname);
      if (set) status = Number(set[1]);
      const headers: Record<string, string> =
        status === 301 ? { location: "https://traces.example/v1/traces/ingest" } : {};
      return new Response(set ? "" : "<h1>Welcome to nginx</h1>", { status: set ? 200 : status, headers });
    },
  });
  on = await testApp();
  url = on.listen();
});
afterAll(async () => {
  await stranger.stop(true);
  await on.close();
  scratch.remove();
});

const answering = (status: number) => fetch(new URL(`/set/${status}`, stranger.url));
const entry: OutboxEntry = {
  version: 1,
  id: "entry-1",
  fields: { scenario_slug: "shop" },
  idempotency_key: "key-1",
  has_archive: true,
};

async function send(to: { url: string; apiKey: string }) {
  writeFileSync(scratch.at("archive.zip"), "no archive");
  const outbox = openOutbox(scratch.at("outbox"));
  await outbox.add(entry, scratch.at("archive.zip"));
  const signal = new AbortController().signal;
  const sent = await sendEntry(to, outbox, entry, { ids: createIds(systemClock), signal });
  return sent as { kind: string; reason: string };
}

test("what a proxy or another program says is no verdict on a trace: it waits until the address is right", async () => {
  const to = { url: stranger.url.origin, apiKey: "k" };
  for (const status of [400, 404, 405]) {
    await answering(status);
    const { kind, reason } = await send(to);
    expect([status, kind]).toEqual([status, "denied"]);
    expect(reason).toContain(`it answered ${status}`);
    expect(reason).toContain("as no Tracedeck does");
  }
  await answering(301);
  const moved = await send(to);
  expect([moved.kind, moved.reason]).toEqual([
    "denied",
    expect.stringContaining("leads to https://traces.example"),
  ] as never);
  await answering(502);
  expect((await send(to)).kind).toBe("later");
  // Of this archive alone: others are smaller.
  await answering(413);
  expect((await send(to)).kind).toBe("refused");
});

test("what Tracedeck says of a trace is one", async () => {
  const { kind, reason } = await send({ url, apiKey: on.apiKey });
  expect([kind, reason]).toEqual(["refused", expect.not.stringContaining("as no Tracedeck")] as never);
  expect((await send({ url, apiKey: "product_sk_wrong" })).kind).toBe("denied");
});

test("a test run that a wrong address answered is sent to the right one later", async () => {
  const folder = scratch.at("journals");
  mkdirSync(folder);
  const outbox = openOutbox(folder);
  const at = "2026-03-01T11:00:00.000Z";
  await keepJournal(folder, {
    version: 1,
    key: "01a20a80-e287-7060-8ed2-466d74157184",
    frame: { started_at: at },
    results: [],
    end: { status: "passed", ended_at: at },
  } as never);
  await answering(404);
  const wrong = createApiClient({ url: stranger.url.origin, apiKey: "k" });
  expect(await sendJournals(wrong, folder, outbox)).toMatchObject([{ problem: expect.anything() }]);
  expect(await listJournals(folder)).toHaveLength(1);
  const right = createApiClient({ url, apiKey: on.apiKey });
  expect(await sendJournals(right, folder, outbox)).toMatchObject([{ run: expect.anything() }]);
  expect(await listJournals(folder)).toEqual([]);
});
