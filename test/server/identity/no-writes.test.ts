import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { person } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";
import { uploadTrace } from "../../helpers/traces.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

test("whoever is signed in goes on reading while nothing can be written, and nothing is lost by it", async () => {
  const { id, shortId } = await uploadTrace(t);
  const shared = await t.api(`/v1/traces/${id}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ visibility: "public-read" }),
  });
  expect(shared.status).toBe(200);
  const owner = await person(t, "owner");
  t.clock.advance(61 * 60_000);
  await statement(t.store, "PRAGMA query_only = ON");
  try {
    await t.api(`/r/${shortId}`, { headers: { authorization: "" } });
    const first = await owner.call("/v1/traces");
    expect([first.status, first.headers.get("set-cookie")]).toEqual([200, null]);
    for (const path of [
      "/v1/profile",
      "/v1/oauth/grants",
      `/v1/traces/${id}/share`,
      `/v1/traces/${id}/share/views`,
    ])
      expect([path, (await owner.call(path)).status]).toEqual([path, 200]);
    for (const path of ["/v1/api-keys", "/v1/scim"])
      expect([path, (await t.api(path)).status]).toEqual([path, 200]);
  } finally {
    await statement(t.store, "PRAGMA query_only = OFF");
  }
  // What was put back is written by now: when the key was used, and who opened the link.
  const keys = (await (await t.api("/v1/api-keys")).json()) as { items: { last_used_at: string | null }[] };
  expect(keys.items.some(({ last_used_at }) => last_used_at === new Date(t.clock.now()).toISOString())).toBe(
    true,
  );
  const views = (await (await owner.call(`/v1/traces/${id}/share`)).json()) as { views: number };
  expect(views.views).toBe(1);
  // The session is known for 30 s, and is extended after that.
  t.clock.advance(31_000);
  expect((await owner.call("/v1/traces")).headers.get("set-cookie")).toContain("product_session=");
});

test("a request counts against the limit of the org that it is for", async () => {
  const member = await person(t, "member");
  const made = await member.send<{ id: string }>("POST", "/v1/orgs", { slug: "mine" });
  const left = async (orgId: string) => {
    const answer = await member.call("/v1/saved-searches", { headers: { "x-org-id": orgId } });
    return Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
  };
  await left(made.body.id);
  const before = await left(t.orgId);
  for (let n = 0; n < 3; n++) await left(made.body.id);
  expect(before - (await left(t.orgId))).toBe(1);
});
