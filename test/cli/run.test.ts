import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(120_000);

const folder = scratchFolder();
const data = folder.at("data");
let shop: Shop;
beforeAll(() => {
  shop = startShop();
});
afterAll(async () => {
  await shop.stop();
  folder.remove();
});

interface Run {
  trace_id: string;
  status: string;
  duration_ms: number;
  error: { reason: string | null; message: string } | null;
}

async function run(
  steps: string[],
  more: string[] = [],
): Promise<{ code: number; runs: Run[]; stderr: string }> {
  const file = folder.at("of-test.scenario.md");
  await Bun.write(
    file,
    `---\nslug: of-test\ntitle: Of the test\n---\n${steps.map((step, at) => `${at + 1}. ${step}`).join("\n")}\n`,
  );
  const { code, stdout, stderr } = await runProgram([
    "run",
    file,
    "--data",
    data,
    "--base-url",
    shop.url,
    "--json",
    ...more,
  ]);
  return { code, stderr, runs: stdout === "" ? [] : (JSON.parse(stdout) as { runs: Run[] }).runs };
}

async function answers(server: RunningServer): Promise<Map<string, number>> {
  const text = await (await server.api("/metrics")).text();
  return new Map(
    [...text.matchAll(/http_requests_total\{method="(\w+)",status="(\d+)"\} (\d+)/g)].map(
      ([, method, status, count]) => [`${method} ${status}`, Number(count)],
    ),
  );
}

describe("run against a server", () => {
  test("keeps within the default limits: nothing is refused, and few requests bring much", async () => {
    const server = await startProgram(data);
    const { runs } = await run([
      'go to "/"',
      'click testid "add-beans"',
      'go to "/cart"',
      "wait 2s",
      'go to "/checkout"',
      'fill field "Email" with "${synthetic.email}"',
      'go to "/"',
    ]);
    expect(runs).toMatchObject([{ status: "passed" }]);
    const events = await server.api(`/v1/traces/${runs[0]!.trace_id}/events?limit=1000`);
    const { events: kept } = (await events.json()) as { events: { blob?: string; html?: string }[] };
    expect(new Set(kept.flatMap(({ blob, html }) => blob ?? html ?? [])).size).toBeGreaterThan(8);
    const said = await answers(server);
    expect([...said.keys()].filter((key) => key.endsWith(" 429"))).toEqual([]);
    const seconds = runs[0]!.duration_ms / 1000;
    const writes = [...said]
      .filter(([key]) => /^(POST|PUT)/.test(key))
      .reduce((sum, [, count]) => sum + count, 0);
    expect(writes).toBeGreaterThan(4);
    // Begin, end, the last of both kinds and the files, and the same of the run; besides them at most two a second.
    expect(writes).toBeLessThan(14 + seconds * 2);
    await server.stop();
  });
});

/** Processes of a runner and of its browser below a server, at any depth. */
function below(parent: number): number[] {
  const listed = Bun.spawnSync(["ps", "-eo", "pid=,ppid="]).stdout.toString();
  const parents = new Map(
    listed
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
  );
  const isBelow = (pid: number): boolean => {
    const above = parents.get(pid);
    return above === parent || (above !== undefined && above > 1 && isBelow(above));
  };
  return [...parents.keys()].filter(isBelow);
}
const areGone = (pids: number[]) => {
  const listed = Bun.spawnSync(["ps", "-eo", "pid=,stat="]).stdout.toString();
  const alive = new Set(
    listed
      .trim()
      .split("\n")
      .filter((line) => !line.includes("Z"))
      .map((line) => Number.parseInt(line, 10)),
  );
  return !pids.some((pid) => alive.has(pid));
};

describe("a server that is killed while a run is under way", () => {
  test("leaves neither runner nor browser; at its next start the run is lost and its trace aborted", async () => {
    const killed = await startProgram(data);
    const file = folder.at("scenarios", "waits.scenario.md");
    await Bun.write(file, '---\nslug: waits\ntitle: Waits\n---\n1. go to "/"\n2. wait 2m\n');
    const synced = await runProgram(["scenarios", "sync", folder.at("scenarios"), "--data", data]);
    expect(synced.code).toBe(0);
    const begun = await killed.api("/v1/runs/manual", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scenarioId: "waits", baseUrl: shop.url }),
    });
    expect(begun.status).toBe(202);
    const { id } = (await begun.json()) as { id: string };
    const read = async (server: RunningServer) =>
      (await (await server.api(`/v1/runs/${id}`)).json()) as {
        status: string;
        trace_id: string | null;
        error: unknown;
      };
    const trace = async (server: RunningServer) =>
      (await (await server.api(`/v1/traces/${(await read(server)).trace_id}`)).json()) as {
        status: string;
        event_count: number;
      };
    await until("events have come", async () => (await trace(killed)).event_count > 3, 30_000);
    const processes = below(killed.pid);
    expect(processes.length).toBeGreaterThan(2);
    await killed.stop("SIGKILL");
    await until("the runner and its browser have ended", () => areGone(processes), 15_000);

    const next = await startProgram(data);
    // The run is told as ended when its trace has its last word too.
    await until("the run has ended", async () => (await read(next)).status !== "running");
    expect(await read(next)).toMatchObject({ status: "error", error: { reason: "runner_lost" } });
    expect((await trace(next)).status).toBe("aborted");
    expect((await trace(next)).event_count).toBeGreaterThan(3);
    await next.stop();
  });
});

describe("run while its server is killed", () => {
  test("ends as an error that says so, and does not hang", async () => {
    const server = await startProgram(data);
    const running = run(['go to "/"', "wait 2m"]);
    const listed = async () =>
      (
        (await (await server.api("/v1/runs?status=running")).json()) as {
          items: { trace_id: string | null }[];
        }
      ).items;
    await until("the run has begun", async () => (await listed()).some(({ trace_id }) => trace_id), 30_000);
    await server.stop("SIGKILL");
    const { code, stderr, runs } = await running;
    expect(code).not.toBe(0);
    expect(stderr + JSON.stringify(runs)).toMatch(/server/i);
  });
});
