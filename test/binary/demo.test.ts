import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SAMPLES } from "../../fixtures/samples.ts";
import { SCENARIOS } from "../../fixtures/scenarios.ts";
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

  async function titles(server: RunningServer): Promise<string[]> {
    const list = (await (await server.api("/v1/traces")).json()) as { items: { scenario_title: string }[] };
    return list.items.map((item) => item.scenario_title);
  }

  test("shows every sample, once, however often it is started", async () => {
    let server = await start();
    while ((await titles(server)).length < SAMPLES.length) await Bun.sleep(20);
    const shown = await titles(server);
    expect(shown.toReversed()).toEqual(SAMPLES.map((sample) => sample.title));
    expect(await server.stop()).toBe(0);

    server = await start();
    expect(await titles(server)).toEqual(shown);
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
  }, 120_000);

  test("a start that was killed while samples went in is carried on by the next", async () => {
    const other = scratchFolder();
    const args = ["demo", "--no-open", "--port", "0"];
    let server = await startProgram(other.path, { command, args });
    while ((await titles(server)).length < 3) await Bun.sleep(5);
    await server.stop("SIGKILL");
    server = await startProgram(other.path, { command, args });
    while ((await titles(server)).length < SAMPLES.length) await Bun.sleep(20);
    expect((await titles(server)).toReversed()).toEqual(SAMPLES.map((sample) => sample.title));
    await server.stop();
    other.remove();
  }, 120_000);
});
