import { afterAll, beforeAll, expect, test } from "bun:test";
import { callTool, connectAgent } from "../../helpers/agents.ts";
import { type AlertLab, alertLab } from "../../helpers/alerts.ts";
import { secondOrg } from "../../helpers/org-people.ts";

let lab: AlertLab;
beforeAll(async () => {
  lab = await alertLab({ regions: ["eu-west-1"] });
});
afterAll(() => lab.app.close());

test("an agent runs a failed run again where it was, and no other", async () => {
  const client = await connectAgent(lab.app);
  const failed = await lab.ended("F");
  const { answer } = await callTool(client, "product_rerun", { run_id: failed });
  expect(answer).toMatchObject({
    status: "queued",
    type: "manual",
    scenario_slug: "shop",
    region: "eu-west-1",
    base_url: "http://localhost:1",
  });
  lab.app.clock.advance(1000);
  const passed = await callTool(client, "product_rerun", { run_id: await lab.ended("P") });
  expect(passed.text).toContain("This run is passed");
  const { headers } = await secondOrg(lab.app);
  const theirs = await lab.app.api("/v1/runs", { headers });
  expect(((await theirs.json()) as { items: unknown[] }).items).toEqual([]);
  await client.close();
});
