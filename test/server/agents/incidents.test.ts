import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAgent } from "../../helpers/agents.ts";
import { type AlertLab, alertLab } from "../../helpers/alerts.ts";

let lab: AlertLab;
beforeAll(async () => {
  lab = await alertLab();
});
afterAll(() => lab.app.close());

test("an agent reads the incidents that have not ended, acknowledges one and suppresses it", async () => {
  await lab.run("FF");
  const client = await connectAgent(lab.app);
  const read = async () => {
    const { contents } = await client.readResource({ uri: `product://incidents/${lab.app.orgId}` });
    return (JSON.parse((contents[0] as { text: string }).text) as { items: { id: string; status: string }[] })
      .items;
  };
  const [incident] = await read();
  expect(incident).toMatchObject({ status: "open", region: "a", scenario_slug: "shop" });
  const call = async (name: string, more = {}) =>
    (await client.callTool({ name, arguments: { incident_id: incident!.id, ...more } })) as {
      isError?: boolean;
      structuredContent?: unknown;
    };
  expect((await call("product_ack_incident")).structuredContent).toMatchObject({ status: "acknowledged" });
  const silent = await call("product_suppress_incident", { duration_seconds: 60, reason: "known" });
  expect(silent.structuredContent).toMatchObject({ status: "suppressed", suppress_reason: "known" });
  expect((await call("product_ack_incident")).isError).toBe(true);
  await lab.run("PP");
  expect(await read()).toEqual([]);
  await expect(
    client.readResource({ uri: "product://incidents/00000000-0000-7000-8000-000000000000" }),
  ).rejects.toThrow("wrong_org");
  await client.close();
});
