import { afterAll, beforeAll, expect, test } from "bun:test";
import { callTool, connectAgent, keyWith } from "../../helpers/agents.ts";
import { type AlertLab, alertLab } from "../../helpers/alerts.ts";

const MANY = Array.from({ length: 20 }, (_, at) => `region-${at}`);
let lab: AlertLab;
beforeAll(async () => {
  lab = await alertLab({ regions: ["a", ...MANY] });
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

test("an agent that knows no id finds the incidents, by a tool and among the resources", async () => {
  await lab.run("FF");
  const client = await connectAgent(lab.app);
  type Listed = { items: { id: string; status: string; next: string }[]; next_cursor: string | null };
  const list = (args = {}) => callTool<Listed>(client, "product_list_incidents", args);
  const { answer } = await list();
  expect(answer.items).toHaveLength(1);
  expect(answer.items[0]).toMatchObject({ status: "open", scenario_slug: "shop", region: "a" } as never);
  expect((await list({ status: "resolved" })).answer.items.every(({ status }) => status === "resolved")).toBe(
    true,
  );
  expect((await list({ status: "resolved" })).answer.items.length).toBeGreaterThan(0);
  expect((await list({ scenario: "nope" })).answer.items).toEqual([]);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([`product://incidents/${lab.app.orgId}`]);
  const { contents } = await client.readResource({ uri: resources[0]!.uri });
  expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(answer);
  const others = await connectAgent(lab.app, { apiKey: await keyWith(lab.app, ["mcp:trace:read"]) });
  expect((await others.listResources()).resources).toEqual([]);
  await others.close();
  const { text } = await callTool(client, "product_ack_incident", { incident_id: lab.app.deps.ids.uuid() });
  expect(text).toContain("product_list_incidents");
  await lab.run("PP");
  await client.close();
});

test("many incidents come in pages that an agent's context holds, newest first, each once", async () => {
  const client = await connectAgent(lab.app);
  for (const region of MANY) {
    await lab.run("FF", region);
    lab.app.clock.advance(120_000);
  }
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { answer, text } = await callTool<{ items: { id: string }[]; next_cursor: string | null }>(
      client,
      "product_list_incidents",
      cursor === undefined ? {} : { cursor },
    );
    expect(Buffer.byteLength(text)).toBeLessThan(10_500);
    seen.push(...answer.items.map(({ id }) => id));
    cursor = answer.next_cursor;
  }
  expect(seen.length).toBeGreaterThanOrEqual(20);
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
  await client.close();
});
