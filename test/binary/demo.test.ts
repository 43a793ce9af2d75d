import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { planMonth } from "../../fixtures/month/plan.ts";
import { SAMPLES } from "../../fixtures/samples.ts";
import { SCENARIOS } from "../../fixtures/scenarios.ts";
import { createRandom } from "../../server/platform/random.ts";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";

describe("demo, from the executable", () => {
  const scratch = scratchFolder();
  let command: string[];

  beforeAll(async () => {
    command = [await executable()];
  }, 120_000);

  afterAll(scratch.remove);

  const start = () =>
    startProgram(scratch.at("data"), {
      command,
      cwd: scratch.path,
      args: ["demo", "--no-open", "--port", "0"],
    });

  interface Trace {
    id: string;
    scenario_title: string;
    created_at: string;
  }

  /** Every trace, the newest first. */
  async function traces(server: RunningServer): Promise<Trace[]> {
    const all: Trace[] = [];
    for (let cursor = ""; ; ) {
      const answer = await server.api(`/v1/traces?limit=200${cursor}`);
      const page = (await answer.json()) as { items: Trace[]; next_cursor: string | null };
      all.push(...page.items);
      if (page.next_cursor === null) return all;
      cursor = `&cursor=${page.next_cursor}`;
    }
  }

  /** Waits until all is in: the searches are saved last. */
  async function whenMade(server: RunningServer): Promise<Trace[]> {
    for (;;) {
      const searches = (await (await server.api("/v1/saved-searches")).json()) as { items: unknown[] };
      if (searches.items.length > 0) return traces(server);
      await Bun.sleep(100);
    }
  }

  /** How many there are to be, as the folder's own note of its seed and moment has it. */
  function planned(dataDir: string): number {
    const { seed, now } = JSON.parse(readFileSync(join(dataDir, "demo.json"), "utf8")) as {
      seed: string;
      now: number;
    };
    return SAMPLES.length + planMonth(now, createRandom(seed)).traces.length;
  }

  test("shows every sample and the month before, once, however often it is started and though the first start is killed", async () => {
    let server = await start();
    while ((await traces(server)).length < 60) await Bun.sleep(50);
    await server.stop("SIGKILL");
    server = await start();
    const shown = await whenMade(server);
    expect(shown.length).toBe(planned(scratch.at("data")));
    expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length);
    const lastHours = shown.filter(({ created_at }) => Date.now() - Date.parse(created_at) < 90 * 60_000);
    const titles = new Set(lastHours.map((item) => item.scenario_title));
    expect(SAMPLES.filter(({ title }) => !titles.has(title))).toEqual([]);
    expect(Date.now() - Date.parse(shown.at(-1)!.created_at)).toBeGreaterThan(29 * 24 * 60 * 60_000);
    expect(await server.stop()).toBe(0);

    server = await start();
    expect((await traces(server)).map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
    const scenarios = (await (await server.api("/v1/scenarios")).json()) as {
      items: { slug: string; compiled: { base_url: string } | null }[];
    };
    const runnable = scenarios.items.filter(({ compiled }) => compiled);
    expect(runnable.length).toBe(SCENARIOS.length);
    expect(runnable[0]?.compiled?.base_url).toMatch(/^http:\/\/localhost:\d+$/);
    const asked = await server.api("/v1/runs/manual", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scenarioId: "sign-up-with-a-code" }),
    });
    const { id } = (await asked.json()) as { id: string };
    // Ends when the run has.
    await (await server.api(`/v1/runs/${id}/logs`)).text();
    expect(await (await server.api(`/v1/runs/${id}`)).json()).toMatchObject({
      status: "passed",
      error: null,
    });
    expect(await server.stop()).toBe(0);
  }, 180_000);

  test("makes no samples where it is to be empty, and takes none away", async () => {
    const other = scratchFolder();
    const server = await startProgram(other.path, {
      command,
      args: ["demo", "--empty", "--no-open", "--port", "0"],
    });
    expect(await traces(server)).toEqual([]);
    expect(existsSync(join(other.path, "demo.json"))).toBe(false);
    await server.stop();
    other.remove();
  }, 60_000);
});
