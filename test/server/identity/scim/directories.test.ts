import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import {
  type Directory,
  directory,
  ENTERPRISE,
  GROUP,
  type Json,
  MANY_REQUESTS,
  PATCH,
  scimToken,
  USER,
} from "../../../helpers/scim.ts";

let t: TestApp;
let scim: Directory;
beforeAll(async () => {
  t = await testApp({ settings: MANY_REQUESTS });
  scim = directory(t.api, await scimToken(t));
});
afterAll(() => t.close());

/** Requests as the documentation of Microsoft Entra ID shows them. */
describe("Entra", () => {
  let id: string;

  test("asks whether it may, looks for a user that is not there, and makes it", async () => {
    const looked = await scim.find("Users", 'userName eq "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1"');
    expect([looked.status, looked.body.totalResults, looked.body.Resources]).toEqual([200, 0, []]);
    const made = await scim.post("/Users", {
      schemas: [USER, ENTERPRISE],
      externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
      userName: "Test_User_ab6490ee",
      active: true,
      displayName: "Test User",
      emails: [{ primary: true, type: "work", value: "Test_User_fd0ea19b@testuser.com" }],
      meta: { resourceType: "User" },
      name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
      roles: [],
    });
    expect([made.status, made.body.roles]).toEqual([201, undefined]);
    id = made.body.id;
    expect((await scim.find("Users", 'userName eq "test_user_AB6490EE"')).body.Resources[0].id).toBe(id);
    expect(
      (await scim.find("Users", 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')).body.totalResults,
    ).toBe(1);
  });

  test("changes by dotted paths, value paths and the extension, with capitals and words for flags", async () => {
    const changed = await scim.patch(`/Users/${id}`, [
      { op: "Replace", path: 'emails[type eq "work"].value', value: "updatedEmail@testuser.com" },
      { op: "Replace", path: "name.familyName", value: "updatedFamilyName" },
      { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "555-0100" },
      { op: "Replace", path: 'addresses[type eq "work"].locality', value: "London" },
      { op: "Add", path: `${ENTERPRISE}:manager`, value: "2819c223" },
      { op: "Add", path: `${ENTERPRISE}:department`, value: "Engines" },
      { op: "Add", path: "active", value: "True" },
    ]);
    expect([changed.status, changed.body.detail]).toEqual([200, undefined]);
    expect(changed.body).toMatchObject({
      emails: [{ primary: true, type: "work", value: "updatedEmail@testuser.com" }],
      name: { familyName: "updatedFamilyName", givenName: "givenName" },
      phoneNumbers: [{ type: "mobile", value: "555-0100" }],
      addresses: [{ type: "work", locality: "London" }],
      active: true,
      [ENTERPRISE]: { manager: { value: "2819c223" }, department: "Engines" },
    });
    const without = await scim.patch(`/Users/${id}`, [
      {
        op: "Replace",
        value: {
          "name.givenName": "given",
          [`${ENTERPRISE}:department`]: "Looms",
          displayName: "New",
          id: "x",
        },
      },
      { op: "Remove", path: `${ENTERPRISE}:manager` },
      { op: "Remove", path: 'phoneNumbers[type eq "mobile"]' },
    ]);
    expect(without.body).toMatchObject({ id, name: { givenName: "given" }, displayName: "New" });
    expect(without.body[ENTERPRISE]).toEqual({ department: "Looms" });
    expect(without.body).not.toHaveProperty("phoneNumbers");
  });

  test("lets a user go by the text False", async () => {
    const gone = await scim.patch(`/Users/${id}`, [{ op: "Replace", path: "active", value: "False" }]);
    expect([gone.status, gone.body.active]).toEqual([200, false]);
  });

  test("keeps groups: made empty, found without members, filled and emptied by values, and 204 for each", async () => {
    const made = await scim.post("/Groups", {
      schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "displayName",
      meta: { resourceType: "Group" },
    });
    expect(made.status).toBe(201);
    const path = `/Groups/${made.body.id}`;
    const change = (op: string, value: Json[]) => scim.patch(path, [{ op, path: "members", value }]);
    const members = async () => (await scim.get(path)).body.members?.map(({ value }: Json) => value);
    expect((await change("Add", [{ $ref: null, value: id }])).status).toBe(204);
    expect((await change("Add", [{ value: id }])).status).toBe(204);
    expect(await members()).toEqual([id]);
    const found = await scim.find("Groups", 'displayName eq "displayName"', "&excludedAttributes=members");
    expect(found.body.Resources[0]).not.toHaveProperty("members");
    expect(
      (await scim.find("Groups", `id eq "${made.body.id}" and members eq "${id}"`)).body.totalResults,
    ).toBe(1);
    expect((await change("Remove", [{ value: id }])).status).toBe(204);
    expect(await members()).toBeUndefined();
    expect((await scim.patch(path, [{ op: "Replace", path: "displayName", value: "1879db59" }])).status).toBe(
      204,
    );
    expect((await scim.remove(path)).status).toBe(204);
  });
});

/** Requests as the documentation of Okta shows them. */
describe("Okta", () => {
  test("looks, makes, replaces whole, and changes without a path", async () => {
    expect(
      (await scim.get("/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100"))
        .body,
    ).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0 });
    const sent = {
      schemas: [USER],
      userName: "test.user@okta.local",
      name: { givenName: "Test", familyName: "User" },
      emails: [{ primary: true, value: "test.user@okta.local", type: "work" }],
      displayName: "Test User",
      locale: "en-US",
      externalId: "00ujl29u0le5T6Aj10h7",
      groups: [],
      password: "1mz050nq",
      active: true,
    };
    const { status, body } = await scim.post("/Users", sent);
    expect([status, body.password]).toEqual([201, undefined]);
    const put = await scim.put(`/Users/${body.id}`, {
      ...sent,
      id: body.id,
      name: { givenName: "Another", middleName: "", familyName: "User" },
      meta: { resourceType: "User" },
    });
    expect([put.status, put.body.name]).toEqual([200, { givenName: "Another", familyName: "User" }]);
    const off = await scim.patch(`/Users/${body.id}`, [{ op: "replace", value: { active: false } }]);
    expect([off.status, off.body.active, off.body.displayName]).toEqual([200, false, "Test User"]);
  });

  test("replaces groups whole, by PUT and by PATCH, with the names of members beside their ids", async () => {
    const [one, two, three] = [
      await scim.user("one@okta.local"),
      await scim.user("two@okta.local"),
      await scim.user("three@okta.local"),
    ];
    const { status, body } = await scim.post("/Groups", {
      schemas: [GROUP],
      displayName: "Test SCIMv2",
      members: [],
    });
    expect(status).toBe(201);
    const path = `/Groups/${body.id}`;
    const ids = async () => (await scim.get(path)).body.members.map(({ value }: Json) => value).sort();
    const named = ({ id, userName }: Json) => ({ value: id, display: userName });
    const put = await scim.put(path, {
      ...{ schemas: [GROUP], id: body.id, displayName: "Test SCIMv2" },
      members: [named(one!), named(two!)],
    });
    expect(put.status).toBe(200);
    expect(put.body.members.map(({ value }: Json) => value).sort()).toEqual([one!.id, two!.id].sort());
    expect(
      (await scim.patch(path, [{ op: "replace", value: { id: body.id, displayName: "Renamed" } }])).status,
    ).toBe(204);
    expect((await scim.get(path)).body.displayName).toBe("Renamed");
    await scim.patch(path, [
      { op: "remove", path: `members[value eq "${one!.id}"]` },
      { op: "add", path: "members", value: [named(three!)] },
    ]);
    expect(await ids()).toEqual([two!.id, three!.id].sort());
    await scim.patch(path, [{ op: "replace", path: "members", value: [named(one!)] }]);
    expect(await ids()).toEqual([one!.id]);
    await scim.patch(path, [{ op: "remove", path: 'members[display sw "ONE" or value eq "x"]' }]);
    expect((await scim.get(path)).body).not.toHaveProperty("members");
    await scim.patch(path, [{ op: "add", value: { members: [named(two!)] } }]);
    expect(await ids()).toEqual([two!.id]);
    await scim.patch(path, [{ op: "remove", path: "members" }]);
    expect((await scim.get(path)).body).not.toHaveProperty("members");
  });
});

/** The examples of RFC 7644, section 3.5.2. */
describe("PATCH as RFC 7644 shows it", () => {
  test("adds, replaces and removes values, and a new primary value takes the place of the old one", async () => {
    const { id } = await scim.user("babs@example.com", {
      emails: [{ value: "babs@example.com", type: "work", primary: true }],
      addresses: [{ type: "work", streetAddress: "911 Universal City Plaza", country: "US" }],
    });
    const change = async (...operations: Json[]) => {
      const reply = await scim.patch(`/Users/${id}`, operations);
      expect([reply.status, reply.body.detail]).toEqual([200, undefined]);
      return reply.body;
    };
    expect(
      await change({
        op: "add",
        value: { emails: [{ value: "babs@jensen.org", type: "home", primary: true }], nickname: "Babs" },
      }),
    ).toMatchObject({
      emails: [
        { value: "babs@example.com", type: "work", primary: false },
        { value: "babs@jensen.org", type: "home", primary: true },
      ],
      nickName: "Babs",
    });
    const address = { type: "work", streetAddress: "100 Main", locality: "Boston" };
    expect(
      (await change({ op: "replace", path: 'addresses[type eq "work"]', value: address })).addresses,
    ).toEqual([address]);
    expect(
      (
        await change({
          op: "replace",
          path: 'addresses[type eq "work"].streetAddress',
          value: "1010 Broadway Ave",
        })
      ).addresses[0].streetAddress,
    ).toBe("1010 Broadway Ave");
    expect(
      (await change({ op: "remove", path: 'emails[type eq "work" and value ew "example.com"]' })).emails,
    ).toHaveLength(1);
    expect(await change({ op: "remove", path: "emails" })).not.toHaveProperty("emails");
    // Names that every object has mean nothing here.
    const odd = JSON.parse(
      `{"schemas":["${PATCH}"],"Operations":[{"op":"add","value":{"__proto__":{"x":1},"constructor":{"x":1},"title":"T"}}]}`,
    );
    const reply = await scim.call("PATCH", `/Users/${id}`, odd);
    expect([reply.status, reply.body.title, ({} as Json).x]).toEqual([200, "T", undefined]);
  });
});
