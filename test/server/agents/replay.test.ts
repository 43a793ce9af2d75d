import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import { callTool, connectAgent, keyWith } from "../../helpers/agents.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { replayLab } from "../../helpers/replays.ts";

let t: TestApp;
let client: Client;
let site: Bun.Server<undefined>;

beforeAll(async () => {
  t = await testApp();
  client = await connectAgent(t);
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } }),
  });
});
afterAll(async () => {
  await client.close();
  await site.stop(true);
  await t.close();
});

interface Answer {
  id: string;
  status: string;
  trace_id: string;
  replay_trace_id: string;
  replay_trace_status: string;
  headline: string;
  context: string;
  next: string;
  runs: { id: string }[];
}
const call = async (name: string, args: Record<string, unknown>): Promise<Answer> => {
  const { answer, text, isError } = await callTool<Answer>(client, name, args);
  if (isError) throw new Error(text);
  return answer;
};

test("an agent runs a scenario, learns why it fails, and proves a fix by a replay, each answer leading to the next", async () => {
  await replayLab(t).scenario("greeting", ['go to "/"', 'expect text "Hello" within 1s']);
  const { runs } = await call("product_run_scenarios", { scenarios: ["greeting"], baseUrl: site.url.href });
  const runId = runs[0]!.id;
  expect(await call("product_get_run", { run_id: runId })).toMatchObject({ status: "queued" });
  await t.runJobs();

  const run = await call("product_get_run", { run_id: runId });
  expect(run).toMatchObject({ status: "failed", next: `Call get_cause with trace_id "${run.trace_id}".` });
  expect((await call("get_cause", { trace_id: run.trace_id })).headline).toContain("Hello");
  const uri = `product://orgs/${t.orgId}/runs/${runId}/trace`;
  const { contents } = await client.readResource({ uri });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
    id: run.trace_id,
    status: "failed",
  });

  // All that the agent knows of the file is what it was told.
  const { context } = await call("product_debug_run", { run_id: runId });
  const [, file = ""] =
    /## The scenario file, as it ran\n[\s\S]*?```text\n([\s\S]*?)\n```/.exec(context) ?? [];
  const at = file.split("\n").findIndex((line) => line.includes("Hello")) + 1;
  expect(at).toBeGreaterThan(0);
  const diff = `--- a/x\n+++ b/x\n@@ -${at},1 +${at},1 @@\n-2. expect text "Hello" within 1s\n+2. expect text "Welcome" within 1s\n`;
  const chatOnly = await connectAgent(t, { apiKey: await keyWith(t, ["mcp:debug"]) });
  const { answer } = await callTool<Answer>(chatOnly, "product_debug_run", { trace_id: run.trace_id });
  expect(answer.context).not.toContain("The scenario file");
  await chatOnly.close();

  const asked = await call("product_replay_trace", {
    trace_id: run.trace_id,
    from_step: 1,
    edits: { scenario_diff: diff },
  });
  expect(asked).toMatchObject({
    status: "queued",
    next: expect.stringContaining(`get_replay with replay_id "${asked.id}"`),
  });
  await t.runJobs();
  const replay = await call("get_replay", { replay_id: asked.id });
  expect(replay).toMatchObject({ status: "succeeded", replay_trace_status: "passed" });
  expect(replay.next).toStartWith("It passed.");
  expect(replay.next).toContain(replay.replay_trace_id);
}, 120_000);
