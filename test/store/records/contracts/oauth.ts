import { expect } from "bun:test";
import { insertMembership, insertUser } from "../../../../store/records/identity.ts";
import {
  approveClient,
  consentedScopes,
  findOAuthClient,
  findOAuthClientById,
  forgetConsents,
  insertOAuthClient,
  isApprovedClient,
  pruneOAuthClients,
  putConsent,
  touchOAuthClient,
  updateOAuthClient,
  withdrawApproval,
} from "../../../../store/records/oauth-clients.ts";
import {
  deleteOAuthToken,
  extendGrant,
  findAccess,
  findGrant,
  findGrantByCode,
  findOAuthToken,
  insertGrant,
  insertOAuthTokens,
  listGrants,
  pruneGrants,
  revokeGrant,
  revokeGrantsOf,
  revokeSurplusGrants,
  touchGrants,
  useGrantCode,
  useRefreshToken,
} from "../../../../store/records/oauth-grants.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const client = (id: string, used_at = 1) => ({
  id,
  client_id: `client ${id}`,
  name: "Agent",
  redirect_uris: "[]",
  created_at: 1,
  used_at,
  read_at: null,
});

const addClient = ({ records }: FillableRecords, id: string, { used = 1, most = 9 } = {}) =>
  records.transaction().execute((trx) => insertOAuthClient(trx, client(id, used), most));

async function addPerson({ records, ids, orgId }: FillableRecords): Promise<string> {
  const id = ids.uuid();
  await insertUser(records, { id, email: `${id}@x.test`, name: "Ada", password_hash: null, created_at: 1 });
  await insertMembership(records, { org_id: orgId, user_id: id, role: "member", created_at: 1 });
  return id;
}

/** A grant of a new person with a new client, unless the one of another is named. */
async function addGrant(on: FillableRecords, id: string, more: { userId?: string; created?: number } = {}) {
  const userId = more.userId ?? (await addPerson(on));
  await addClient(on, "c").catch(() => false);
  await on.records.transaction().execute((trx) =>
    insertGrant(trx, {
      id,
      org_id: on.orgId,
      user_id: userId,
      client_id: "c",
      scopes: '["mcp:read"]',
      resource: "http://localhost",
      redirect_uri: "http://localhost/cb",
      code_hash: `code of ${id}`,
      code_challenge: "x",
      code_expires_at: 60,
      created_at: more.created ?? 1,
      expires_at: 60,
    }),
  );
  return userId;
}

const clients: Contract = {
  noun: "oauth-clients",
  keeps: {
    "a program is found by both its ids; a full table lets the one go that was idle for longest": async (
      on,
    ) => {
      const { records } = on;
      await addGrant(on, "g");
      expect(await addClient(on, "a", { used: 3, most: 3 })).toBe(true);
      expect(await addClient(on, "b", { used: 2, most: 3 })).toBe(true);
      expect(await addClient(on, "d", { used: 4, most: 3 })).toBe(true);
      expect(await findOAuthClient(records, "client b")).toBeUndefined();
      expect(await findOAuthClientById(records, "c")).toMatchObject({ client_id: "client c" });
      expect(await findOAuthClient(records, "client d")).toEqual(client("d", 4));
    },
    "what was not used for long and has no grant is forgotten; a use counts when it is later": async (on) => {
      const { records } = on;
      await addGrant(on, "g");
      for (const id of ["a", "b"]) await addClient(on, id);
      await touchOAuthClient(records, "a", 50);
      await touchOAuthClient(records, "a", 40);
      await pruneOAuthClients(records, 50);
      expect(await findOAuthClientById(records, "a")).toMatchObject({ used_at: 50 });
      expect(await findOAuthClientById(records, "b")).toBeUndefined();
      expect(await findOAuthClientById(records, "c")).toBeDefined();
      await updateOAuthClient(records, "a", { name: "New", redirect_uris: '["x"]', read_at: 7 });
      expect(await findOAuthClientById(records, "a")).toMatchObject({ name: "New", read_at: 7 });
    },
    "consents are of a person, an org and a program, approvals of an org and a program": async (on) => {
      const { records, orgId } = on;
      const userId = await addGrant(on, "g");
      const of = { orgId, userId, clientId: "c" };
      for (const scopes of [["mcp:read"], ["mcp:run"]])
        await records.transaction().execute((trx) => putConsent(trx, of, scopes, 1));
      expect(await consentedScopes(records, of)).toEqual(["mcp:run"]);
      await forgetConsents(records, { ...of, clientId: "other" });
      expect(await consentedScopes(records, of)).toEqual(["mcp:run"]);
      await forgetConsents(records, { orgId, userId });
      expect(await consentedScopes(records, of)).toEqual([]);
      const approval = { org_id: orgId, client_id: "c", approved_by: userId, created_at: 1 };
      expect(await approveClient(records, approval)).toBe(true);
      expect(await approveClient(records, approval)).toBe(false);
      expect(await isApprovedClient(records, orgId, "c")).toBe(true);
      expect(await withdrawApproval(records, orgId, "c")).toBe(true);
      expect(await withdrawApproval(records, orgId, "c")).toBe(false);
    },
  },
};

const grants: Contract = {
  noun: "oauth-grants",
  keeps: {
    "a code is used once, in time, and not when its grant was revoked": async (on) => {
      const { records } = on;
      for (const id of ["a", "b", "c2"]) await addGrant(on, id);
      const use = (id: string, now: number) =>
        records.transaction().execute((trx) => useGrantCode(trx, id, { now, expiresAt: 100 }));
      expect(await use("a", 59)).toBe(true);
      expect(await use("a", 59)).toBe(false);
      expect(await use("b", 60)).toBe(false);
      expect(await revokeGrant(records, "c2", 5)).toBe(true);
      expect(await revokeGrant(records, "c2", 5)).toBe(false);
      expect(await use("c2", 10)).toBe(false);
      expect(await findGrantByCode(records, "code of a")).toMatchObject({ id: "a", expires_at: 100 });
    },
    "an access token is found with the role of now, until its grant ends or its person leaves": async (
      on,
    ) => {
      const { records, orgId } = on;
      const userId = await addGrant(on, "g");
      const row = { grant_id: "g", created_at: 1, expires_at: 50 };
      await records.transaction().execute((trx) =>
        insertOAuthTokens(trx, [
          { ...row, hash: "a", kind: "access", scopes: null },
          { ...row, hash: "n", kind: "access", scopes: '["mcp:run"]' },
          { ...row, hash: "r", kind: "refresh", scopes: null },
        ]),
      );
      expect(await findAccess(records, "a")).toMatchObject({ scopes: '["mcp:read"]', role: "member" });
      expect(await findAccess(records, "n")).toMatchObject({ scopes: '["mcp:run"]' });
      expect(await findAccess(records, "r")).toBeUndefined();
      const use = (hash: string, now: number) =>
        records.transaction().execute((trx) => useRefreshToken(trx, hash, now));
      expect([await use("a", 1), await use("r", 50), await use("r", 49), await use("r", 49)]).toEqual([
        false,
        false,
        true,
        false,
      ]);
      expect(await findOAuthToken(records, "r")).toMatchObject({ used_at: 49 });
      const extend = () => records.transaction().execute((trx) => extendGrant(trx, "g", 80));
      expect(await extend()).toBe(true);
      await revokeGrantsOf(records, { userId, orgId, now: 9 });
      expect(await extend()).toBe(false);
      expect(await findAccess(records, "a")).toBeUndefined();
      await records.transaction().execute((trx) => deleteOAuthToken(trx, "a"));
      expect(await findOAuthToken(records, "a")).toBeUndefined();
      await pruneGrants(records, 79);
      expect(await findOAuthToken(records, "r")).toBeUndefined();
      expect(await findGrant(records, "g")).toMatchObject({ revoked_at: 9 });
      await pruneGrants(records, 80);
      expect(await findGrant(records, "g")).toBeUndefined();
    },
    "those in use are listed newest first; of too many of one person and program the oldest end": async (
      on,
    ) => {
      const { records, orgId } = on;
      const userId = await addPerson(on);
      for (const [at, id] of ["a", "b", "c3", "d"].entries()) {
        await addGrant(on, id, { userId, created: at });
        if (id !== "d")
          await records.transaction().execute((trx) => useGrantCode(trx, id, { now: 5, expiresAt: 100 }));
      }
      await addGrant(on, "other");
      await touchGrants(records, new Map([["a", 9]]));
      await touchGrants(records, new Map([["a", 8]]));
      const all = await listGrants(records, { orgId, now: 10, limit: 9 });
      expect(all.map(({ id }) => id)).toEqual(["c3", "b", "a"]);
      expect(all[2]).toMatchObject({ last_used_at: 9, client_name: "Agent", approved_at: null });
      const rest = await listGrants(records, { orgId, userId, now: 10, limit: 9, before: all[1]! });
      expect(rest.map(({ id }) => id)).toEqual(["a"]);
      const ended = await records
        .transaction()
        .execute((trx) => revokeSurplusGrants(trx, { orgId, userId, clientId: "c", most: 2, now: 11 }));
      expect(ended).toEqual(["b", "a"]);
    },
  },
};

export const OAUTH = [clients, grants];
