import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "kysely";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { RunnerError } from "../../../server/run/errors.ts";
import { type GateLab, gateLab, scenarioFile } from "../../helpers/gates.ts";
import type { ModelPull } from "../../helpers/host-api/model.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(180_000);

// Whatever breaks on our side, a gate ends, passes nothing by it, and the check says neither success nor neutral nor skipped.
let lab: GateLab;
const mended: (() => void)[] = [];
beforeAll(async () => {
  lab = await gateLab();
  lab.files({ "home.scenario.md": scenarioFile("home", ['go to "/"'], 'covers: ["src/**"]\n') });
});
afterEach(() => {
  for (const mend of mended.splice(0)) mend();
  lab.host.mend();
});
afterAll(() => lab.close());

let changes = 0;
function opened(deployedAt: string | null = lab.shop.url): ModelPull {
  const pull = lab.host.openPull({ "src/a.ts": String(++changes) });
  if (deployedAt !== null) lab.host.deploy(pull.headSha, deployedAt);
  return pull;
}

/** The pull request is told of, and everything is done until nothing is to be, however often that takes. */
async function judged(pull: ModelPull, at: GateLab = lab): Promise<GateAnswer> {
  await at.news("opened", pull);
  for (let turn = 0; turn < 30; turn++) {
    await at.work();
    const gate = await at.newest(pull);
    if (gate.ended_at !== null) return gate;
    at.app.clock.advance(31_000);
  }
  return at.newest(pull);
}

function expectNoPass(gate: GateAnswer, pull: ModelPull, conclusion = "failure", at: GateLab = lab): void {
  expect(gate).toMatchObject({ status: "error", passes: false });
  expect(gate.reason).toBeTruthy();
  expect(at.check(pull.headSha)).toMatchObject({ status: "completed", conclusion });
  expect(at.comment(pull)).not.toContain("The gate passes");
}

type Pool = GateLab["app"]["deps"]["runState"]["runs"]["pool"];

/** Has runs carried out in another way until the test ends. */
function runsBy(other: (real: Pool) => Pool["run"]): void {
  const { runs } = lab.app.deps.runState;
  const { pool } = runs;
  runs.pool = { ...pool, run: other(pool) };
  mended.push(() => {
    runs.pool = pool;
  });
}

/** Every run ends in another way than by its steps. */
const breakRuns = (reason: string): void =>
  runsBy(() => async () => {
    throw new RunnerError(reason, `It ended by ${reason}.`);
  });

describe("a run that could not be made", () => {
  test.each([
    "browser_missing",
    "browser_unavailable",
    "browser_crashed",
    "page_crashed",
    "runner_unavailable",
    "runner_lost",
    "recording_lost",
    "clone_unavailable",
    "offline",
    "secret_unreadable",
    "a_reason_of_tomorrow",
  ])("by %s is an error of the gate and a failed check", async (reason) => {
    breakRuns(reason);
    const pull = opened();
    const gate = await judged(pull);
    expectNoPass(gate, pull);
    expect(gate.scenarios[0]!.finding).toMatchObject({
      outcome: "error",
      error_reason: reason,
      blocks: false,
    });
    expect(lab.comment(pull)).toContain("This could not be run to its end");
  });

  test("in its time, before its first step, has the check timed out", async () => {
    breakRuns("timeout");
    const pull = opened();
    expectNoPass(await judged(pull), pull, "timed_out");
  });

  test("because somebody ended it is no pass", async () => {
    const pull = opened();
    await lab.news("opened", pull);
    runsBy((pool) => async (task, watch) => {
      const { scenarios } = await lab.newest(pull);
      const answer = await send(lab.app, "POST", `/v1/runs/${scenarios[0]!.run_id}/cancel`);
      expect(answer.status).toBe(200);
      return pool.run(task, watch);
    });
    expectNoPass(await judged(pull), pull);
  });

  test("for want of a browser on this machine is no pass, and says so", async () => {
    const bare = await gateLab({ settings: { browser: { executable: "/nowhere/chromium" } } });
    try {
      // `settings` above takes the place of the lab's own.
      const { gate, reason } = await plainly(bare);
      expect(gate).toMatchObject({ status: "error", passes: false });
      expect(reason).toContain("/nowhere/chromium");
    } finally {
      await bare.close();
    }
  });
});

/** A gate as CI asks for it, with all that it is about. */
async function plainly(at: GateLab): Promise<{ gate: GateAnswer; reason: string }> {
  const asked = await send(at.app, "POST", "/v1/gates", {
    ...{ repo: "acme/shop", pr: 1, head_sha: "a".repeat(40), base_sha: "b".repeat(40), url: at.shop.url },
    ...{ changed: ["src/a.ts"] },
    files: [{ path: "home.scenario.md", text: scenarioFile("home", ['go to "/"'], 'covers: ["src/**"]\n') }],
  });
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as GateAnswer;
  await at.work();
  const gate = await at.gate(id);
  return { gate, reason: gate.scenarios[0]?.finding?.headline ?? "" };
}

describe("a host that cannot be asked", () => {
  test("what changed, or what the files hold, is no pass", async () => {
    for (const path of [/\/compare\//, /\/git\/trees\//, /\/git\/commits\//]) {
      lab.host.fail(path, { status: 502 }, 200);
      const pull = opened();
      expectNoPass(await judged(pull), pull);
      lab.host.mend();
    }
  });

  test("for the preview's address until the time is over is no pass, and not the commit's fault", async () => {
    const pull = opened(null);
    await lab.news("opened", pull);
    await lab.work();
    expect(await lab.newest(pull)).toMatchObject({ status: "waiting" });
    lab.host.fail(/\/deployments/, { status: 503 }, 1000);
    const gate = await judged(pull);
    lab.host.mend();
    expectNoPass(gate, pull);
    expect(gate.reason).toContain("nothing to run against within 10 minutes");
  });

  test("to take the verdict gets it when it is back, and the check is open until then", async () => {
    const pull = opened();
    await lab.news("opened", pull);
    lab.host.fail(/PATCH .*\/check-runs\//, { status: 502 }, 1000);
    const gate = await judged(pull);
    expect(gate).toMatchObject({ status: "passed" });
    expect(lab.check(pull.headSha)).toMatchObject({ conclusion: null });
    lab.app.clock.advance(60 * 60_000);
    await lab.work();
    lab.host.mend();
    lab.app.clock.advance(31_000);
    await lab.work();
    expect(lab.check(pull.headSha)).toMatchObject({ status: "completed", conclusion: "success" });
    expect(lab.host.model.comments.filter(({ number }) => number === pull.number)).toHaveLength(1);
  });
});

/** Something happens before each compilation of a commit's files. */
function beforeCompile(happen: () => Promise<void>): void {
  const { tasks } = lab.app.deps;
  const { run } = tasks;
  mended.push(() => {
    tasks.run = run;
  });
  tasks.run = async (name, ...rest) => {
    if (name === "gate.compile") await happen();
    return run(name, ...rest);
  };
}

test("files that cannot be compiled because the worker dies are no pass", async () => {
  beforeCompile(async () => {
    throw new Error("The worker ended.");
  });
  const pull = opened();
  const gate = await judged(pull);
  expectNoPass(gate, pull);
  expect(gate.reason).toContain("The worker ended.");
});

test("a run whose record is damaged is no pass", async () => {
  const { records } = lab.app.store;
  runsBy((pool) => async (task, watch) => {
    const outcome = await pool.run(task, watch);
    await records.updateTable("runs").set({ plan: "{" }).where("status", "=", "running").execute();
    return outcome;
  });
  const text = scenarioFile(
    "home",
    ['go to "/"', 'expect text "Nowhere" within 100ms'],
    'covers: ["src/**"]\n',
  );
  const pull = lab.host.openPull({ "home.scenario.md": text });
  lab.host.deploy(pull.headSha, lab.shop.url);
  const gate = await judged(pull);
  expectNoPass(gate, pull);
  expect(gate.reason).toContain("What the run of home tells could not be read");
});

test("a disk that is full while it is planned lets nothing pass, and with room the gate ends", async () => {
  const { records } = lab.app.store;
  const pages = async (most: number | string) =>
    void (await sql`PRAGMA max_page_count = ${sql.raw(String(most))}`.execute(records));
  let planned = 0;
  beforeCompile(async () => {
    planned += 1;
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(records);
    await pages(rows[0]!.page_count);
  });
  const text = scenarioFile("home", ['go to "/"'], 'covers: ["src/**"]\n');
  const pull = lab.host.openPull({ "home.scenario.md": `${text}\n${"prose ".repeat(200_000)}\n` });
  lab.host.deploy(pull.headSha, lab.shop.url);
  await lab.news("opened", pull);
  for (let turn = 0; turn < 12; turn++) {
    await lab.work().catch(() => {});
    lab.app.clock.advance(31_000);
  }
  expect(planned).toBeGreaterThan(0);
  const full = await lab.newest(pull);
  expect(full.passes).not.toBe(true);
  expect(full.scenarios).toEqual([]);
  expect(lab.check(pull.headSha)?.conclusion).not.toBe("success");
  await pages(4_294_967_294);
  for (const mend of mended.splice(0)) mend();
  const gate = await judged(pull);
  expect(gate.ended_at).not.toBeNull();
  expect(lab.check(pull.headSha)).toMatchObject({ status: "completed" });
});

test("whoever is to be told of such a fault is told once an hour, with the gate", async () => {
  const { records } = lab.app.store;
  lab.app.clock.advance(2 * 60 * 60_000);
  const since = lab.app.clock.now();
  breakRuns("browser_crashed");
  const first = await judged(opened());
  await judged(opened());
  const told = await records.selectFrom("notices").selectAll().where("created_at", ">=", since).execute();
  expect(told).toMatchObject([{ event: "monitor.errors", gate_id: first.id, reason: first.reason }]);
});
