import { expect } from "bun:test";
import {
  decideSignup,
  findWaitingSignup,
  insertSignup,
  pruneSignups,
  regrantKey,
} from "../../../../store/records/agent-signups.ts";
import { findListedKey, insertLimitedKey, listApiKeys, roleIn } from "../../../../store/records/api-keys.ts";
import { insertMembership, insertUser, revokeApiKey } from "../../../../store/records/identity.ts";
import type { KeyKind } from "../../../../store/records/token-schema.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const person = async ({ records, ids, now }: FillableRecords, name: string) => {
  const id = ids.uuid();
  const email = `${name.toLowerCase()}@shop.example`;
  await insertUser(records, { id, email, name, password_hash: null, created_at: now() });
  return id;
};

interface Made {
  id: string;
  created_at: number;
}

async function make(
  on: FillableRecords,
  kind: KeyKind,
  { most = 9, ...more }: { user_id?: string; made_by?: string; expires_at?: number; most?: number } = {},
): Promise<Made | null> {
  const id = on.ids.uuid();
  const created_at = on.now();
  const row = {
    ...{ id, org_id: on.orgId, kind, name: kind, prefix: "p", hash: id, scopes: "[]", created_at },
    ...{ user_id: null, expires_at: null, revoked_at: null, last_used_at: null, made_by: null, ...more },
  };
  const isMade = await insertLimitedKey(on.records, row, { most, now: on.now() });
  on.advance(1);
  return isMade ? { id, created_at } : null;
}

const keys: Contract = {
  noun: "api-keys",
  keeps: {
    "they are listed newest first from one on, by kind and by person, without the revoked": async (on) => {
      const ada = await person(on, "Ada");
      const sk = await make(on, "sk", { user_id: ada });
      const svc = await make(on, "svc", { made_by: ada });
      const pat = await make(on, "pat", { user_id: ada });
      const gone = await make(on, "sk");
      await revokeApiKey(on.records, gone!.id, on.now());
      const all = { orgId: on.orgId, limit: 9, kinds: ["sk", "pat", "svc"] as const };
      const ids = async (more: object) =>
        (await listApiKeys(on.records, { ...all, ...more })).map(({ id }) => id);
      expect(await ids({})).toEqual([pat!.id, svc!.id, sk!.id]);
      expect(await ids({ limit: 1 })).toEqual([pat!.id]);
      expect(await ids({ before: pat! })).toEqual([svc!.id, sk!.id]);
      expect(await ids({ kinds: ["svc"] })).toEqual([svc!.id]);
      expect(await ids({ userId: ada })).toEqual([pat!.id, sk!.id]);
      expect(await ids({ orgId: await on.org("other") })).toEqual([]);
      expect(await findListedKey(on.records, svc!.id)).toMatchObject({ maker_id: ada, maker_name: "Ada" });
    },
    "there is room for so many of an org, and for so many personal ones of each person": async (on) => {
      const [ada, bob] = [await person(on, "Ada"), await person(on, "Bob")];
      expect(await make(on, "sk", { most: 1 })).not.toBeNull();
      expect(await make(on, "svc", { most: 1 })).toBeNull();
      expect(await make(on, "pat", { user_id: ada, most: 1 })).not.toBeNull();
      expect(await make(on, "pat", { user_id: ada, most: 1 })).toBeNull();
      const short = await make(on, "pat", { user_id: bob, most: 1, expires_at: on.now() + 5 });
      expect(await make(on, "pat", { user_id: bob, most: 1 })).toBeNull();
      on.advance(5);
      expect(short).not.toBeNull();
      expect(await make(on, "pat", { user_id: bob, most: 1 })).not.toBeNull();
    },
    "the role of a person is that in the one org": async (on) => {
      const ada = await person(on, "Ada");
      await insertMembership(on.records, { org_id: on.orgId, user_id: ada, role: "member", created_at: 1 });
      expect(await roleIn(on.records, ada, on.orgId)).toBe("member");
      expect(await roleIn(on.records, ada, await on.org("other"))).toBeUndefined();
    },
  },
};

const signups: Contract = {
  noun: "agent-signups",
  keeps: {
    "a code is decided once and then stands for nothing": async (on) => {
      const ada = await person(on, "Ada");
      const token = (await make(on, "svc"))!;
      const signup = {
        ...{ key_id: token.id, org_id: on.orgId, purpose: "to look", code_hash: "code", ip: null },
        ...{ status: "unverified" as const, created_at: 1, expires_at: 100 },
      };
      const room = { most: 1, now: 50 };
      expect(await insertSignup(on.records, signup, room)).toBe(true);
      const second = (await make(on, "svc"))!;
      const again = { ...signup, key_id: second.id, code_hash: "another" };
      expect(await insertSignup(on.records, again, room)).toBe(false);
      expect(await insertSignup(on.records, again, { most: 1, now: 100 })).toBe(true);
      const find = (orgId: string, now: number) =>
        findWaitingSignup(on.records, { orgId, codeHash: "code", now });
      expect(await find(on.orgId, 99)).toMatchObject({ key_id: token.id, name: "svc", purpose: "to look" });
      expect(await find(on.orgId, 100)).toBeUndefined();
      expect(await find(await on.org("other"), 99)).toBeUndefined();
      const decision = { keyId: token.id, status: "verified" as const, by: ada, now: 60 };
      expect(await decideSignup(on.records, decision)).toBe(true);
      expect(await decideSignup(on.records, { ...decision, status: "refused" })).toBe(false);
      expect(await find(on.orgId, 99)).toBeUndefined();
      await regrantKey(on.records, token.id, { scopes: "[1]", expires_at: 500, made_by: ada });
      expect(await findListedKey(on.records, token.id)).toMatchObject({
        ...{ scopes: "[1]", expires_at: 500, maker_name: "Ada", signup_status: "verified" },
      });
      await pruneSignups(on.records, 100);
      expect(await findListedKey(on.records, token.id)).toBeDefined();
      expect(await findListedKey(on.records, second.id)).toBeUndefined();
    },
  },
};

export const TOKENS = [keys, signups];
