import { expect } from "bun:test";
import { findUser, insertMembership, insertOrg } from "../../../../store/records/identity.ts";
import { isTaken } from "../../../../store/records/outcome.ts";
import {
  ensureUser,
  grantedRoles,
  isSharedAccount,
  joinOrg,
  leaveOrg,
  noteGroupRole,
  roleIn,
  setRole,
  updateAccount,
} from "../../../../store/records/scim-accounts.ts";
import type { ScimCondition } from "../../../../store/records/scim-conditions.ts";
import {
  addMembers,
  countMembers,
  countScimGroups,
  deleteScimGroup,
  findScimGroup,
  insertScimGroup,
  knownScimUsers,
  memberIdsOf,
  membersOf,
  pageOfScimGroups,
  removeMembers,
  touchGroupsOf,
  updateScimGroup,
} from "../../../../store/records/scim-groups.ts";
import {
  groupRolesOf,
  groupSizes,
  keysWithScope,
  noteScimError,
  replaceGroupRoles,
  scimErrorsOf,
} from "../../../../store/records/scim-settings.ts";
import {
  countScimUsers,
  deleteScimUser,
  findScimUser,
  groupsOfScimUsers,
  holdScim,
  insertScimUser,
  pageOfScimUsers,
  type ScimUserRow,
  touchScimUsers,
  updateScimUser,
} from "../../../../store/records/scim-users.ts";
import type { FillableRecords } from "../../../helpers/records.ts";
import type { Contract } from "./contract.ts";

const account = ({ records, ids, now }: FillableRecords, email: string) =>
  ensureUser(records, { id: ids.uuid(), email, name: "Ada", password_hash: null, created_at: now() });

async function provisioned(on: FillableRecords, name: string, orgId = on.orgId): Promise<ScimUserRow> {
  const attributes = JSON.stringify({ userName: name, title: "100% of_it" });
  const row: ScimUserRow = {
    id: on.ids.uuid(),
    org_id: orgId,
    user_id: (await account(on, `${name}@shop.example`)).id,
    user_name_key: name.toLowerCase(),
    external_id: name === "nobody" ? null : `of ${name}`,
    active: 1,
    is_account_made: 1,
    group_role: null,
    attributes,
    folded: attributes.toLowerCase(),
    version: 1,
    created_at: on.advance(1),
    updated_at: on.now(),
  };
  expect(await insertScimUser(on.records, row)).toBe(true);
  return row;
}

async function group(on: FillableRecords, name: string): Promise<{ id: string; version: number }> {
  const id = on.ids.uuid();
  const attributes = JSON.stringify({ displayName: name });
  const row = {
    ...{
      id,
      org_id: on.orgId,
      name_key: name,
      external_id: null,
      attributes,
      folded: attributes,
      version: 1,
    },
    created_at: on.advance(1),
    updated_at: on.now(),
  };
  expect(await insertScimGroup(on.records, row)).toBe(true);
  return { id, version: 1 };
}

const BY_AGE = { column: "created_at", isDescending: false } as const;
const page = (condition: ScimCondition | null) => ({ condition, order: BY_AGE, offset: 0, limit: 10 });

const users: Contract = {
  noun: "scim-users",
  keeps: {
    "an org has one user of a name and of an account, and another org its own": async (on) => {
      const ada = await provisioned(on, "Ada");
      expect(await insertScimUser(on.records, { ...ada, id: on.ids.uuid() })).toBe(false);
      const orgId = on.ids.uuid();
      await insertOrg(on.records, { id: orgId, slug: "other", name: "other", created_at: on.now() });
      expect(await insertScimUser(on.records, { ...ada, id: on.ids.uuid(), org_id: orgId })).toBe(true);
      expect(await findScimUser(on.records, orgId, ada.id)).toBeUndefined();
      expect(await countScimUsers(on.records, on.orgId, null)).toBe(1);
    },
    "a change is one of the version that it was read in, and a name is not taken": async (on) => {
      const ada = await provisioned(on, "Ada");
      await provisioned(on, "bob");
      await on.records.transaction().execute((trx) => holdScim(trx, on.orgId));
      expect(await updateScimUser(on.records, ada, { ...ada, active: 0 })).toBe(true);
      expect(await updateScimUser(on.records, ada, ada)).toBe(false);
      expect(await findScimUser(on.records, on.orgId, ada.id)).toMatchObject({ version: 2, active: 0 });
      const error = await updateScimUser(
        on.records,
        { ...ada, version: 2 },
        { ...ada, user_name_key: "bob" },
      ).catch((refused: unknown) => refused);
      expect(isTaken(on.records, error)).toBe(true);
      expect(await deleteScimUser(on.records, ada)).toBe(false);
      expect(await deleteScimUser(on.records, { ...ada, version: 2 })).toBe(true);
    },
    "a user's groups are known, and its tag changes with them": async (on) => {
      const ada = await provisioned(on, "ada");
      const crew = await group(on, "crew");
      await addMembers(on.records, crew.id, [ada.id]);
      const found = await groupsOfScimUsers(on.records, [ada.id]);
      expect(found.get(ada.id)?.map(({ id }) => id)).toEqual([crew.id]);
      await touchScimUsers(on.records, { groupId: crew.id });
      await touchScimUsers(on.records, { ids: [ada.id] });
      expect((await findScimUser(on.records, on.orgId, ada.id))?.version).toBe(3);
    },
  },
};

const conditions: Contract = {
  noun: "scim-conditions",
  keeps: {
    "conditions choose alike, what has no value too, and letters with a meaning mean themselves": async (
      on,
    ) => {
      const ada = await provisioned(on, "ada");
      const nobody = await provisioned(on, "nobody");
      const chosen = async (condition: ScimCondition) =>
        (await pageOfScimUsers(on.records, on.orgId, page(condition))).map(({ id }) => id);
      const ext = { column: "external_id", op: "eq", value: "of ada" } as const;
      expect(await chosen(ext)).toEqual([ada.id]);
      expect(await chosen({ not: ext })).toEqual([nobody.id]);
      expect(await chosen({ column: "external_id", op: "ne", value: "x" })).toEqual([ada.id]);
      expect(await chosen({ column: "external_id", op: "pr" })).toEqual([ada.id]);
      expect(await chosen({ column: "folded", op: "co", value: "100% of_" })).toEqual([ada.id, nobody.id]);
      expect(await chosen({ column: "folded", op: "co", value: "100%of" })).toEqual([]);
      expect(await chosen({ column: "user_name_key", op: "sw", value: "a" })).toEqual([ada.id]);
      expect(await chosen({ column: "user_name_key", op: "ew", value: "y" })).toEqual([nobody.id]);
      expect(await chosen({ any: [ext, { column: "created_at", op: "gt", value: ada.created_at }] })).toEqual(
        [ada.id, nobody.id],
      );
      expect(await chosen({ all: [ext, { column: "active", op: "eq", value: 0 }] })).toEqual([]);
    },
  },
};

const groups: Contract = {
  noun: "scim-groups",
  keeps: {
    "members are put in once, counted, shown and taken out, and go with their user": async (on) => {
      const [ada, bob] = [await provisioned(on, "ada"), await provisioned(on, "bob")];
      const crew = await group(on, "crew");
      await addMembers(on.records, crew.id, [ada.id, bob.id]);
      await addMembers(on.records, crew.id, [ada.id]);
      expect((await memberIdsOf(on.records, crew.id)).sort()).toEqual([ada.id, bob.id].sort());
      expect(await countMembers(on.records, [crew.id])).toEqual(new Map([[crew.id, 2]]));
      expect((await membersOf(on.records, [crew.id])).map(({ id }) => id).sort()).toEqual(
        [ada.id, bob.id].sort(),
      );
      await removeMembers(on.records, crew.id, [bob.id]);
      await deleteScimUser(on.records, ada);
      expect(await memberIdsOf(on.records, crew.id)).toEqual([]);
    },
    "a group is found by its member, and only ids of the org's users are known": async (on) => {
      const ada = await provisioned(on, "ada");
      const crew = await group(on, "crew");
      await group(on, "empty");
      await addMembers(on.records, crew.id, [ada.id]);
      const withAda = { hasMember: ada.id };
      expect((await pageOfScimGroups(on.records, on.orgId, page(withAda))).map(({ id }) => id)).toEqual([
        crew.id,
      ]);
      expect(await countScimGroups(on.records, on.orgId, { not: withAda })).toBe(1);
      expect(await knownScimUsers(on.records, on.orgId, [ada.id, crew.id])).toEqual(new Set([ada.id]));
    },
    "a change is one of the version that it was read in": async (on) => {
      const ada = await provisioned(on, "ada");
      const crew = await group(on, "crew");
      const row = (await findScimGroup(on.records, on.orgId, crew.id))!;
      expect(await updateScimGroup(on.records, crew, { ...row, name_key: "team" })).toBe(true);
      expect(await updateScimGroup(on.records, crew, row)).toBe(false);
      await addMembers(on.records, crew.id, [ada.id]);
      await touchGroupsOf(on.records, ada.id);
      expect(await deleteScimGroup(on.records, { id: crew.id, version: 2 })).toBe(false);
      expect(await deleteScimGroup(on.records, { id: crew.id, version: 3 })).toBe(true);
    },
  },
};

const accounts: Contract = {
  noun: "scim-accounts",
  keeps: {
    "an account of an address is made once, whatever the case": async (on) => {
      const first = await account(on, "ada@shop.example");
      const second = await account(on, "Ada@Shop.example");
      expect([first.isMade, second]).toEqual([true, { id: first.id, isMade: false }]);
      await updateAccount(on.records, first.id, { email: "a@shop.example", name: "A" });
      expect(await findUser(on.records, first.id)).toMatchObject({ email: "a@shop.example", name: "A" });
    },
    "the last owner does not leave, and an owner's role stays": async (on) => {
      const [ada, bob] = [await account(on, "ada@shop.example"), await account(on, "bob@shop.example")];
      const member = (id: string, role: "owner" | "member") => ({
        ...{ org_id: on.orgId, user_id: id, role },
        created_at: on.now(),
      });
      await insertMembership(on.records, member(ada.id, "owner"));
      expect(await joinOrg(on.records, member(bob.id, "member"))).toBe(true);
      expect(await joinOrg(on.records, member(bob.id, "owner"))).toBe(false);
      expect(await setRole(on.records, on.orgId, ada.id, "member")).toBe(false);
      expect(await setRole(on.records, on.orgId, bob.id, "admin")).toBe(true);
      expect(await leaveOrg(on.records, on.orgId, ada.id)).toBe(false);
      expect(await leaveOrg(on.records, on.orgId, bob.id)).toBe(true);
      expect([
        await roleIn(on.records, on.orgId, ada.id),
        await roleIn(on.records, on.orgId, bob.id),
      ]).toEqual(["owner", null]);
    },
    "roles come by groups, and an account is shared as soon as another org has it": async (on) => {
      const ada = await provisioned(on, "ada");
      const crew = await group(on, "crew");
      await addMembers(on.records, crew.id, [ada.id]);
      const row = { org_id: on.orgId, name_key: "crew", name: "Crew", role: "admin" as const };
      await replaceGroupRoles(on.records, on.orgId, [row]);
      await noteGroupRole(on.records, ada.id, "billing");
      for (const ids of [[ada.id], "all"] as const)
        expect(await grantedRoles(on.records, on.orgId, ids)).toMatchObject([
          { id: ada.id, group_role: "billing", roles: ["admin"] },
        ]);
      expect(await isSharedAccount(on.records, ada.user_id, on.orgId)).toBe(false);
      const orgId = on.ids.uuid();
      await insertOrg(on.records, { id: orgId, slug: "other", name: "other", created_at: on.now() });
      await insertScimUser(on.records, { ...ada, id: on.ids.uuid(), org_id: orgId });
      expect(await isSharedAccount(on.records, ada.user_id, on.orgId)).toBe(true);
    },
  },
};

const settings: Contract = {
  noun: "scim-settings",
  keeps: {
    "what was refused is kept for a time and up to a number, newest first": async (on) => {
      const note = (id: string, at: number) =>
        noteScimError(
          on.records,
          { id, org_id: on.orgId, at, method: "GET", path: "/", status: 400, detail: "No." },
          { since: 10, most: 2 },
        );
      for (const [id, at] of [
        ["a", 5],
        ["b", 10],
        ["c", 11],
        ["d", 12],
      ] as const)
        await note(id, at);
      expect((await scimErrorsOf(on.records, on.orgId, 0)).map(({ id }) => id)).toEqual(["d", "c"]);
      expect((await scimErrorsOf(on.records, on.orgId, 12)).map(({ id }) => id)).toEqual(["d"]);
    },
    "roles of groups are replaced whole, and say how many are in each group": async (on) => {
      const crew = await group(on, "crew");
      await addMembers(on.records, crew.id, [(await provisioned(on, "ada")).id]);
      const role = (name: string) => ({ org_id: on.orgId, name_key: name, name, role: "admin" as const });
      await replaceGroupRoles(on.records, on.orgId, [role("gone")]);
      await replaceGroupRoles(on.records, on.orgId, [role("crew"), role("absent")]);
      expect((await groupRolesOf(on.records, on.orgId)).map(({ name }) => name)).toEqual(["absent", "crew"]);
      expect(await groupSizes(on.records, on.orgId)).toEqual(new Map([["crew", 1]]));
      expect(await keysWithScope(on.records, on.orgId, "scim:manage", on.now())).toEqual([]);
    },
  },
};

export const DIRECTORIES: Contract[] = [users, conditions, groups, accounts, settings];
