import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Shop, startShop } from "../../../fixtures/app/shop.ts";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { failOrphanedRuns } from "../../../server/run/runs/handlers.ts";
import { releaseJobsOf } from "../../../store/records/jobs.ts";
import { createTestClock, testApp } from "../../helpers/app.ts";
import { childCommand } from "../../helpers/child.ts";
import type { GateMoment } from "../../helpers/gate-child.ts";
import { scenarioFile } from "../../helpers/gates.ts";
import { type HostApi, startHostApi } from "../../helpers/host-api/host-api.ts";
import type { ModelCheckRun, ModelComment } from "../../helpers/host-api/model.ts";
import { runPeriodic } from "../../helpers/traces.ts";

setDefaultTimeout(180_000);

const CHILD = join(import.meta.dir, "../../helpers/gate-child.ts");
let folder: string;
let host: HostApi;
let shop: Shop;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-gate-killed-"));
  host = startHostApi({ now: createTestClock().now });
  shop = startShop();
  const misses = ['go to "/"', 'expect text "Nowhere" within 100ms'];
  host.repository.commit("main", {
    "home.scenario.md": scenarioFile("home", ['go to "/"'], 'covers: ["src/home/**"]\n'),
    "gone.scenario.md": scenarioFile("gone", misses, 'covers: ["src/gone/**"]\n'),
  });
});
afterAll(async () => {
  await shop.stop();
  rmSync(folder, { recursive: true });
  host.close();
});

/** What became of a gate. */
interface Outcome {
  gate: GateAnswer;
  /** Of its commit at the host. */
  checks: ModelCheckRun[];
  comments: ModelComment[];
  /** Events of the notices about it. */
  notices: string[];
  runs: { status: string }[];
}

/** A gate of a pull request, whose server dies at a moment and is started again. */
async function killedAt(moment: GateMoment, files: Record<string, string>): Promise<Outcome> {
  const dataDir = mkdtempSync(join(folder, `${moment}-`));
  const before = await testApp({ dataDir, settings: { code_host: host.asApp } });
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
  const child = Bun.spawn([...childCommand(CHILD), dataDir, moment], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  const after = await testApp({ dataDir });
  try {
    const { records } = after.store;
    await failOrphanedRuns(after.deps);
    // As every start does with jobs of its own that a crash left.
    await releaseJobsOf(records, after.deps.serverId, after.clock.now());
    await after.runJobs();
    await runPeriodic(after, "gates.untold");
    const notices = await records.selectFrom("notices").select("event").where("gate_id", "=", id).execute();
    return {
      gate: (await (await after.api(`/v1/gates/${id}`)).json()) as GateAnswer,
      checks: host.model.checkRuns.filter(({ head_sha }) => head_sha === pull.headSha),
      comments: host.model.comments.filter(({ number }) => number === pull.number),
      notices: notices.map(({ event }) => event),
      runs: await records.selectFrom("runs").select("status").execute(),
    };
  } finally {
    await after.close();
  }
}

describe("a server that is killed with SIGKILL", () => {
  test("while it reads what changed: the next start reads it and judges once", async () => {
    const { gate, checks } = await killedAt("reading", { "docs/a.md": "1" });
    expect(gate).toMatchObject({ status: "passed", attempt: 1, scenario_count: 0 });
    expect(checks).toMatchObject([{ status: "completed", conclusion: "success" }]);
  });

  test("when a run was claimed: the next start carries it out, once", async () => {
    const { gate, runs, checks } = await killedAt("run", { "src/home/a.ts": "1" });
    expect(gate).toMatchObject({ status: "passed", scenarios: [{ slug: "home", run_status: "passed" }] });
    expect(runs).toHaveLength(1);
    expect(checks).toMatchObject([{ conclusion: "success" }]);
  });

  test("while a run goes on: that run is lost, which is our fault and no pass, and nobody makes it again", async () => {
    const { gate, runs, checks, notices } = await killedAt("running", { "src/home/a.ts": "2" });
    expect(gate).toMatchObject({ status: "error", passes: false });
    expect(gate.scenarios).toMatchObject([{ finding: { outcome: "error", error_reason: "runner_lost" } }]);
    expect(runs).toEqual([{ status: "error" }]);
    expect(checks).toMatchObject([{ status: "completed", conclusion: "failure" }]);
    expect(notices).toEqual(["monitor.errors"]);
  });

  test.each(["judging", "verdict", "check", "comment"] as const)(
    "at %s: the verdict is found once, and told once to the host and to people",
    async (moment) => {
      const { gate, runs, checks, comments, notices } = await killedAt(moment, { "src/gone/a.ts": moment });
      expect(gate).toMatchObject({ status: "failed", attempt: 1, scenarios: [{ run_status: "failed" }] });
      expect(runs).toHaveLength(1);
      expect(checks).toMatchObject([{ status: "completed", conclusion: "failure" }]);
      // The host keeps those that it has when it is told again.
      expect(checks[0]!.annotations).toHaveLength(1);
      expect(comments).toMatchObject([{ body: expect.stringContaining("The gate fails") }]);
      expect(notices).toEqual(["gate.failed"]);
    },
  );
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
