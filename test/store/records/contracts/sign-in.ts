import { expect } from "bun:test";
import {
  externalAccountsOf,
  findExternalAccount,
  insertExternalAccount,
  removeExternalAccounts,
} from "../../../../store/records/external-accounts.ts";
import { findUser, insertUser } from "../../../../store/records/identity.ts";
import {
  countMailLinks,
  dropMailLinks,
  findMailLink,
  insertMailLink,
  pruneMailLinks,
  useMailLink,
} from "../../../../store/records/mail-links.ts";
import {
  findMail,
  insertMail,
  listMails,
  type NewMail,
  pruneMails,
  settleMail,
  wipeMail,
} from "../../../../store/records/mails.ts";
import {
  endSessions,
  extendSession,
  findSession,
  insertSession,
  listSessions,
} from "../../../../store/records/sessions.ts";
import { changePassword, clearHolder, findUserByEmail, updateUser } from "../../../../store/records/users.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const user = async ({ records, ids, now }: FillableRecords, email = "ada@shop.example") => {
  const id = ids.uuid();
  await insertUser(records, { id, email, name: "Ada", password_hash: null, created_at: now() });
  return id;
};

const mail = (on: FillableRecords, id: string, more: Partial<NewMail> = {}): NewMail => ({
  ...{ id, org_id: on.orgId, kind: "signin", recipient: "ada@shop.example", subject: id },
  ...{ sealed: new Uint8Array([0, 255]), secret_until: null, user_id: null, state: "queued", created_at: 1 },
  ...more,
});

const mails: Contract = {
  noun: "mails",
  keeps: {
    "mails are listed newest first, and the oldest make room": async (on) => {
      for (const [index, id] of ["a", "b", "c"].entries())
        await insertMail(on.records, mail(on, id, { created_at: index }), 2);
      const list = (before?: { created_at: number; id: string }) =>
        listMails(on.records, { orgId: on.orgId, limit: 9, ...(before ? { before } : {}) });
      expect((await list()).map(({ id }) => id)).toEqual(["c", "b"]);
      expect((await list({ created_at: 2, id: "c" })).map(({ id }) => id)).toEqual(["b"]);
      expect([...(await findMail(on.records, "b"))!.sealed!]).toEqual([0, 255]);
    },
    "a mail is settled while it is queued, and its body goes with that, with its use or its time": async (
      on,
    ) => {
      for (const id of ["sent", "used", "late", "plain"])
        await insertMail(on.records, mail(on, id, { secret_until: id === "plain" ? null : 10 }), 9);
      const sent = { state: "sent", attempts: 1, error: null, sent_at: 5, wipe: true } as const;
      expect(await settleMail(on.records, "sent", sent)).toBe(true);
      expect(await settleMail(on.records, "sent", { ...sent, state: "failed" })).toBe(false);
      await wipeMail(on.records, "used");
      const left = async () => {
        const all = await listMails(on.records, { orgId: on.orgId, limit: 9 });
        return all.filter(({ sealed }) => sealed !== null).map(({ id }) => id);
      };
      expect((await left()).sort()).toEqual(["late", "plain"]);
      await pruneMails(on.records, { now: 10, before: 1 });
      expect(await left()).toEqual(["plain"]);
      await pruneMails(on.records, { now: 10, before: 2 });
      expect(await findMail(on.records, "plain")).toBeUndefined();
    },
  },
};

const sessions: Contract = {
  noun: "sessions",
  keeps: {
    "of a user who has too many, the one that was not seen for longest ends": async (on) => {
      const user_id = await user(on);
      const open = (id: string, last_seen_at: number) =>
        insertSession(
          on.records,
          {
            ...{ id, hash: `hash of ${id}`, user_id, org_id: on.orgId, method: "link", ip: null },
            ...{ user_agent: null, created_at: 1, expires_at: 100, last_seen_at },
          },
          2,
        );
      expect(await open("a", 1)).toEqual([]);
      expect(await open("b", 2)).toEqual([]);
      await extendSession(on.records, "hash of a", { last_seen_at: 3, expires_at: 50 });
      expect(await open("c", 4)).toEqual(["hash of b"]);
      expect(await findSession(on.records, "hash of b")).toBeUndefined();
      expect((await listSessions(on.records, user_id, 50)).map(({ id }) => id)).toEqual(["c"]);
    },
    "one is ended, or all others, and another user's are not": async (on) => {
      const [ada, eve] = [await user(on), await user(on, "eve@shop.example")];
      for (const [id, user_id] of Object.entries({ a: ada, b: ada, c: ada, d: eve }))
        await insertSession(
          on.records,
          {
            ...{ id, hash: `hash of ${id}`, user_id, org_id: on.orgId, method: "password", ip: "::1" },
            ...{ user_agent: "x", created_at: 1, expires_at: 9, last_seen_at: 1 },
          },
          9,
        );
      expect(await endSessions(on.records, ada, { id: "d" })).toEqual([]);
      expect(await endSessions(on.records, ada, { id: "a" })).toEqual([{ id: "a", hash: "hash of a" }]);
      expect((await endSessions(on.records, ada, { exceptId: "b" })).map(({ id }) => id)).toEqual(["c"]);
      expect(await endSessions(on.records, eve, { exceptId: null })).toHaveLength(1);
    },
  },
};

const mailLinks: Contract = {
  noun: "mail-links",
  keeps: {
    "a link works once, for its purpose and in its time, and links of a user end together": async (on) => {
      const user_id = await user(on);
      const email = "ada@shop.example";
      const add = (hash: string, expires_at: number) =>
        insertMailLink(on.records, {
          ...{ hash, purpose: "signin", email, org_id: on.orgId, user_id, mail_id: "m", next: null },
          ...{ created_at: 1, expires_at },
        });
      for (const hash of ["one", "two"]) await add(hash, 10);
      await add("late", 5);
      const use = (hash: string, purpose: "signin" | "email" = "signin") =>
        useMailLink(on.records, { hash, purpose, now: 5 });
      expect(await use("one", "email")).toBeUndefined();
      expect(await findMailLink(on.records, "one", 5)).toMatchObject({ email, user_id });
      expect(await use("one")).toMatchObject({ email, user_id });
      expect(await use("one")).toBeUndefined();
      expect(await findMailLink(on.records, "one", 5)).toBeUndefined();
      expect(await use("late")).toBeUndefined();
      expect(await countMailLinks(on.records, { purpose: "signin", email, since: 0 })).toBe(3);
      expect(await countMailLinks(on.records, { purpose: "signin", email, since: 1 })).toBe(0);
      await dropMailLinks(on.records, user_id);
      expect(await use("two")).toBeUndefined();
      await pruneMailLinks(on.records, 10);
      expect(await countMailLinks(on.records, { purpose: "signin", email, since: 0 })).toBe(0);
    },
  },
};

const externalAccounts: Contract = {
  noun: "external-accounts",
  keeps: {
    "an account at a provider is one user's, who may have several": async (on) => {
      const [ada, eve] = [await user(on), await user(on, "eve@shop.example")];
      const add = (issuer: string, subject: string, user_id: string) =>
        insertExternalAccount(on.records, { issuer, subject, user_id, created_at: 1 });
      expect(await add("https://b", "1", ada)).toBe(true);
      expect(await add("https://a", "1", ada)).toBe(true);
      expect(await add("https://a", "1", eve)).toBe(false);
      expect(await findExternalAccount(on.records, "https://a", "1")).toMatchObject({ user_id: ada });
      expect(await findExternalAccount(on.records, "https://a", "2")).toBeUndefined();
      const all = await externalAccountsOf(on.records, ada);
      expect(all.map(({ issuer }) => issuer)).toEqual(["https://a", "https://b"]);
      expect(await removeExternalAccounts(on.records, ada, { issuer: "https://b", subject: "1" })).toBe(1);
      expect((await externalAccountsOf(on.records, ada)).map(({ issuer }) => issuer)).toEqual(["https://b"]);
      expect(await removeExternalAccounts(on.records, eve, null)).toBe(0);
      expect(await removeExternalAccounts(on.records, ada, null)).toBe(1);
    },
  },
};

const users: Contract = {
  noun: "users",
  keeps: {
    "a user is found by an address in any case, and has a password that changes from one to the next": async (
      on,
    ) => {
      const id = await user(on, "Ada@Shop.example");
      expect((await findUserByEmail(on.records, "aDA@shop.example"))?.id).toBe(id);
      expect(await changePassword(on.records, id, { from: null, to: "a" })).toBe(true);
      expect(await changePassword(on.records, id, { from: null, to: "b" })).toBe(false);
      expect(await changePassword(on.records, id, { from: "a", to: "b" })).toBe(true);
      await updateUser(on.records, id, {});
      await updateUser(on.records, id, { name: "A", default_org_id: on.orgId });
      const now = { name: "A", password_hash: "b", default_org_id: on.orgId, email: "Ada@Shop.example" };
      expect(await findUser(on.records, id)).toMatchObject(now);
      await updateUser(on.records, id, { email_confirmed_at: 7 });
      expect(await findUser(on.records, id)).toMatchObject({ ...now, email_confirmed_at: 7 });
      await clearHolder(on.records, id);
      const cleared = { ...now, password_hash: null, email_confirmed_at: null };
      expect(await findUser(on.records, id)).toMatchObject(cleared);
    },
  },
};

export const SIGN_IN = [mails, sessions, mailLinks, externalAccounts, users];
