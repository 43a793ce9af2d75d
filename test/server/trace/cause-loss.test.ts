import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { testApp } from "../../helpers/app.ts";
import { blob, events, sha256 } from "../../helpers/bundles.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { getJson, uploadTrace } from "../../helpers/traces.ts";

const START = Date.parse("2026-03-01T11:00:00.000Z");
const SAID = '{"error":"ledger unavailable"}';

const LINES = [
  { kind: "network.request", request_id: "r1", method: "POST", url: "http://shop.example/api/pay" },
  {
    ...{ kind: "network.response", request_id: "r1", method: "POST", url: "http://shop.example/api/pay" },
    ...{ status: 500, duration_ms: 4, media_type: "application/json", body: `sha256:${sha256(SAID)}` },
  },
  { kind: "assertion", step_id: "paid", ok: false, message: "not paid", title: "It is paid" },
].map((one, at) => JSON.stringify({ seq: at + 1, ts: START + at * 10, ...one }));

test("a body that is gone from the disk is told in the log, and the cause as far as it is known without", async () => {
  const on = await testApp();
  try {
    const { id } = await uploadTrace(on, {
      entries: [events(LINES.join("\n")), blob(SAID)],
      manifest: { status: "failed" },
    });
    const headline = async () => (await getJson<{ headline: string }>(on, `/v1/traces/${id}/cause`)).headline;
    const losses = () => on.logged.filter((line) => line.includes("bodies that cannot be read"));
    expect(await headline()).toBe("POST /api/pay was answered with 500: ledger unavailable");
    expect(losses()).toEqual([]);

    rmSync(loosePath(on.store, sha256(SAID)));
    await on.store.records.deleteFrom("causes").where("trace_id", "=", id).execute();
    await headline();
    await on.runJobs();
    expect(await headline()).toBe("POST /api/pay was answered with 500");
    expect(losses().map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", trace_id: id, unread: 1 },
    ]);
  } finally {
    await on.close();
  }
});
