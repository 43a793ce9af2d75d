import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MOST_WAITING } from "../../../server/identity/agent-signup/model.ts";
import { createUserCode, readUserCode } from "../../../server/identity/agent-signup/user-code.ts";
import { createOrg } from "../../../server/identity/orgs.ts";
import { pruneSignups } from "../../../store/records/agent-signups.ts";
import { insertMembership, insertUser } from "../../../store/records/identity.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { signedIn } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";

const DAY = 24 * 60 * 60_000;

let t: TestApp;
let owner: string;
let address = "192.0.2.1";
beforeAll(async () => {
  const rate_limits = { reads_per_minute: 10_000, writes_per_minute: 10_000 };
  t = await testApp({ settings: { agent_signup: true, rate_limits }, peerOf: () => address });
  owner = (await signedIn(t, { userId: t.userId })).headers.cookie!;
});
afterAll(() => t.close());

type Signup = { id: string; token: string; user_code: string; verification_uri: string; scopes: string[] };

/** Each test comes from an address of its own, whose limits nobody has used. */
let addresses = 1;
const fromElsewhere = () => {
  address = `192.0.2.${++addresses}`;
};

const post = (path: string, body: object, headers: Record<string, string>) =>
  t.api(`/v1/agent-signup${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const ask = (more: object = {}) =>
  post("", { name: "robot", purpose: "to find why the nightly fails", ...more }, { authorization: "" });
const asOwner = (path: string, body: object) =>
  post(path, body, { authorization: "", cookie: owner, origin: "http://localhost" });
const scopesOf = async (token: string) => {
  const response = await t.api("/api/v1/me", { headers: { authorization: `Bearer ${token}` } });
  return response.ok ? ((await response.json()) as { scopes: string[] }).scopes : response.status;
};

async function asked(): Promise<Signup> {
  fromElsewhere();
  const response = await ask();
  expect(response.status).toBe(201);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json()) as Signup;
}

describe("an agent that nobody knows", () => {
  test("gets a service token that may read, and a code for its person which stands in no address", async () => {
    const signup = await asked();
    expect(signup).toMatchObject({ status: "unverified", scopes: ["mcp:read"] });
    expect(signup.token).toStartWith("product_svc_");
    expect(signup.user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    expect(signup.verification_uri).toBe("http://localhost/settings/tokens/verify");
    const scopes = ["incidents:read", "mcp:read", "runs:read", "scenarios:read", "traces:read"];
    expect(await scopesOf(signup.token)).toEqual(scopes);
    const kept = JSON.stringify([
      await statement(t.store, "SELECT * FROM agent_signups"),
      await statement(t.store, "SELECT * FROM audit_events"),
      t.logged,
    ]);
    expect(kept).not.toContain(signup.user_code);
    expect(kept).not.toContain(signup.token);
  });

  test("gets what its person chooses, at once, when the code is typed", async () => {
    const signup = await asked();
    await scopesOf(signup.token);
    const typed = ` ${signup.user_code.toLowerCase().replace("-", " ")}`;
    const seen = await asOwner("/lookup", { user_code: typed });
    expect(await seen.json()).toMatchObject({
      ...{ id: signup.id, name: "robot", purpose: "to find why the nightly fails", ip: address },
      scopes: ["mcp:read"],
    });
    const granted = await asOwner("/grant", { user_code: typed, scopes: ["traces:read", "mcp:run"] });
    expect(granted.status).toBe(200);
    expect(await granted.json()).toMatchObject({
      ...{ id: signup.id, kind: "svc", status: "active", made_by: { id: t.userId } },
      expires_at: new Date(t.clock.now() + 90 * DAY).toISOString(),
    });
    expect(await scopesOf(signup.token)).toEqual(["mcp:run", "runs:write", "traces:read"]);
    for (const path of ["/lookup", "/grant", "/refuse"])
      expect((await asOwner(path, { user_code: typed, scopes: ["traces:read"] })).status).toBeOneOf([
        404, 422,
      ]);
    expect((await asOwner("/refuse", { user_code: typed })).status).toBe(404);
    t.clock.advance(2 * DAY);
    await pruneSignups(t.store.records, t.clock.now());
    expect(await scopesOf(signup.token)).toEqual(["mcp:run", "runs:write", "traces:read"]);
  });

  test("that is refused has no token any more", async () => {
    const signup = await asked();
    expect((await asOwner("/refuse", { user_code: signup.user_code })).status).toBe(204);
    expect(await scopesOf(signup.token)).toBe(401);
    expect((await asOwner("/grant", { user_code: signup.user_code, scopes: ["traces:read"] })).status).toBe(
      404,
    );
  });

  test("ends after a day, and leaves nothing but what the audit log says", async () => {
    const signup = await asked();
    t.clock.advance(DAY);
    expect(await scopesOf(signup.token)).toBe(401);
    expect((await asOwner("/lookup", { user_code: signup.user_code })).status).toBe(404);
    await pruneSignups(t.store.records, t.clock.now());
    expect(await statement(t.store, "SELECT id FROM api_keys WHERE id = ?", signup.id)).toEqual([]);
    const told = await statement<{ action: string; actor_type: string }>(
      t.store,
      "SELECT action, actor_type FROM audit_events WHERE target = ?",
      signup.id,
    );
    expect(told).toEqual([{ action: "agent_signup.request", actor_type: "svc" }]);
  });

  test("is decided on by two at once only once", async () => {
    const { user_code } = await asked();
    const both = await Promise.all([
      asOwner("/grant", { user_code, scopes: ["traces:read"] }),
      asOwner("/refuse", { user_code }),
    ]);
    expect(both.map(({ status }) => status).filter((status) => status < 300)).toHaveLength(1);
  });

  test("is decided on by owners and admins in person, of its org, within what they may", async () => {
    const { user_code } = await asked();
    const id = t.deps.ids.uuid();
    const created_at = t.clock.now();
    await insertUser(t.store.records, {
      id,
      email: "m@x.example",
      name: "M",
      password_hash: null,
      created_at,
    });
    await insertMembership(t.store.records, { org_id: t.orgId, user_id: id, role: "member", created_at });
    const member = {
      authorization: "",
      cookie: (await signedIn(t, { userId: id })).headers.cookie!,
      origin: "http://localhost",
    };
    expect((await post("/lookup", { user_code }, member)).status).toBe(403);
    expect((await post("/lookup", { user_code }, {})).status).toBe(403);
    expect((await post("/lookup", { user_code }, { authorization: "" })).status).toBe(401);
    const { org_id } = await createOrg(t.deps, "another");
    await insertMembership(t.store.records, { org_id, user_id: id, role: "owner", created_at });
    const elsewhere = { ...member, "x-org-id": org_id };
    t.deps.credentials.forgetUser(id);
    expect((await post("/lookup", { user_code }, elsewhere)).status).toBe(404);
  });
});

test("signing up is limited per address, and so is guessing codes", async () => {
  fromElsewhere();
  const statuses: number[] = [];
  for (let index = 0; index < 11; index++) statuses.push((await ask()).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(10);
  expect(statuses.at(-1)).toBe(429);
  fromElsewhere();
  const guesses: number[] = [];
  for (let index = 0; index < 11; index++)
    guesses.push((await asOwner("/lookup", { user_code: createUserCode(t.deps.ids) })).status);
  expect(guesses).toEqual([...Array(10).fill(404), 429]);
});

test("only so many wait at once", async () => {
  const [{ count = 0 } = {}] = await statement<{ count: number }>(
    t.store,
    "SELECT count(*) AS count FROM agent_signups WHERE status = 'unverified' AND expires_at > ?",
    t.clock.now(),
  );
  for (let index = count; index < MOST_WAITING; index++) await asked();
  fromElsewhere();
  expect((await ask()).status).toBe(409);
});

test("nobody signs up where the settings do not say so, nor with what is no name", async () => {
  const closed = await testApp();
  const response = await closed.api("/v1/agent-signup", {
    method: "POST",
    headers: { authorization: "", "content-type": "application/json" },
    body: JSON.stringify({ name: "robot", purpose: "any" }),
  });
  expect([response.status, await response.json()]).toEqual([
    403,
    expect.objectContaining({ error: "forbidden" }),
  ]);
  await closed.close();
  fromElsewhere();
  for (const bad of [{ name: "" }, { purpose: "x".repeat(501) }, { scopes: ["keys:manage"] }])
    expect((await ask(bad)).status).toBe(422);
});

test("a code is read however it is typed", () => {
  for (const text of ["WDJB-MJHT", "wdjbmjht", " wdjb mjht ", "W-D-J-B-M-J-H-T"])
    expect(readUserCode(text)).toBe("WDJB-MJHT");
  for (const text of ["", "WDJB-MJH", "WDJB-MJHTT", "AAAA-AAAA", "WDJB_MJHT"])
    expect(readUserCode(text)).toBeNull();
});
