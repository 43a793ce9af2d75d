import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Trx } from "../../../store/records/db.ts";
import { insertMembership, insertOrg, insertUser } from "../../../store/records/identity.ts";
import { findOAuthClient, insertOAuthClient } from "../../../store/records/oauth-clients.ts";
import {
  extendGrant,
  findAccess,
  insertGrant,
  insertOAuthTokens,
  revokeGrant,
  useGrantCode,
  useRefreshToken,
} from "../../../store/records/oauth-grants.ts";
import { openStore, type Store } from "../../../store/store.ts";

// Two connections to one database. Without a transaction nothing but the statements themselves keeps them apart, as with an
// engine whose transactions go on side by side.
let dataDir: string;
let east: Store;
let west: Store;
let round = 0;
let grant: string;
const bare = (store: Store) => store.records as unknown as Trx;
const both = <T>(work: (store: Store) => Promise<T>) => Promise.all([work(east), work(west)]);

const client = (id: string, client_id: string) => ({
  ...{ id, client_id, name: null, redirect_uris: "[]" },
  ...{ created_at: 1, used_at: 1, read_at: null },
});

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "oauth-races-"));
  east = openStore(dataDir);
  west = openStore(dataDir);
  await insertOrg(east.records, { id: "o", slug: "o", name: "o", created_at: 1 });
  const user = { id: "u", email: "u@x.test", name: "Ada", password_hash: null, created_at: 1 };
  await insertUser(east.records, user);
  await insertMembership(east.records, { org_id: "o", user_id: "u", role: "owner", created_at: 1 });
  await insertOAuthClient(bare(east), client("c", "c"), 9);
});
afterAll(async () => {
  await east.close();
  await west.close();
  rmSync(dataDir, { recursive: true });
});

beforeEach(async () => {
  grant = `g${++round}`;
  await insertGrant(bare(east), {
    ...{ id: grant, org_id: "o", user_id: "u", client_id: "c", scopes: "[]", resource: "r" },
    ...{ redirect_uri: "x", code_hash: grant, code_challenge: "x" },
    ...{ code_expires_at: 60, created_at: 1, expires_at: 60 },
  });
  const row = { grant_id: grant, created_at: 1, expires_at: 60, scopes: null };
  await insertOAuthTokens(bare(east), [
    { ...row, hash: `${grant} refresh`, kind: "refresh" },
    { ...row, hash: `${grant} access`, kind: "access" },
  ]);
});

test("of two who use a code at once one has it", async () => {
  const used = await both((store) => useGrantCode(bare(store), grant, { now: 5, expiresAt: 90 }));
  expect(used.sort()).toEqual([false, true]);
});

test("of two who use a refresh token at once one has it", async () => {
  const used = await both((store) => useRefreshToken(bare(store), `${grant} refresh`, 5));
  expect(used.sort()).toEqual([false, true]);
});

test("a grant that is revoked while it is refreshed stays revoked, whoever comes first", async () => {
  for (const order of [0, 1]) {
    const acts = [() => extendGrant(bare(east), grant, 99), () => revokeGrant(west.records, grant, 5)];
    if (order === 1) acts.reverse();
    await Promise.all(acts.map((act) => act()));
    const row = { grant_id: grant, created_at: 1, expires_at: 60, scopes: null };
    await insertOAuthTokens(bare(east), [{ ...row, hash: `${grant} late ${order}`, kind: "access" }]);
    for (const hash of [`${grant} access`, `${grant} late ${order}`])
      expect(await findAccess(east.records, hash)).toBeUndefined();
  }
});

test("of two who revoke at once one is told that it did", async () => {
  expect((await both(({ records }) => revokeGrant(records, grant, 5))).sort()).toEqual([false, true]);
});

test("a metadata document that two read at once is one client", async () => {
  const address = "https://agent.example/c";
  await Promise.all(
    [east, west].map((store, at) => insertOAuthClient(bare(store), client(`d${at}`, address), 9)),
  );
  expect(await findOAuthClient(east.records, address)).toMatchObject({ client_id: address });
});
