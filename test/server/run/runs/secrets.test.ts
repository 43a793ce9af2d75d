import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeBackup } from "../../../../store/backup.ts";
import { restoreBackup } from "../../../../store/restore.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { scratchFolder } from "../../../helpers/program.ts";
import { replayLab } from "../../../helpers/replays.ts";
import { statement } from "../../../helpers/statement.ts";

setDefaultTimeout(120_000);

const got: string[] = [];
let app: TestApp;
let target: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  app = await testApp({ settings: { secrets: { OF_SETTINGS: "of-settings" } } });
  target = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      got.push(await request.text());
      return new Response("ok");
    },
  });
});
afterAll(async () => {
  await app.close();
  await target.stop(true);
});

const keep = (to: TestApp, name: string, body: unknown) =>
  to.api(`/v1/secrets/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** How a run ended that sends the secret to the target. */
async function send(by: TestApp, name: string): Promise<Record<string, unknown>> {
  got.length = 0;
  const lab = replayLab(by);
  const scenarioId = await lab.scenario("sends", [`request POST "/" with "\${secrets.${name}}"`]);
  const asked = await lab.post("/v1/runs/manual", { scenarioId, baseUrl: target.url.origin });
  const { id } = (await asked.json()) as { id: string };
  await by.runJobs();
  return lab.json(`/v1/runs/${id}`);
}

test("a replay has the secrets of its org, as they are now, and is bound by their origins", async () => {
  const lab = replayLab(app);
  await keep(app, "TOKEN", { value: "first-value" });
  const steps = ['go to "/"', 'request POST "/" with "${secrets.TOKEN}"'];
  const traceId = await lab.record(await lab.scenario("replayed", steps), target.url.origin);
  expect(got).toContain("first-value");
  got.length = 0;
  await keep(app, "TOKEN", { value: "second-value" });
  expect(await lab.replay(traceId, { from_step: 2 })).toMatchObject({ status: "succeeded" });
  expect(got).toContain("second-value");
  got.length = 0;
  await keep(app, "TOKEN", { value: "second-value", origins: ["https://elsewhere.example"] });
  const refused = await lab.replay(traceId, { from_step: 2 });
  expect(refused).toMatchObject({ status: "failed", error: { reason: "secret_not_allowed" } });
  expect(got.join()).not.toContain("second-value");
});

describe("what is kept of a secret", () => {
  test("is not read from a row that was swapped or whose origins were widened", async () => {
    await keep(app, "ONE", { value: "value-of-one", origins: [target.url.origin] });
    await keep(app, "TWO", { value: "value-of-two", origins: [target.url.origin] });
    expect(await send(app, "ONE")).toMatchObject({ status: "passed" });
    await statement(
      app.store,
      "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'TWO') WHERE name = 'ONE'",
    );
    await statement(app.store, "UPDATE secrets SET origins = NULL WHERE name = 'TWO'");
    for (const name of ["ONE", "TWO"]) {
      const run = await send(app, name);
      expect(run).toMatchObject({ status: "error", error: { reason: "secret_unreadable" } });
      expect((run.error as { message: string }).message).toStartWith(
        `The secret ${name} cannot be decrypted`,
      );
      expect(got).toEqual([]);
    }
  });

  test("comes back with a backup, and without its signing.key is an error that names it until it is set anew", async () => {
    await keep(app, "SAVED", { value: "saved-value" });
    const scratch = scratchFolder();
    const outPath = scratch.at("backup.tar.zst");
    const coldDir = join(app.dataDir, "cold");
    await writeBackup({ dataDir: app.dataDir, coldDir, outPath, program: "test", now: 0, id: "1" });
    const dataDir = scratch.at("restored");
    const coldDirOf = () => join(dataDir, "cold");
    await restoreBackup({ dataDir, file: outPath, id: "2", force: false, now: 1, coldDirOf });
    const whole = await testApp({ dataDir });
    expect(await send(whole, "SAVED")).toMatchObject({ status: "passed" });
    expect(got).toEqual(["saved-value"]);
    expect(await send(whole, "OF_SETTINGS")).toMatchObject({ status: "passed" });
    await whole.close();
    rmSync(join(dataDir, "signing.key"));
    const other = await testApp({ dataDir });
    const run = await send(other, "SAVED");
    expect(run).toMatchObject({
      status: "error",
      error: {
        reason: "secret_unreadable",
        message:
          "The secret SAVED cannot be decrypted: it was kept under another signing.key, or its row was altered. Bring that signing.key back, or give its value anew with `tracedeck secrets set SAVED`.",
      },
    });
    const list = (await (await other.api("/v1/secrets")).json()) as { items: { name: string }[] };
    expect(list.items.map(({ name }) => name)).toContain("SAVED");
    expect((await keep(other, "SAVED", { value: "new-value" })).status).toBe(200);
    expect(await send(other, "SAVED")).toMatchObject({ status: "passed" });
    expect(got).toEqual(["new-value"]);
    await other.close();
    scratch.remove();
  });
});
