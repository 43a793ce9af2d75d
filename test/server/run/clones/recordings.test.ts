import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { runProgram, scratchFolder, startProgram } from "../../../helpers/program.ts";

setDefaultTimeout(120_000);

const har = (text: string) =>
  JSON.stringify({
    log: {
      entries: [
        {
          request: { method: "GET", url: "https://rates.test/eur" },
          response: { status: 200, headers: [], content: { text, mimeType: "application/json" } },
        },
      ],
    },
  });
const SCENARIO = `---
slug: rates
title: Rates
base_url: http://localhost:1
clones: [{ service: record, match: "https://rates.test/**", har: recorded/rates.har }]
---
1. request GET "https://rates.test/eur" status 200
2. set rate to response "/eur"
`;

let app: TestApp;
const folder = scratchFolder();
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => {
  await app.close();
  folder.remove();
});

async function sync(recordings: { path: string; text: string }[]) {
  const files = [{ path: "shop/rates.scenario.md", text: SCENARIO }];
  const response = await app.api("/v1/scenarios/sync", {
    method: "POST",
    body: JSON.stringify({ files, recordings }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("recorded answers of a scenario", () => {
  test("are taken in with it, told as a change when they change, and refused when they are none", async () => {
    const path = "shop/recorded/rates.har";
    expect(await sync([])).toMatchObject({
      status: 422,
      body: {
        message: expect.stringContaining(
          "recorded/rates.har is no HAR that could be answered from: it is not among",
        ),
      },
    });
    expect((await sync([{ path, text: "{}" }])).body.message).toContain("it has no log.entries");
    expect((await app.api("/v1/scenarios/rates")).status).toBe(404);
    expect((await sync([{ path, text: har('{"eur":1}') }])).body).toMatchObject({ created: ["rates"] });
    expect((await sync([{ path, text: har('{"eur":1}') }])).body).toMatchObject({ unchanged: ["rates"] });
    expect((await sync([{ path, text: har('{"eur":2}') }])).body).toMatchObject({ updated: ["rates"] });
  });

  test("answer the runs of a server, and those of the command line, from the same folder", async () => {
    const dir = folder.at("scenarios");
    mkdirSync(`${dir}/recorded`, { recursive: true });
    await Bun.write(`${dir}/rates.scenario.md`, SCENARIO);
    const data = folder.at("data");
    const missing = await runProgram(["scenarios", "sync", dir, "--data", data]);
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no file recorded/rates.har"),
    });
    await Bun.write(`${dir}/recorded/rates.har`, har('{"eur":3}'));
    const here = await runProgram(["run", `${dir}/rates.scenario.md`, "--data", data, "--json"]);
    expect(JSON.parse(here.stdout)).toMatchObject({ runs: [{ status: "passed" }] });
    const server = await startProgram(data);
    expect((await runProgram(["scenarios", "sync", dir, "--data", data])).stdout).toContain("rates");
    const asked = await server.api("/v1/runs/manual", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scenarioId: "rates" }),
    });
    const { id } = (await asked.json()) as { id: string };
    // Ends when the run has.
    await (await server.api(`/v1/runs/${id}/logs`)).text();
    expect(await (await server.api(`/v1/runs/${id}`)).json()).toMatchObject({
      status: "passed",
      error: null,
    });
    await server.stop();
  });
});
