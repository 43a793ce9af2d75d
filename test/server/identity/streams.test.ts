import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { person } from "../../helpers/org-people.ts";

setDefaultTimeout(60_000);

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const LIVE = "/v1/incidents/live";

/** An open stream: `ends` resolves when the server ends it. */
async function opened(headers: Record<string, string>) {
  const response = await t.api(LIVE, { headers });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  let isOver = false;
  const ends = (async () => {
    while (!(await reader.read()).done);
    isOver = true;
  })();
  return { ends, isOver: () => isOver };
}

/** Time goes on as far as a credential is remembered, heartbeat by heartbeat. */
async function goOn(): Promise<void> {
  for (let at = 0; at < 60; at += 15) {
    t.clock.advance(15_000);
    // The look at the credential is a chain of microtasks and one read of the records.
    await t.api("/health");
  }
}

test.each([
  [
    "a key that is revoked",
    async () => {
      const made = await t.api("/v1/api-keys", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "k", scopes: ["incidents:read"] }),
      });
      const { id, key } = (await made.json()) as { id: string; key: string };
      const cut = () => t.api(`/v1/api-keys/${id}`, { method: "DELETE" });
      return { headers: { authorization: `Bearer ${key}` }, cut };
    },
  ],
  [
    "a member who is removed",
    async () => {
      const owner = await person(t, "owner");
      const member = await person(t, "member");
      return { headers: member.headers, cut: () => owner.send("DELETE", `/v1/members/${member.userId}`) };
    },
  ],
  [
    "a member who is only to see the bill",
    async () => {
      const owner = await person(t, "owner");
      const member = await person(t, "member");
      const path = `/v1/members/${member.userId}`;
      return { headers: member.headers, cut: () => owner.send("PATCH", path, { role: "billing" }) };
    },
  ],
  [
    "a member who is removed, whose session stands for another org",
    async () => {
      const owner = await person(t, "owner");
      const member = await person(t, "member");
      const made = await member.send<{ id: string }>("POST", "/v1/orgs", { slug: "mine" });
      await member.send("POST", "/v1/session/org", { org_id: made.body.id });
      const headers = { ...member.headers, "x-org-id": t.orgId };
      return { headers, cut: () => owner.send("DELETE", `/v1/members/${member.userId}`) };
    },
  ],
])("the stream of %s ends within a minute, and those of others go on", async (_, make) => {
  const { headers, cut } = await make();
  const [theirs, own] = [await opened(headers), await opened({})];
  await goOn();
  expect([theirs.isOver(), own.isOver()]).toEqual([false, false]);
  await cut();
  await goOn();
  await theirs.ends;
  expect(own.isOver()).toBe(false);
});
