import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Shop, startShop } from "../../../fixtures/app/shop.ts";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { failOrphanedRuns } from "../../../server/run/runs/handlers.ts";
import { testApp } from "../../helpers/app.ts";
import type { GateMoment } from "../../helpers/gate-child.ts";
import { scenarioFile } from "../../helpers/gates.ts";
import { type HostApi, startHostApi } from "../../helpers/host-api/host-api.ts";
import type { ModelPull } from "../../helpers/host-api/model.ts";
import { runPeriodic } from "../../helpers/traces.ts";

setDefaultTimeout(180_000);

const CHILD = join(import.meta.dir, "../../helpers/gate-child.ts");
let folder: string;
let host: HostApi;
let shop: Shop;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-gate-killed-"));
  // The child's clock is the machine's, the others' stands: tokens hold in both.
  host = startHostApi({ now: () => Date.parse("2026-03-01T12:00:00.000Z") });
  shop = startShop();
  host.repository.commit("main", {
    "home.scenario.md": scenarioFile("home", ['go to "/"'], 'covers: ["src/**"]\n'),
  });
});
afterAll(async () => {
  await shop.stop();
  rmSync(folder, { recursive: true });
  host.close();
});

/** A gate of a pull request, whose server dies at a moment and is started again. */
async function killedAt(
  moment: GateMoment,
  files: Record<string, string>,
): Promise<{ pull: ModelPull; gate: GateAnswer }> {
  const dataDir = mkdtempSync(join(folder, `${moment}-`));
  // By a person's token: an app's key is only good by the right clock.
  const settings = { code_host: host.asToken };
  const before = await testApp({ dataDir, settings });
  const pull = host.openPull(files);
  const asked = await before.api("/v1/gates", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      ...{ pr: pull.number, head_sha: pull.headSha, base_sha: host.repository.head("main"), url: shop.url },
    }),
  });
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as GateAnswer;
  await before.close();
  const child = Bun.spawn([process.execPath, CHILD, dataDir, moment], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  const after = await testApp({ dataDir });
  try {
    await failOrphanedRuns(after.deps);
    // As every start does; the child's clock is far ahead of this one's.
    await after.store.records
      .updateTable("jobs")
      .set({ state: "queued", visible_at: 0 })
      .where("state", "in", ["queued", "running"])
      .execute();
    await after.runJobs();
    await runPeriodic(after, "gates.untold");
    await after.runJobs();
    return { pull, gate: (await (await after.api(`/v1/gates/${id}`)).json()) as GateAnswer };
  } finally {
    await after.close();
  }
}

describe("a server that is killed with SIGKILL", () => {
  test("while it reads what changed: the next start reads it and judges once", async () => {
    const { gate } = await killedAt("reading", { "docs/a.md": "1" });
    expect(gate).toMatchObject({ status: "passed", attempt: 1, scenario_count: 0 });
  });

  test("when the host has a comment that it does not know of: it stays the only one", async () => {
    const { pull, gate } = await killedAt("comment", {
      "home.scenario.md": scenarioFile("home", ["go nowhere"]),
    });
    expect(gate).toMatchObject({ status: "failed" });
    expect(host.model.comments.filter(({ number }) => number === pull.number)).toMatchObject([
      { body: expect.stringContaining("The gate fails") },
    ]);
  });

  test("when a run was claimed: the next start carries it out, once", async () => {
    const { gate } = await killedAt("run", { "src/a.ts": "1" });
    expect(gate).toMatchObject({ status: "passed", scenarios: [{ slug: "home", run_status: "passed" }] });
  });
});

test("a check run that the host has and nothing here knows of is found again, and no second one is made", async () => {
  const app = await testApp({ settings: { code_host: host.asApp } });
  try {
    const pull = host.openPull({ "docs/b.md": "1" });
    const real = app.deps.gateState.codeHost!;
    app.deps.gateState.codeHost = {
      ...real,
      async createCheckRun(run) {
        await real.createCheckRun(run);
        throw new Error("The process ends here.");
      },
    };
    const asked = await app.api("/v1/gates", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        pr: pull.number,
        head_sha: pull.headSha,
        base_sha: host.repository.head("main"),
      }),
    });
    expect(asked.status).toBe(202);
    await app.runJobs();
    app.deps.gateState.codeHost = real;
    app.clock.advance(60_000);
    await app.runJobs();
    const checks = host.model.checkRuns.filter(({ head_sha }) => head_sha === pull.headSha);
    expect(checks).toMatchObject([{ status: "completed", conclusion: "success" }]);
  } finally {
    await app.close();
  }
});
