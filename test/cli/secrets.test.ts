import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { SecretView } from "../../server/identity/secrets/model.ts";
import { type RunningServer, runProgram, scratchFolder, startProgram } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const data = scratch.at("data");
const got: string[] = [];
let target: ReturnType<typeof Bun.serve>;
let server: RunningServer;

beforeAll(async () => {
  target = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      got.push(await request.text());
      return new Response("ok");
    },
  });
  await Bun.write(`${data}/settings.json`, JSON.stringify({ secrets: { OF_SETTINGS: "value-of-settings" } }));
  server = await startProgram(data, { env: { TRACEDECK_SECRET_OF_ENV: "value-of-env" } });
});
afterAll(async () => {
  await server.stop();
  await target.stop(true);
  scratch.remove();
});

const secrets = (args: string[], options: Parameters<typeof runProgram>[1] = {}) =>
  runProgram(["secrets", ...args, "--data", data], options);
const names = async () => {
  const { items } = JSON.parse((await secrets(["list", "--json"])).stdout) as { items: SecretView[] };
  return items.map(({ name, source }) => `${name} ${source}`);
};
const scenario = (slug: string, ...named: string[]) => {
  const steps = named.map((name, at) => `${at + 1}. request POST "${target.url}" with "\${secrets.${name}}"`);
  return `---\nslug: ${slug}\ntitle: ${slug}\n---\n${steps.join("\n")}\n`;
};

describe("tracedeck secrets", () => {
  test("sets from standard input, lists without values and removes, against the running server", async () => {
    const set = await secrets(
      ["set", "LOGIN", "--origin", "HTTPS://a.example", "--origin", "http://b.example"],
      {
        input: "hunter2hunter2\n",
      },
    );
    expect(set).toEqual({
      code: 0,
      stdout: "LOGIN is kept\n",
      stderr: "It may go to https://a.example, http://b.example.\n",
    });
    const list = await secrets(["list"]);
    expect(list.stdout).toMatch(/LOGIN +this store +\S+Z +https:\/\/a\.example http:\/\/b\.example/);
    expect(list.stdout).toMatch(/OF_SETTINGS +settings\.json +everywhere/);
    expect(list.stdout).not.toMatch(/hunter2|value-of/);
    expect(await names()).toEqual(["LOGIN api", "OF_ENV environment", "OF_SETTINGS settings"]);
    expect((await secrets(["rm", "LOGIN"])).stdout).toBe("LOGIN removed\n");
    const again = await secrets(["rm", "LOGIN", "--json"]);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({ error: "not_found" });
    const fixed = await secrets(["set", "OF_ENV"], { input: "x" });
    expect(fixed.stderr).toContain(
      "The secret OF_ENV comes from the server's environment (TRACEDECK_SECRET_OF_ENV)",
    );
    expect(fixed.code).toBe(1);
  });

  test("refuses what is too long or no text", async () => {
    const long = await secrets(["set", "A"], { input: "x".repeat(20_000) });
    expect(long).toMatchObject({ code: 1, stderr: expect.stringContaining("at most 16384 bytes") });
    const raw = await secrets(["set", "A"], { input: new Uint8Array([0xff, 0xfe]) });
    expect(raw).toMatchObject({ code: 1, stderr: expect.stringContaining("UTF-8") });
  });

  test("keeps them for runs of this shell too, where its own environment wins", async () => {
    await secrets(["set", "KEPT"], { input: "value-that-was-kept\r\n" });
    const file = scratch.at("here.scenario.md");
    writeFileSync(file, scenario("here", "KEPT", "OF_SETTINGS", "OWN"));
    got.length = 0;
    const ran = await runProgram(["run", file, "--data", data], {
      env: { TRACEDECK_SECRET_OWN: "value-of-this-shell" },
    });
    expect(ran.stdout + ran.stderr).not.toMatch(/value-(that|of)/);
    expect(ran.code).toBe(0);
    expect(got).toEqual(["value-that-was-kept", "value-of-settings", "value-of-this-shell"]);
  });
});

describe("runs of a server", () => {
  const call = async (path: string, key: string, body?: unknown) => {
    const response = await fetch(new URL(path, server.url), {
      method: body === undefined ? "GET" : path.startsWith("/v1/secrets/") ? "PUT" : "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Record<string, unknown>;
  };

  /** How a run of an org ended that sends the secrets to the target. */
  async function send(key: string, ...named: string[]): Promise<Record<string, unknown>> {
    got.length = 0;
    const file = { path: "sends.scenario.md", text: scenario("sends", ...named) };
    await call("/v1/scenarios/sync", key, { files: [file] });
    const { id: scenarioId } = await call("/v1/scenarios/sends", key);
    const asked = await call("/v1/runs/manual", key, { scenarioId, baseUrl: target.url.origin });
    expect(asked).toMatchObject({ status: "queued" });
    let run: Record<string, unknown> = {};
    await until("the run has ended", async () => {
      run = await call(`/v1/runs/${asked.id}`, key);
      return run.ended_at !== null;
    });
    return run;
  }

  test("know the secrets of their own org, and none of another's, wherever those come from", async () => {
    const made = await runProgram(["orgs", "create", "other", "--json", "--data", data]);
    const { api_key: other } = JSON.parse(made.stdout) as { api_key: string };
    await secrets(["set", "KEPT"], { input: "value-that-was-kept" });
    const ours = await send(server.apiKey, "KEPT", "OF_SETTINGS", "OF_ENV");
    expect(ours).toMatchObject({ status: "passed", error: null });
    expect(got).toEqual(["value-that-was-kept", "value-of-settings", "value-of-env"]);
    for (const name of ["KEPT", "OF_SETTINGS", "OF_ENV"]) {
      const theirs = await send(other, name);
      expect(theirs).toMatchObject({ status: "error", error: { reason: "value_missing" } });
      expect((theirs.error as { message: string }).message).toStartWith(
        `The secret ${name} has no value here`,
      );
      expect(got).toEqual([]);
    }
    await call("/v1/secrets/OF_ENV", other, { value: "value-of-the-other-org" });
    expect(await send(other, "OF_ENV")).toMatchObject({ status: "passed" });
    expect(got).toEqual(["value-of-the-other-org"]);
    expect(server.log()).not.toMatch(/value-(that|of)/);
  });

  test("are errors where a secret may not go, and nothing is sent", async () => {
    await secrets(["set", "BOUND", "--origin", "https://shop.example"], { input: "value-that-is-bound" });
    const run = await send(server.apiKey, "BOUND");
    expect(run).toMatchObject({ status: "error", error: { reason: "secret_not_allowed" } });
    expect(got).toEqual([]);
  });
});
