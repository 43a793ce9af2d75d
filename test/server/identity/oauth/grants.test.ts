import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { GrantList } from "../../../../server/identity/oauth/model.ts";
import { createOrg } from "../../../../server/identity/orgs.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import {
  type Ask,
  anonymous,
  authorize,
  bearer,
  connect,
  ORIGIN,
  ownerCookie,
  refusal,
  register,
  requestOf,
} from "../../../helpers/oauth.ts";
import { person } from "../../../helpers/org-people.ts";

let t: TestApp;
let ask: Ask;
let owner: string;
let member: string;
beforeAll(async () => {
  t = await testApp();
  ask = anonymous(t);
  owner = await ownerCookie(t);
  member = await memberCookie(t);
});
afterAll(() => t.close());

/** The cookie of a new member's session. */
const memberCookie = async (app: TestApp): Promise<string> => (await person(app, "member")).headers.cookie!;

const call = (cookie: string, method: string, path: string, app = ask) =>
  app(path, { method, headers: { cookie, origin: ORIGIN } });
const list = async (cookie: string, query = "", app = ask) =>
  (await (await call(cookie, "GET", `/v1/oauth/grants${query}`, app)).json()) as GrantList;

test("a member sees what it has granted, owners what anybody has; pages follow each other", async () => {
  const mine = await connect(ask, member);
  t.clock.advance(1);
  await connect(ask, owner);
  const own = await list(member);
  expect(own.items).toHaveLength(1);
  expect(own).toMatchObject({
    can_approve: false,
    next_cursor: null,
    items: [
      {
        is_mine: true,
        client: {
          client_id: mine.clientId,
          name: "Agent",
          place: "a program on this computer (127.0.0.1:7777)",
          approved: false,
        },
        user: { name: expect.stringContaining("member") },
        scopes: ["mcp:read", "mcp:run"],
        last_used_at: null,
      },
    ],
  });
  const first = await list(owner, "?limit=1");
  const second = await list(owner, `?limit=1&cursor=${first.next_cursor}`);
  expect([first.items[0]!.is_mine, second.items[0]!.is_mine, second.next_cursor]).toEqual([
    true,
    false,
    null,
  ]);
  expect((await call(owner, "GET", "/v1/oauth/grants?cursor=x")).status).toBe(400);
});

test("a use is shown", async () => {
  const { tokens, clientId } = await connect(ask, member);
  t.clock.advance(5);
  await ask("/v1/traces", bearer(tokens.access_token));
  const { items } = await list(member);
  const used = items.find(({ client }) => client.client_id === clientId)!;
  expect(used.last_used_at).toBe(new Date(t.clock.now()).toISOString());
});

describe("ending a grant", () => {
  const idOf = async (clientId: string) =>
    (await list(owner)).items.find(({ client }) => client.client_id === clientId)!.id;

  test("counts at once, and the person is asked again", async () => {
    const { tokens, clientId } = await connect(ask, member);
    expect((await ask("/v1/traces", bearer(tokens.access_token))).status).toBe(200);
    const id = await idOf(clientId);
    expect((await call(member, "DELETE", `/v1/oauth/grants/${id}`)).status).toBe(204);
    expect((await ask("/v1/traces", bearer(tokens.access_token))).status).toBe(401);
    expect((await authorize(ask, requestOf(clientId), member)).status).toBe(200);
    expect((await call(member, "DELETE", `/v1/oauth/grants/${id}`)).status).toBe(404);
  });

  test("is for its person and for owners, within the org", async () => {
    const ours = await idOf((await connect(ask, owner)).clientId);
    expect(await refusal(await call(member, "DELETE", `/v1/oauth/grants/${ours}`))).toEqual([
      403,
      "forbidden",
    ]);
    const theirs = await idOf((await connect(ask, member)).clientId);
    const other = await createOrg(t.deps, "other");
    const stranger = await ownerCookie(t, other.org_id);
    expect(await refusal(await call(stranger, "DELETE", `/v1/oauth/grants/${theirs}`))).toEqual([
      403,
      "wrong_org",
    ]);
    expect((await list(stranger)).items).toEqual([]);
    expect((await call(owner, "DELETE", `/v1/oauth/grants/${theirs}`)).status).toBe(204);
  });

  test("is not for keys, nor for pages of other sites", async () => {
    expect((await t.api("/v1/oauth/grants")).status).toBe(403);
    const id = await idOf((await connect(ask, owner)).clientId);
    const foreign = { method: "DELETE", headers: { cookie: owner, origin: "https://evil.test" } };
    expect((await ask(`/v1/oauth/grants/${id}`, foreign)).status).toBe(403);
  });
});

describe("approving a program", () => {
  test("needs the plan enterprise", async () => {
    const id = await register(ask);
    expect(await refusal(await call(owner, "PUT", `/v1/oauth/clients/${id}/approval`))).toEqual([
      403,
      "forbidden",
    ]);
  });

  test("spares everybody in the org the question, until it is withdrawn; members cannot", async () => {
    const own = await testApp({ settings: { plan: "enterprise" } });
    const asking = anonymous(own);
    const [boss, mia] = [await ownerCookie(own), await memberCookie(own)];
    const clientId = await register(asking);
    const approval = `/v1/oauth/clients/${clientId}/approval`;
    const status = async (cookie: string) => (await authorize(asking, requestOf(clientId), cookie)).status;
    expect((await call(mia, "PUT", approval, asking)).status).toBe(403);
    expect(await status(mia)).toBe(200);
    expect((await call(boss, "PUT", approval, asking)).status).toBe(204);
    expect([await status(mia), await status(boss)]).toEqual([302, 302]);
    expect((await list(boss, "", asking)).can_approve).toBe(true);
    expect((await call(boss, "DELETE", approval, asking)).status).toBe(204);
    expect(await status(mia)).toBe(200);
    expect((await call(boss, "PUT", approval.replace(clientId, own.orgId), asking)).status).toBe(404);
    await own.close();
  });
});
