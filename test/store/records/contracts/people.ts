import { expect } from "bun:test";
import {
  AUDIT_GENESIS,
  type AuditFilters,
  auditHash,
  auditHashAt,
  auditHeadOf,
  auditRowsOf,
  listAudit,
  newestAuditSeq,
  orgsWithAuditAfter,
  recordAudit,
} from "../../../../store/records/audit.ts";
import { findAnswer, forgetExpiredAnswers, rememberAnswer } from "../../../../store/records/idempotency.ts";
import {
  findApiKeyByHash,
  findOrgBySlug,
  findOwner,
  insertApiKey,
  insertMembership,
  insertSigninCode,
  insertUser,
  listMemberships,
  revokeApiKey,
  someOrgIds,
  touchApiKeys,
  useSigninCode,
} from "../../../../store/records/identity.ts";
import { isContradiction } from "../../../../store/records/outcome.ts";
import {
  insertSavedSearch,
  removeSavedSearch,
  savedSearchesOf,
  updateSavedSearch,
} from "../../../../store/records/saved-searches.ts";
import { putSecret, removeSecret, secretsNamed, secretsOf } from "../../../../store/records/secrets.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const user = async ({ records, ids, now }: FillableRecords, email: string) => {
  const id = ids.uuid();
  await insertUser(records, { id, email, name: "Ada", password_hash: null, created_at: now() });
  return id;
};

const key = async ({ records, ids, orgId, now }: FillableRecords, name: string) => {
  const id = ids.uuid();
  const rest = { user_id: null, expires_at: null, revoked_at: null, last_used_at: null };
  await insertApiKey(records, {
    ...{ id, org_id: orgId, kind: "sk", name, prefix: "sk_", hash: `hash of ${name}`, scopes: "[]" },
    ...rest,
    created_at: now(),
  });
  return id;
};

const identity: Contract = {
  noun: "identity",
  keeps: {
    "a user's address is one, whatever its case, and the refusal is a contradiction": async (on) => {
      await user(on, "ada@shop.example");
      const error = await user(on, "Ada@Shop.example").catch((refused: unknown) => refused);
      expect(isContradiction(on.records, error)).toBe(true);
      expect(isContradiction(on.records, new Error("another"))).toBe(false);
    },
    "an org is found by its slug, and its first owner by the org": async (on) => {
      const id = await user(on, "ada@shop.example");
      const membership = { org_id: on.orgId, user_id: id, role: "owner" as const, created_at: on.now() };
      await insertMembership(on.records, membership);
      expect(await findOrgBySlug(on.records, "local")).toMatchObject({ id: on.orgId });
      expect(await findOwner(on.records, on.orgId)).toEqual({ id, email: "ada@shop.example", name: "Ada" });
      expect(await listMemberships(on.records, id)).toEqual([{ org_id: on.orgId, role: "owner" }]);
      expect(await someOrgIds(on.records)).toEqual([on.orgId]);
    },
    "a key is revoked once": async (on) => {
      const id = await key(on, "one");
      expect(await revokeApiKey(on.records, id, on.now())).toBe(true);
      expect(await revokeApiKey(on.records, id, on.now())).toBe(false);
    },
    "an earlier use of a key never replaces a later one": async (on) => {
      const id = await key(on, "one");
      await touchApiKeys(on.records, new Map([[id, 50]]));
      await touchApiKeys(on.records, new Map([[id, 40]]));
      expect(await findApiKeyByHash(on.records, "hash of one")).toMatchObject({ id, last_used_at: 50 });
    },
    "a sign-in code is burnt once, and not when it has expired": async (on) => {
      const id = await user(on, "ada@shop.example");
      for (const [hash, expires_at] of [
        ["fresh", 20],
        ["stale", 10],
      ] as const)
        await insertSigninCode(on.records, {
          hash,
          user_id: id,
          org_id: on.orgId,
          created_at: 1,
          expires_at,
        });
      expect(await useSigninCode(on.records, "fresh", 10)).toEqual({ user_id: id, org_id: on.orgId });
      expect(await useSigninCode(on.records, "fresh", 10)).toBeUndefined();
      expect(await useSigninCode(on.records, "stale", 10)).toBeUndefined();
    },
  },
};

const audit: Contract = {
  noun: "audit",
  keeps: {
    "each org's entries are a chain of hashes that a reader finds again": async (on) => {
      const other = await on.org("other");
      const entry = {
        at: on.now(),
        actor: { type: "user", id: "u" },
        action: "trace.delete",
        target: "t",
        ip: null,
      };
      for (const orgId of [on.orgId, other, on.orgId])
        await on.records
          .transaction()
          .execute((trx) => recordAudit(trx, { ...entry, orgId, detail: { n: 1 } }));
      const rows = await on.records.selectFrom("audit_events").selectAll().orderBy("seq").execute();
      for (const { hash, ...row } of rows) expect(auditHash(row)).toBe(hash);
      expect(rows.map((row) => row.prev_hash)).toEqual([AUDIT_GENESIS, AUDIT_GENESIS, rows[0]!.hash]);
    },
  },
};

async function entries(on: FillableRecords, ...acts: [action: string, actor: string, orgId?: string][]) {
  for (const [action, id, orgId = on.orgId] of acts)
    await on.records.transaction().execute((trx) =>
      recordAudit(trx, {
        ...{ orgId, at: on.advance(1), actor: { type: "user", id }, action, target: `of ${id}`, ip: null },
      }),
    );
}

audit.keeps["they are listed by who, what, to what and when, from either end"] = async (on) => {
  const start = on.now();
  await entries(on, ["trace.delete", "ada"], ["trace_set.delete", "bob"], ["trace.pin", "bob"]);
  const numbers = async (filters: AuditFilters, page: object = {}) =>
    (await listAudit(on.records, on.orgId, filters, { order: "desc", limit: 9, ...page })).map(
      ({ seq }) => seq,
    );
  expect(await numbers({})).toEqual([3, 2, 1]);
  expect(await numbers({}, { order: "asc", at: 1, limit: 1 })).toEqual([2]);
  expect(await numbers({}, { at: 3 })).toEqual([2, 1]);
  expect(await numbers({ actor: "bob" })).toEqual([3, 2]);
  expect(await numbers({ action: "trace.*" })).toEqual([3, 1]);
  expect(await numbers({ action: "trace.pin", target: "of bob" })).toEqual([3]);
  expect(await numbers({ from: start + 2, to: start + 3 })).toEqual([2]);
  expect(await listAudit(on.records, await on.org("other"), {}, { order: "asc", limit: 9 })).toEqual([]);
};

audit.keeps["the end of each chain is its last entry, and how many came with those that are known"] = async (
  on,
) => {
  const other = await on.org("other");
  expect(await auditHeadOf(on.records, other)).toEqual({ seq: 0, hash: AUDIT_GENESIS, count: 0 });
  await entries(on, ["a.b", "ada"], ["a.b", "ada", other], ["a.b", "ada"]);
  expect(await newestAuditSeq(on.records)).toBe(3);
  expect(await orgsWithAuditAfter(on.records, 2)).toEqual([on.orgId]);
  const hash = (await auditHashAt(on.records, on.orgId, 3))!;
  expect(await auditHeadOf(on.records, on.orgId)).toEqual({ seq: 3, hash, count: 2 });
  expect(await auditHeadOf(on.records, on.orgId, { seq: 1, count: 1 })).toEqual({ seq: 3, hash, count: 2 });
  expect(await auditHashAt(on.records, other, 3)).toBeUndefined();
  const rows = await auditRowsOf(on.records, on.orgId, { after: 1, limit: 5 });
  expect(rows.map(({ seq }) => seq)).toEqual([3]);
};

const idempotency: Contract = {
  noun: "idempotency",
  keeps: {
    "an answer stands for its key for a day, and a later one takes its place": async ({ records, orgId }) => {
      const day = 24 * 60 * 60_000;
      await rememberAnswer(records, orgId, "k", { requestHash: "a", response: "{}" }, 1);
      expect(await findAnswer(records, orgId, "k", day)).toEqual({ requestHash: "a", response: "{}" });
      expect(await findAnswer(records, orgId, "k", day + 1)).toBeNull();
      const later = { requestHash: "b", response: "[]" };
      expect(await rememberAnswer(records, orgId, "k", later, day)).toBe(false);
      expect(await rememberAnswer(records, orgId, "k", later, day + 1)).toBe(true);
      await forgetExpiredAnswers(records, day + 1);
      expect(await findAnswer(records, orgId, "k", day + 1)).toMatchObject({ requestHash: "b" });
    },
  },
};

const secrets: Contract = {
  noun: "secrets",
  keeps: {
    "a secret's bytes come back; what replaces it leaves when it was made": async ({ records, orgId }) => {
      const secret = { org_id: orgId, name: "B", origins: null, created_at: 1, updated_at: 1 };
      await putSecret(records, { ...secret, sealed: new Uint8Array([0, 255]) }, 2);
      await putSecret(records, { ...secret, sealed: new Uint8Array([7]), created_at: 2, updated_at: 2 }, 2);
      await putSecret(records, { ...secret, name: "A", sealed: new Uint8Array() }, 2);
      const [a, b] = await secretsOf(records, orgId, 5);
      expect([a!.name, b!.name, b!.created_at, b!.updated_at]).toEqual(["A", "B", 1, 2]);
      expect([...b!.sealed]).toEqual([7]);
      expect(await secretsNamed(records, orgId, ["A", "none"])).toHaveLength(1);
      expect(await putSecret(records, { ...secret, name: "C", sealed: new Uint8Array() }, 2)).toBe(false);
      expect(await removeSecret(records, orgId, "A")).toBe(true);
      expect(await removeSecret(records, orgId, "A")).toBe(false);
    },
  },
};

const savedSearches: Contract = {
  noun: "saved-searches",
  keeps: {
    "they lie in the order that people gave them, each name once in an org": async ({ records, orgId }) => {
      const times = { created_at: 1, updated_at: 1 };
      const add = (id: string, name: string, most = 9) =>
        insertSavedSearch(records, { id, org_id: orgId, name, query: "q", ...times }, most);
      expect(await add("a", "slow")).toBe("inserted");
      expect(await add("b", "red")).toBe("inserted");
      expect(await add("c", "red")).toBe("taken");
      expect(await add("c", "blue", 2)).toBe("full");
      expect(await updateSavedSearch(records, "a", { name: "red" })).toBe(false);
      expect((await savedSearchesOf(records, orgId)).map(({ id }) => id)).toEqual(["a", "b"]);
      expect(await updateSavedSearch(records, "a", { position: 5 })).toBe(true);
      expect((await savedSearchesOf(records, orgId)).map(({ id }) => id)).toEqual(["b", "a"]);
      await removeSavedSearch(records, "a");
      expect((await savedSearchesOf(records, orgId)).map(({ id }) => id)).toEqual(["b"]);
    },
  },
};

export const PEOPLE = [identity, audit, idempotency, secrets, savedSearches];
