import { expect } from "bun:test";
import { recordAudit } from "../../../../store/records/audit.ts";
import {
  findOrg,
  findOrgBySlug,
  insertMembership,
  insertUser,
  someOrgIds,
} from "../../../../store/records/identity.ts";
import {
  findInvitation,
  type InvitationRow,
  listInvitations,
  openInvitation,
  pruneInvitations,
  putInvitation,
  removeInvitation,
  removeInvitationsBy,
  userOfAddress,
} from "../../../../store/records/invitations.ts";
import {
  addMember,
  countMembers,
  countOwned,
  findMember,
  listMembers,
  orgsOfUser,
  removeMember,
  setRole,
} from "../../../../store/records/members.ts";
import {
  eraseOrg,
  eraseSome,
  isOrgThere,
  orgsToErase,
  renameOrg,
  shutOrg,
  someTracesOf,
} from "../../../../store/records/orgs.ts";
import { isContradiction } from "../../../../store/records/outcome.ts";
import { insertRun } from "../../../../store/records/runs.ts";
import type { Role } from "../../../../store/records/schema.ts";
import { replaysUnderWayOf, usageOf } from "../../../../store/records/usage.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const MONTH = 31 * 24 * 60 * 60_000;

async function member(on: FillableRecords, role: Role, email = `${role}@shop.example`, orgId = on.orgId) {
  const id = on.ids.uuid();
  await insertUser(on.records, { id, email, name: role, password_hash: null, created_at: on.now() });
  await insertMembership(on.records, { org_id: orgId, user_id: id, role, created_at: on.now() });
  return id;
}

const within = <T>(
  on: FillableRecords,
  work: Parameters<ReturnType<FillableRecords["records"]["transaction"]>["execute"]>[0],
) => on.records.transaction().execute(work) as Promise<T>;

const members: Contract = {
  noun: "members",
  keeps: {
    "members are listed by id from one on, counted and found in their org alone": async (on) => {
      const ada = await member(on, "owner");
      const bob = await member(on, "member");
      const all = await listMembers(on.records, { orgId: on.orgId, limit: 5 });
      expect(all.map(({ user_id, role }) => [user_id, role])).toEqual([
        [ada, "owner"],
        [bob, "member"],
      ]);
      const rest = await listMembers(on.records, { orgId: on.orgId, limit: 5, after: ada });
      expect(rest).toEqual([all[1]!]);
      expect(await countMembers(on.records, on.orgId)).toBe(2);
      expect(await findMember(on.records, { orgId: await on.org("other"), userId: bob })).toBeUndefined();
    },
    "an org keeps an owner, and who is nobody there cannot be changed": async (on) => {
      const ada = await member(on, "owner");
      const bob = await member(on, "member");
      const place = { orgId: on.orgId, userId: ada };
      expect(await within<string>(on, (trx) => setRole(trx, { ...place, role: "admin" }))).toBe("last_owner");
      expect(await within<string>(on, (trx) => removeMember(trx, place))).toBe("last_owner");
      expect(await within<string>(on, (trx) => setRole(trx, { ...place, userId: bob, role: "owner" }))).toBe(
        "done",
      );
      expect(await within<string>(on, (trx) => removeMember(trx, place))).toBe("done");
      expect(await within<string>(on, (trx) => removeMember(trx, place))).toBe("absent");
      expect(await within<string>(on, (trx) => setRole(trx, { ...place, role: "owner" }))).toBe("absent");
    },
    "a user joins an org once, and owns what is counted": async (on) => {
      const ada = await member(on, "owner");
      const again = { org_id: on.orgId, user_id: ada, role: "billing", created_at: 1 } as const;
      expect(await within<boolean>(on, (trx) => addMember(trx, again))).toBe(false);
      const other = await on.org("other");
      expect(await within<boolean>(on, (trx) => addMember(trx, { ...again, org_id: other }))).toBe(true);
      expect(await within<number>(on, (trx) => countOwned(trx, ada))).toBe(1);
      const orgs = await orgsOfUser(on.records, ada);
      expect(orgs.map(({ slug, role }) => [slug, role])).toEqual([
        ["other", "billing"],
        ["local", "owner"],
      ]);
    },
  },
};

const invitation = (
  on: FillableRecords,
  email: string,
  more: Partial<InvitationRow> = {},
): InvitationRow => ({
  id: on.ids.uuid(),
  org_id: on.orgId,
  email,
  role: "member",
  hash: `hash of ${on.ids.shortId()}`,
  invited_by: null,
  created_at: on.now(),
  expires_at: on.now() + 10,
  ...more,
});

const invitations: Contract = {
  noun: "invitations",
  keeps: {
    "an address has one invitation of an org, the last, and an org so many": async (on) => {
      const first = invitation(on, "a@b.example");
      const second = invitation(on, "a@b.example", { role: "admin" });
      const put = (row: InvitationRow) => within<boolean>(on, (trx) => putInvitation(trx, row, 1));
      expect([await put(first), await put(second), await put(invitation(on, "c@d.example"))]).toEqual([
        true,
        true,
        false,
      ]);
      expect(await openInvitation(on.records, first.hash, on.now())).toBeUndefined();
      expect(await openInvitation(on.records, second.hash, on.now())).toMatchObject({
        id: second.id,
        org_name: "local",
      });
      expect(await findInvitation(on.records, second.id)).toEqual(second);
    },
    "an invitation ends with its time, and is taken away once": async (on) => {
      const by = await member(on, "owner");
      const row = invitation(on, "a@b.example", { invited_by: by });
      await within(on, (trx) => putInvitation(trx, row, 9));
      const listed = (now: number) => listInvitations(on.records, { orgId: on.orgId, now, limit: 9 });
      expect(await listed(on.now())).toMatchObject([{ id: row.id, invited_by: "owner" }]);
      expect(await listed(row.expires_at)).toEqual([]);
      expect(await openInvitation(on.records, row.hash, row.expires_at)).toBeUndefined();
      expect(await within<boolean>(on, (trx) => removeInvitation(trx, row.id))).toBe(true);
      expect(await within<boolean>(on, (trx) => removeInvitation(trx, row.id))).toBe(false);
      await within(on, (trx) => putInvitation(trx, row, 9));
      await pruneInvitations(on.records, row.expires_at);
      expect(await findInvitation(on.records, row.id)).toBeUndefined();
    },
    "those that one person has made go, all or those to a role": async (on) => {
      const [ada, eve] = [await member(on, "owner"), await member(on, "admin")];
      const rows = [
        invitation(on, "a@b.example", { invited_by: ada, role: "owner" }),
        invitation(on, "c@b.example", { invited_by: ada }),
        invitation(on, "d@b.example", { invited_by: eve, role: "owner" }),
      ];
      for (const row of rows) await within(on, (trx) => putInvitation(trx, row, 9));
      const left = async () => {
        const page = { orgId: on.orgId, now: on.now(), limit: 9 };
        return (await listInvitations(on.records, page)).map(({ email }) => email[0]).sort();
      };
      const by = { orgId: on.orgId, userId: ada };
      await within(on, (trx) => removeInvitationsBy(trx, { ...by, roles: ["owner"] }));
      expect(await left()).toEqual(["c", "d"]);
      await within(on, (trx) => removeInvitationsBy(trx, { ...by, roles: "all" }));
      expect(await left()).toEqual(["d"]);
    },
    "a user is found by an address in lower case": async (on) => {
      const ada = await member(on, "owner", "ada@shop.example");
      expect(await userOfAddress(on.records, "ada@shop.example")).toBe(ada);
      expect(await userOfAddress(on.records, "eve@shop.example")).toBeUndefined();
    },
  },
};

const orgs: Contract = {
  noun: "orgs",
  keeps: {
    "a deleted org is nobody's, and not found": async (on) => {
      const ada = await member(on, "owner");
      await within(on, (trx) => renameOrg(trx, on.orgId, "Ours"));
      expect(await findOrg(on.records, on.orgId)).toMatchObject({ name: "Ours" });
      expect(await within<unknown>(on, (trx) => shutOrg(trx, on.orgId, 5))).toEqual({ userIds: [ada] });
      expect(await within<unknown>(on, (trx) => shutOrg(trx, on.orgId, 6))).toBeNull();
      expect(await isOrgThere(on.records, on.orgId)).toBe(false);
      expect(await findOrg(on.records, on.orgId)).toBeUndefined();
      expect(await findOrgBySlug(on.records, "local")).toBeUndefined();
      expect(await someOrgIds(on.records)).toEqual([]);
      expect(await orgsOfUser(on.records, ada)).toEqual([]);
      expect(await orgsToErase(on.records)).toEqual([on.orgId]);
    },
    "a trace keeps the row of its org; without one it goes, and what was done there stays": async (on) => {
      await on.trace(on.orgId);
      const entry = {
        at: 1,
        actor: { type: "user", id: "u" },
        action: "org.delete",
        target: on.orgId,
        ip: null,
      };
      await within(on, (trx) => recordAudit(trx, { orgId: on.orgId, ...entry }));
      await within(on, (trx) => shutOrg(trx, on.orgId, 5));
      const refused = await eraseOrg(on.records, on.orgId).catch((error: unknown) => error);
      expect(isContradiction(on.records, refused)).toBe(true);
      expect(await someTracesOf(on.records, on.orgId, 5)).toHaveLength(1);
      await on.records.deleteFrom("traces").execute();
      expect(await within<string[]>(on, (trx) => eraseSome(trx, on.orgId, 5))).toEqual([]);
      await eraseOrg(on.records, on.orgId);
      expect(await orgsToErase(on.records)).toEqual([]);
      expect(await on.records.selectFrom("audit_events").select("action").execute()).toEqual([
        { action: "org.delete" },
      ]);
    },
  },
};

const usage: Contract = {
  noun: "usage",
  keeps: {
    "what was uploaded in a period is counted, of one org": async (on) => {
      await on.trace(on.orgId);
      // A run of a CI, which is none of the server's.
      await on.trace(on.orgId, { run_id: "gh-4711" });
      await on.trace(await on.org("other"));
      const run_id = on.ids.uuid();
      const trace_id = await on.trace(on.orgId, { run_id });
      const scenario_id = await on.scenario(on.orgId, "checkout");
      await insertRun(on.records, {
        ...{ id: run_id, org_id: on.orgId, type: "manual", status: "passed", scenario_id, trace_id },
        ...{ scenario_slug: "checkout", region: "local", trigger: "api", plan: "{}", duration_ms: 90 },
        ...{ base_url: null, scheduled_at: on.now() },
      });
      const since = on.now() - MONTH;
      const counted = await usageOf(on.records, { orgId: on.orgId, since, until: on.now() + MONTH });
      expect(counted).toEqual({ runs: 1, runMs: 90, ingests: 2 });
      const before = await usageOf(on.records, { orgId: on.orgId, since: since - MONTH, until: since });
      expect(before).toEqual({ runs: 0, runMs: 0, ingests: 0 });
      expect(await replaysUnderWayOf(on.records, on.orgId)).toBe(0);
    },
  },
};

export const ORGS: Contract[] = [members, invitations, orgs, usage];
