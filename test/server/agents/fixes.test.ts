import { afterAll, beforeAll, expect, test } from "bun:test";
import { diffOf } from "../../../server/gate/scenario-edit/edit.ts";
import { insertAttempt } from "../../../store/records/mender.ts";
import { connectAgent } from "../../helpers/agents.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { replayLab } from "../../helpers/replays.ts";

const TEXT = `---\nslug: shop\ntitle: Shop\nmender: { mode: suggestive }\n---\n1. go to "/"\n2. click button "Pay"\n3. expect text "Thanks"\n`;

let app: TestApp;
let scenarioId: string;
beforeAll(async () => {
  app = await testApp();
  scenarioId = await replayLab(app).sync(TEXT);
});
afterAll(() => app.close());

async function verified(text = TEXT): Promise<string> {
  const { deps, orgId, clock, store } = app;
  const id = deps.ids.uuid();
  await insertAttempt(store.records, {
    ...{ id, org_id: orgId, scenario_id: scenarioId, run_id: deps.ids.uuid(), trace_id: deps.ids.uuid() },
    ...{ failure_signature: id, basis: "b", promoted_replay_id: null, status: "verified", stage: "ended" },
    ...{ origin: "rules", classification: "locator_drift", confidence: 0.9, path: "shop.scenario.md" },
    ...{ base_text: text, summary: 'The button "Pay" is "Place order" now.', evidence: "[]" },
    ...{ patch: diffOf("shop.scenario.md", text, text.replaceAll("Pay", "Place order")), patch_hash: "h" },
    ...{ created_at: clock.now(), updated_at: clock.now() },
  });
  return id;
}

test("an agent reads fixes and rejects one with a reason, and applies none", async () => {
  const id = await verified();
  const client = await connectAgent(app);
  const call = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: args as never })) as {
      isError?: boolean;
      structuredContent?: unknown;
      content: { text: string }[];
    };
  const { structuredContent: listed } = await call("product_get_mender_attempts", {
    status: "verified",
    scenario: "shop",
  });
  expect(listed).toMatchObject({
    attempts: [
      { id, status: "verified", scenario_slug: "shop", patch: expect.stringContaining("+2. click") },
    ],
    next_cursor: null,
  } as never);
  const empty = await call("product_mender_reject", { attempt_id: id, reason: "" });
  expect(empty.isError).toBe(true);
  const rejected = await call("product_mender_reject", { attempt_id: id, reason: "It comes back" });
  expect(rejected.structuredContent).toMatchObject({ status: "rejected", reject_reason: "It comes back" });
  const unknown = await call("product_mender_reject", { attempt_id: app.deps.ids.uuid(), reason: "Why" });
  expect(unknown.isError).toBe(true);
  expect(unknown.content[0]!.text).toContain("product_get_mender_attempts");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => /mender.*apply|apply.*mender/.test(name))).toEqual(
    [],
  );
  await client.close();
});

test("fixes with long patches come in pages that an agent's context holds, and all of them come", async () => {
  const long = `${TEXT}${Array.from({ length: 60 }, (_, at) => `${at + 4}. click button "Pay ${"x".repeat(80)} ${at}"\n`).join("")}`;
  const made = new Set<string>();
  for (let at = 0; at < 6; at += 1) made.add(await verified(long));
  const client = await connectAgent(app);
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const args = { limit: 50, ...(cursor === undefined ? {} : { cursor }) };
    const { content, structuredContent } = (await client.callTool({
      name: "product_get_mender_attempts",
      arguments: args,
    })) as {
      content: { text: string }[];
      structuredContent: { attempts: { id: string }[]; next_cursor: string | null };
    };
    expect(Buffer.byteLength(content[0]!.text)).toBeLessThan(10_500);
    expect(structuredContent.attempts.length).toBeGreaterThan(0);
    for (const { id } of structuredContent.attempts) made.delete(id);
    cursor = structuredContent.next_cursor;
  }
  expect([...made]).toEqual([]);
  await client.close();
});

test.each([
  ["GET", "/v1/mender/..%2f..%2fsettings.json", undefined, 404],
  ["GET", "/v1/mender/%00", undefined, 404],
  ["GET", "/v1/mender?limit=-1", undefined, 422],
  ["GET", "/v1/mender?cursor=%F0%9F%92%A9", undefined, 422],
  ["GET", "/v1/mender?status=any", undefined, 422],
  ["POST", "reject", { reason: "x".repeat(501) }, 422],
  ["POST", "reject", { reason: " \n " }, 422],
  ["POST", "reject", { reason: "x", more: 1 }, 422],
  ["POST", "reject", { reason: ["x"] }, 422],
])("%s %s with %j is refused with %i, and the attempt stays", async (method, path, body, status) => {
  const id = await verified();
  const address = path.startsWith("/") ? path : `/v1/mender/${id}/${path}`;
  const response = await app.api(address, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: expect.any(String), message: expect.any(String) });
  expect(await (await app.api(`/v1/mender/${id}`)).json()).toMatchObject({ status: "verified" });
});
