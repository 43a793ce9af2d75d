import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";

setDefaultTimeout(120_000);

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await testApp();
  url = app.listen();
});
afterAll(() => app.close());

const file = (slug: string, schedule: string, steps = '1. go to "/"') => ({
  path: `${slug}.scenario.md`,
  text: `---\nslug: ${slug}\ntitle: ${slug}\n${schedule}---\n${steps}\n`,
});
const sync = (files: unknown) =>
  app.api("/v1/scenarios/sync", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ files }),
  });

describe("a schedule that can never be legal", () => {
  test.each([
    ['schedule: { cron: "0 */2 * * *" }\n', /slow\.scenario\.md:4:19: .*1 to 60 minutes/],
    [
      "schedule: { regions: [mars-north-1] }\n",
      /slow\.scenario\.md:4:23: .*"mars-north-1".*us-east-1, eu-west-1, ap-south-1/,
    ],
    ["schedule: { regions: [us-west-2] }\n", /slow\.scenario\.md:4:23: .*"us-west-2" in this plan/],
    ["schedule: { timezone: Mars/North }\n", /slow\.scenario\.md:4:23: .*no IANA time zone/],
    ['schedule: { cron: "@daily" }\n', /slow\.scenario\.md:4:20: .*@hourly/],
  ])("is refused at sync, with its place: %s", async (schedule, words) => {
    const answer = await sync([file("slow", schedule)]);
    expect(answer.status).toBe(422);
    expect(((await answer.json()) as { message: string }).message).toMatch(words);
  });
});

test("a manual run in a region outside of the plan is refused, naming the plan's regions", async () => {
  expect((await sync([file("here", "base_url: http://127.0.0.1:9\n")])).status).toBe(200);
  const run = (region: string) =>
    app.api("/v1/runs/manual", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scenarioId: "here", region }),
    });
  expect((await run("ap-south-1")).status).toBe(202);
  const refused = await run("us-west-2");
  expect(refused.status).toBe(422);
  expect(((await refused.json()) as { message: string }).message).toContain(
    "us-east-1, eu-west-1, ap-south-1",
  );
});

describe("a folder full of mistakes", () => {
  test("is told of a hundred of them, and meanwhile the server answers others", async () => {
    const bad = "1. gooo somewhere\n".repeat(50_000);
    const files = Array.from({ length: 18 }, (_, at) => file(`bad-${at}`, "", bad));
    const order: string[] = [];
    const { api_key: key } = JSON.parse(readFileSync(join(app.dataDir, "credentials.json"), "utf8")) as {
      api_key: string;
    };
    const asked = fetch(`${url}/v1/scenarios/sync`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ files }),
    }).then((answer) => {
      order.push("sync");
      return answer;
    });
    while (!order.includes("sync")) {
      const answer = await fetch(`${url}/health`);
      expect(answer.status).toBe(200);
      if (!order.includes("sync")) order.push("health");
    }
    const answer = await asked;
    expect(answer.status).toBe(422);
    const { message } = (await answer.json()) as { message: string };
    expect(message.split("\n").length).toBeLessThanOrEqual(102);
    expect(message).toContain("are told when some are solved");
    expect(order.filter((what) => what === "health").length).toBeGreaterThan(1);
  });

  test("is refused by size where a file is no scenario", async () => {
    const answer = await sync([file("large", "", "Prose. ".repeat(200_000))]);
    expect(answer.status).toBe(422);
    expect(((await answer.json()) as { message: string }).message).toMatch(
      /large\.scenario\.md:1:1: the file has 1\d{6} characters; at most 1048576 were expected/,
    );
  });
});
