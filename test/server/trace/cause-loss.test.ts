import { expect, test } from "bun:test";
import { rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { withoutLoss } from "../../../server/trace/causes/make.ts";
import { NO_CAUSE } from "../../../server/trace/format/cause/find-cause.ts";
import { artifactsOf } from "../../../store/records/artifacts.ts";
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

type TestApp = Awaited<ReturnType<typeof testApp>>;

const upload = (on: TestApp, status: "failed" | "passed", lines = LINES) =>
  uploadTrace(on, { entries: [events(lines.join("\n")), blob(SAID)], manifest: { status } });

const headlineOf = async (on: TestApp, id: string) =>
  (await getJson<{ headline: string }>(on, `/v1/traces/${id}/cause`)).headline;

/** The cause once it has been looked for anew. */
async function headlineAnew(on: TestApp, id: string): Promise<string> {
  await on.store.records.deleteFrom("causes").where("trace_id", "=", id).execute();
  await headlineOf(on, id);
  await on.runJobs();
  return headlineOf(on, id);
}

/** What the log says of causes told without something. */
const losses = (on: TestApp) =>
  on.logged
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message?.startsWith("a cause is told without"));

test("a body that is gone from the disk is told in the log, and the cause as far as it is known without", async () => {
  const on = await testApp();
  try {
    const { id } = await upload(on, "failed");
    expect(await headlineOf(on, id)).toBe("POST /api/pay was answered with 500: ledger unavailable");
    expect(losses(on)).toEqual([]);

    rmSync(loosePath(on.store, sha256(SAID)));
    expect(await headlineAnew(on, id)).toBe("POST /api/pay was answered with 500");
    expect(losses(on)).toMatchObject([{ level: "warn", trace_id: id, unread: 1 }]);
  } finally {
    await on.close();
  }
});

test.each([
  ["gone", (path: string) => rmSync(path)],
  ["cut short", (path: string) => truncateSync(path, 10)],
])("a pass whose events are %s is told in the log, and the cause without it", async (_, lose) => {
  const on = await testApp();
  try {
    // It was answered so as well, so that nothing is told of it as long as the pass is read.
    const pass = await upload(on, "passed", LINES.slice(0, 2));
    const { id } = await upload(on, "failed");
    await on.runJobs();
    expect(await headlineAnew(on, id)).toBe("not paid");
    expect(losses(on)).toEqual([]);

    const kept = await artifactsOf(on.store.records, pass.id);
    lose(join(on.dataDir, kept.find(({ kind }) => kind === "ndjson")!.path));
    expect(await headlineAnew(on, id)).toBe("POST /api/pay was answered with 500: ledger unavailable");
    expect(losses(on)).toHaveLength(1);
  } finally {
    await on.close();
  }
});

test("parts of the engine that failed are told in the log, and not in what is kept", async () => {
  const on = await testApp();
  try {
    const told = { cause: NO_CAUSE, shared: NO_CAUSE, context: null };
    const faults = ["TypeError at detectRepeated (engine.ts:7:1)"];
    expect(withoutLoss(on.deps, "t1", { ...told, unread: 0, faults })).toEqual(told);
    expect(losses(on)).toMatchObject([{ level: "error", trace_id: "t1", faults }]);
  } finally {
    await on.close();
  }
});
