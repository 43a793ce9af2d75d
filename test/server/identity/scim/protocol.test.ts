import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOrg } from "../../../../server/identity/orgs.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import {
  type Directory,
  directory,
  ENTERPRISE,
  ERROR,
  GROUP,
  type Json,
  MANY_REQUESTS,
  PATCH,
  scimToken,
  USER,
} from "../../../helpers/scim.ts";

let t: TestApp;
let scim: Directory;
let ada: Json;
let group: Json;
const NOBODY = "6f0c2b5e-4d0b-4c59-8b0e-2f1f0a7c9d11";
beforeAll(async () => {
  t = await testApp({ settings: MANY_REQUESTS });
  scim = directory(t.api, await scimToken(t));
  ada = await scim.user("ada@shop.example", {
    externalId: "701984",
    name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
    emails: [
      { value: "ada@shop.example", type: "work", primary: true },
      { value: "ada@home.example", type: "home" },
    ],
    [ENTERPRISE]: { employeeNumber: "7", department: "Engines", manager: { value: "26118915" } },
  });
  group = await scim.group("Engineers", [ada.id]);
});
afterAll(() => t.close());

const user = (more: Json = {}): Json => ({ schemas: [USER], userName: "somebody@shop.example", ...more });
const patch = (...Operations: Json[]): Json => ({ schemas: [PATCH], Operations });

describe("a resource", () => {
  test("is made with 201, a location, a tag and meta, and is the same when it is read", async () => {
    const made = await scim.post("/Users", user({ userName: "made@shop.example", password: "t1meMa$heen" }));
    expect(made.status).toBe(201);
    expect(made.headers.get("content-type")).toBe("application/scim+json");
    const location = `http://localhost/api/v1/scim/v2/Users/${made.body.id}`;
    expect(made.headers.get("location")).toBe(location);
    expect(made.headers.get("etag")).toBe('W/"1"');
    expect(made.body.meta).toEqual({
      resourceType: "User",
      created: "2026-03-01T12:00:00.000Z",
      lastModified: "2026-03-01T12:00:00.000Z",
      location,
      version: 'W/"1"',
    });
    expect(made.body).not.toHaveProperty("password");
    expect(made.body.active).toBe(true);
    expect((await scim.get(`/Users/${made.body.id}`)).body).toEqual(made.body);
  });

  test("shows the extension of enterprises and the groups of a user, and the members of a group", async () => {
    const shown = (await scim.get(`/Users/${ada.id}`)).body;
    expect(shown.schemas).toEqual([USER, ENTERPRISE]);
    expect(shown[ENTERPRISE]).toMatchObject({ employeeNumber: "7", manager: { value: "26118915" } });
    expect(shown.groups).toEqual([
      {
        value: group.id,
        $ref: `http://localhost/api/v1/scim/v2/Groups/${group.id}`,
        display: "Engineers",
        type: "direct",
      },
    ]);
    expect(group.members).toEqual([
      {
        value: ada.id,
        $ref: `http://localhost/api/v1/scim/v2/Users/${ada.id}`,
        display: "ada@shop.example",
        type: "User",
      },
    ]);
  });

  test("has the attributes that are asked for, and always its id", async () => {
    const only = (
      await scim.get(`/Users/${ada.id}?attributes=userName,emails.value,${ENTERPRISE}:department`)
    ).body;
    expect(only).toEqual({
      schemas: [USER, ENTERPRISE],
      id: ada.id,
      userName: "ada@shop.example",
      emails: [{ value: "ada@shop.example" }, { value: "ada@home.example" }],
      [ENTERPRISE]: { department: "Engines" },
    });
    const rest = (await scim.get(`/Users/${ada.id}?excludedAttributes=id,emails,name.familyName,GROUPS`))
      .body;
    expect(rest).toMatchObject({ id: ada.id, name: { formatted: "Ada Lovelace", givenName: "Ada" } });
    expect(Object.keys(rest)).not.toContain("emails");
    expect(Object.keys(rest)).not.toContain("groups");
    expect(rest.name).not.toHaveProperty("familyName");
    expect((await scim.get(`/Groups/${group.id}?excludedAttributes=members`)).body).not.toHaveProperty(
      "members",
    );
  });
});

const FILTERS: [string, boolean][] = [
  ['userName eq "ada@shop.example"', true],
  ['USERNAME Eq "ADA@shop.example"', true],
  [`${USER}:userName eq "ada@shop.example"`, true],
  ['userName ne "ada@shop.example"', false],
  ['userName sw "ada"', true],
  ['userName ew "SHOP.example"', true],
  ['userName co "%"', false],
  ['userName co "_"', false],
  ['externalId eq "701984"', true],
  ['name.familyName co "love"', true],
  ['name.familyName gt "k"', true],
  ['name.familyName lt "k"', false],
  ["title pr", false],
  ["not (title pr)", true],
  ["name pr", true],
  ["emails pr", true],
  ['emails eq "ada@home.example"', true],
  ['emails.value ew "home.example"', true],
  ['emails[type eq "work" and value co "@shop.example"]', true],
  ['emails[type eq "home" and value co "@shop.example"]', false],
  ['emails[type eq "work"].value eq "ada@shop.example"', true],
  ["emails[primary eq true]", true],
  ['active eq "True"', true],
  ["active eq false", false],
  ["active ne false", true],
  [`${ENTERPRISE}:department eq "engines"`, true],
  [`${ENTERPRISE}:manager.value eq "26118915"`, true],
  [`${ENTERPRISE}:manager eq "26118915"`, true],
  ['meta.created ge "2026-03-01T12:00:00Z"', true],
  ['meta.lastModified gt "2026-03-01T13:00:00+01:00"', false],
  ['meta.resourceType eq "User"', true],
  ['groups.display eq "engineers"', true],
  ['title eq "x" or userName sw "ada" and active eq true', true],
  ['(title eq "x" or userName sw "ada") and not (active eq false)', true],
  ["title eq null", true],
  ["userName eq null", false],
  ["nickName ne null", false],
  ["unheardOf pr", false],
];

describe("a filter", () => {
  test.each(FILTERS)("%s", async (filter, isMeant) => {
    const { status, body } = await scim.find("Users", filter, "&count=200");
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.Resources.some(({ id }: Json) => id === ada.id)).toBe(isMeant);
    expect(body.totalResults).toBe(body.Resources.length);
  });

  test.each([
    "userName",
    "userName eq",
    'userName zz "x"',
    'userName eq "x" and',
    '(userName eq "x"',
    'userName eq "x")',
    "userName eq x",
    'userName eq "\\q"',
    'emails[type eq "work"',
    "active gt true",
    'active eq "maybe"',
    'name eq "Ada"',
    'meta.created gt "yesterday"',
    'x509Certificates.value gt "x"',
    `${"(".repeat(2000)}userName pr${")".repeat(2000)}`,
    "userName eq 'x'",
    "userName pr; drop table users",
  ])("%s is refused", async (filter) => {
    const { status, body } = await scim.find("Users", filter);
    expect([status, body.scimType, body.schemas]).toEqual([400, "invalidFilter", [ERROR]]);
    expect(body.detail.length).toBeGreaterThan(10);
  });

  test("finds groups by name and by member without reading members", async () => {
    for (const filter of [
      'displayName eq "ENGINEERS"',
      `members.value eq "${ada.id}"`,
      `members[value eq "${ada.id}"]`,
      `id eq "${group.id}" and members eq "${ada.id}"`,
      'members[display sw "ada"]',
    ]) {
      const { body } = await scim.find("Groups", filter, "&excludedAttributes=members");
      expect([filter, body.Resources?.map(({ id }: Json) => id)]).toEqual([filter, [group.id]]);
    }
    expect((await scim.find("Groups", `members.value eq "${NOBODY}"`)).body.totalResults).toBe(0);
  });
});

describe("a list", () => {
  test("is cut by startIndex and count within bounds", async () => {
    const all = (await scim.get("/Users?count=200&sortBy=userName")).body;
    expect(all.schemas).toEqual(["urn:ietf:params:scim:api:messages:2.0:ListResponse"]);
    const names = all.Resources.map(({ userName }: Json) => userName);
    expect(names).toEqual([...names].sort());
    const second = (await scim.get("/Users?startIndex=2&count=1&sortBy=userName")).body;
    expect(second).toMatchObject({ totalResults: names.length, startIndex: 2, itemsPerPage: 1 });
    expect(second.Resources[0].userName).toBe(names[1]);
    expect((await scim.get("/Users?startIndex=-5&count=1&sortBy=userName")).body).toMatchObject({
      startIndex: 1,
      itemsPerPage: 1,
    });
    expect((await scim.get("/Users?count=0")).body).toMatchObject({
      totalResults: names.length,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await scim.get("/Users?count=-1")).body.Resources).toEqual([]);
    expect((await scim.get("/Users?startIndex=99999&count=1000000")).body.Resources).toEqual([]);
  });

  test("is ordered by any attribute, what has none of it last", async () => {
    await scim.user("zed@shop.example", { name: { familyName: "Babbage" } });
    const families = async (order: string) =>
      (await scim.get(`/Users?sortBy=name.familyName&sortOrder=${order}`)).body.Resources.map(
        ({ name }: Json) => name?.familyName,
      );
    const up = await families("ascending");
    expect(up.slice(0, 2)).toEqual(["Babbage", "Lovelace"]);
    expect(up.at(-1)).toBeUndefined();
    expect((await families("descending")).filter(Boolean)).toEqual(["Lovelace", "Babbage"]);
  });

  test("is asked for by POST .search as well", async () => {
    const { status, body } = await scim.post("/Users/.search", {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
      attributes: ["userName"],
      filter: 'externalId eq "701984"',
      startIndex: 1,
      count: 10,
    });
    expect(status).toBe(200);
    expect(body.Resources).toEqual([
      { schemas: [USER, ENTERPRISE], id: ada.id, userName: "ada@shop.example" },
    ]);
    expect((await scim.post("/Groups/.search", { schemas: [USER] })).body.scimType).toBe("invalidSyntax");
  });
});

const REFUSED: [
  what: string,
  method: string,
  path: string,
  body: unknown,
  status: number,
  scimType?: string,
][] = [
  ["JSON that is none", "POST", "/Users", "{", 400, "invalidSyntax"],
  ["a list", "POST", "/Users", [], 400, "invalidSyntax"],
  ["no schemas", "POST", "/Users", { userName: "x@y.example" }, 400, "invalidSyntax"],
  ["another schema", "POST", "/Users", { schemas: [GROUP], userName: "x@y.example" }, 400, "invalidSyntax"],
  ["no userName", "POST", "/Users", { schemas: [USER] }, 400, "invalidValue"],
  ["an empty userName", "POST", "/Users", user({ userName: " " }), 400, "invalidValue"],
  ["a userName of another type", "POST", "/Users", user({ userName: 7 }), 400, "invalidValue"],
  ["no address", "POST", "/Users", user({ userName: "somebody" }), 400, "invalidValue"],
  ["active as a word", "POST", "/Users", user({ active: "perhaps" }), 400, "invalidValue"],
  ["a name that is text", "POST", "/Users", user({ name: "Ada" }), 400, "invalidValue"],
  [
    "two primary addresses",
    "POST",
    "/Users",
    user({
      emails: [
        { value: "a@b.c", primary: true },
        { value: "b@b.c", primary: true },
      ],
    }),
    400,
    "invalidValue",
  ],
  ["a user of the same name", "POST", "/Users", user({ userName: "ADA@shop.example" }), 409, "uniqueness"],
  ["too much", "POST", "/Users", user({ title: "x".repeat(70_000) }), 400, "invalidValue"],
  ["no displayName", "POST", "/Groups", { schemas: [GROUP] }, 400, "invalidValue"],
  [
    "a group of the same name",
    "POST",
    "/Groups",
    { schemas: [GROUP], displayName: "engineers" },
    409,
    "uniqueness",
  ],
  [
    "a member that nobody knows",
    "POST",
    "/Groups",
    { schemas: [GROUP], displayName: "New", members: [{ value: NOBODY }] },
    400,
    "invalidValue",
  ],
  ["an unknown user", "GET", `/Users/${NOBODY}`, undefined, 404],
  ["an id that is none", "GET", "/Users/1", undefined, 404],
  [
    "a change of nobody",
    "PATCH",
    `/Users/${NOBODY}`,
    patch({ op: "replace", path: "title", value: "x" }),
    404,
  ],
  ["the end of nobody", "DELETE", `/Groups/${NOBODY}`, undefined, 404],
  ["an unknown type", "GET", "/ResourceTypes/Printer", undefined, 404],
  ["an address that is none", "GET", "/Printers", undefined, 404],
  ["bulk, which is not supported", "POST", "/Bulk", { schemas: [] }, 404],
  ["a change of discovery", "POST", "/ServiceProviderConfig", {}, 405],
  ["a change of discovery", "PUT", "/Schemas", {}, 405],
  ["a change of discovery", "DELETE", "/ResourceTypes", undefined, 405],
  ["a filter of discovery", "GET", "/Schemas?filter=id%20pr", undefined, 403],
  ["a count that is no number", "GET", "/Users?count=many", undefined, 400, "invalidValue"],
  ["an order that is none", "GET", "/Users?sortBy=userName&sortOrder=up", undefined, 400, "invalidValue"],
  ["one parameter twice", "GET", "/Users?count=1&count=2", undefined, 400, "invalidSyntax"],
];

const REFUSED_CHANGES: [what: string, body: unknown, scimType: string][] = [
  ["no message of PATCH", { Operations: [] }, "invalidSyntax"],
  ["no operations", patch(), "invalidSyntax"],
  ["an operation that is none", patch({ op: "move", path: "title" }), "invalidSyntax"],
  ["removing without a path", patch({ op: "remove" }), "noTarget"],
  ["adding without a value", patch({ op: "add", path: "title" }), "invalidValue"],
  ["a path that no schema has", patch({ op: "add", path: "title.word", value: "x" }), "invalidPath"],
  ["a path that cannot be read", patch({ op: "add", path: "emails[type", value: "x" }), "invalidPath"],
  ["the id", patch({ op: "replace", path: "id", value: "x" }), "mutability"],
  ["the groups", patch({ op: "add", path: "groups", value: [{ value: NOBODY }] }), "mutability"],
  ["meta", patch({ op: "replace", path: "meta.created", value: "x" }), "mutability"],
  [
    "values that are not there",
    patch({ op: "replace", path: 'emails[value eq "x"].type', value: "x" }),
    "noTarget",
  ],
  ["taking the name away", patch({ op: "remove", path: "userName" }), "invalidValue"],
  ["a value of another type", patch({ op: "replace", path: "active", value: "perhaps" }), "invalidValue"],
];

test("changes that would look through values without end are refused before they do, in words", async () => {
  const values = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `${i}@many.example` }));
  const add = { op: "add", path: "emails", value: values(1_000) };
  const refused = async (path: string, operations: Json[], words: string) => {
    const reply = await scim.patch(path, operations);
    expect([reply.status, reply.body.scimType]).toEqual([400, "invalidValue"]);
    expect(reply.body.detail).toContain(words);
  };
  const made = await scim.user("many@shop.example");
  await refused(`/Users/${made.id}`, [{ ...add, value: values(1_001) }], "at most 1000 values");
  const again = (change: Json) => Array.from({ length: 200 }, () => change);
  for (const change of [
    { op: "add", path: "emails", value: [{ value: "1@many.example" }] },
    { op: "remove", path: "emails", value: [{ value: "none@many.example" }] },
    { op: "remove", path: 'emails[value eq "none@many.example"]' },
  ])
    await refused(`/Users/${made.id}`, [add, ...again(change)], "fewer changes at once");
  const byName = again({ op: "remove", path: 'members[display eq "nobody"]' });
  await refused(`/Groups/${group.id}`, byName.slice(0, 21), "name their ids");
  expect((await scim.patch(`/Groups/${group.id}`, byName.slice(0, 20))).status).toBe(204);
  // Equal values are one, whatever the order of their parts; what is removed is named by its value.
  const some = await scim.patch(`/Users/${made.id}`, [
    {
      op: "add",
      path: "emails",
      value: [{ value: "a@many.example", type: "work" }, { value: "b@many.example" }],
    },
    { op: "add", path: "emails", value: [{ type: "work", value: "a@many.example" }] },
    {
      op: "remove",
      path: "emails",
      value: [{ value: "b@many.example" }, { value: "a@many.example", type: "home" }],
    },
  ]);
  expect(some.body.emails).toEqual([{ value: "a@many.example", type: "work" }]);
});

describe("what does not go is told as RFC 7644 has it", () => {
  const cases = REFUSED.map(
    ([what, method, path, ...rest]) => [`${what}: ${method} ${path}`, method, path, rest] as const,
  );
  test.each(cases)("%s", async (_, method, path, [body, status, scimType]) => {
    const reply = await scim.call(method, path, body);
    expect([reply.status, reply.body.scimType]).toEqual([status, scimType]);
    expect(reply.body.schemas).toEqual([ERROR]);
    expect(reply.body.status).toBe(String(status));
    expect(reply.body.detail.length).toBeGreaterThan(10);
    expect(reply.headers.get("content-type")).toBe("application/scim+json");
  });

  test.each(REFUSED_CHANGES)("PATCH: %s", async (_, body, scimType) => {
    const before = (await scim.get(`/Users/${ada.id}`)).body;
    const reply = await scim.call("PATCH", `/Users/${ada.id}`, body);
    expect([reply.status, reply.body.scimType, reply.body.schemas]).toEqual([400, scimType, [ERROR]]);
    expect((await scim.get(`/Users/${ada.id}`)).body).toEqual(before);
  });

  test("a group in a group is refused in words", async () => {
    for (const member of [{ value: group.id }, { value: ada.id, type: "Group" }]) {
      const reply = await scim.patch(`/Groups/${group.id}`, [
        { op: "add", path: "members", value: [member] },
      ]);
      expect([reply.status, reply.body.scimType]).toEqual([400, "invalidValue"]);
      expect(reply.body.detail).toContain("cannot be a member of a group");
    }
  });

  test("bodies are JSON of at most 1 MiB", async () => {
    const text = await scim.post("/Users", user(), { "content-type": "text/plain" });
    expect([text.status, text.body.schemas]).toEqual([415, [ERROR]]);
    const large = await scim.post("/Users", user({ title: "x".repeat(1024 * 1024) }));
    expect([large.status, large.body.schemas]).toEqual([413, [ERROR]]);
    expect(
      (
        await scim.post("/Users", user({ userName: "j@shop.example" }), {
          "content-type": "application/json",
        })
      ).status,
    ).toBe(201);
  });
});

describe("tags", () => {
  test("spare an answer that is known, and refuse a change of what has changed", async () => {
    const { body, headers } = await scim.get(`/Users/${ada.id}`);
    const etag = headers.get("etag")!;
    expect(etag).toBe(body.meta.version);
    expect((await scim.get(`/Users/${ada.id}`, { "if-none-match": etag })).status).toBe(304);
    const change = [{ op: "replace", path: "title", value: "Countess" }];
    const first = await scim.patch(`/Users/${ada.id}`, change, { "if-match": etag });
    expect([first.status, first.body.title]).toEqual([200, "Countess"]);
    expect(first.headers.get("etag")).not.toBe(etag);
    expect((await scim.get(`/Users/${ada.id}`, { "if-none-match": etag })).status).toBe(200);
    for (const [method, sent] of [
      ["PUT", user()],
      ["PATCH", patch(...change)],
      ["DELETE", undefined],
    ] as const) {
      const late = await scim.call(method, `/Users/${ada.id}`, sent, { "if-match": etag });
      expect([method, late.status, late.body.status]).toEqual([method, 412, "412"]);
    }
    expect((await scim.patch(`/Users/${ada.id}`, change, { "if-match": "*" })).status).toBe(200);
  });

  test("change with what a group says of its user and a user of its group, and stay when nothing changes", async () => {
    const tag = async (path: string) => (await scim.get(path)).headers.get("etag");
    const bob = await scim.user("bob@shop.example");
    const before = await tag(`/Users/${bob.id}`);
    const crew = await scim.group("Crew", [bob.id]);
    const within = await tag(`/Users/${bob.id}`);
    expect(within).not.toBe(before);
    const ofCrew = await tag(`/Groups/${crew.id}`);
    await scim.patch(`/Users/${bob.id}`, [{ op: "add", path: "displayName", value: "Bob" }]);
    expect(await tag(`/Groups/${crew.id}`)).not.toBe(ofCrew);
    const last = await tag(`/Users/${bob.id}`);
    await scim.patch(`/Users/${bob.id}`, [{ op: "add", path: "displayName", value: "Bob" }]);
    expect(await tag(`/Users/${bob.id}`)).toBe(last);
    await scim.remove(`/Groups/${crew.id}`);
    expect(await tag(`/Users/${bob.id}`)).not.toBe(last);
  });

  test("of two changes at once with one tag one is refused", async () => {
    const bea = await scim.user("bea@shop.example");
    const send = (title: string) =>
      scim.patch(`/Users/${bea.id}`, [{ op: "replace", path: "title", value: title }], {
        "if-match": bea.meta.version,
      });
    const statuses = (await Promise.all([send("one"), send("two"), send("three")])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 412, 412]);
  });
});

test("of users of one name that are made at once one is made", async () => {
  const names = ["race@shop.example", "Race@shop.example", "RACE@shop.example"];
  const replies = await Promise.all(names.map((userName) => scim.post("/Users", user({ userName }))));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect((await scim.find("Users", 'userName eq "race@shop.example"')).body.totalResults).toBe(1);
});

describe("what this server does is told", () => {
  test("by ServiceProviderConfig, ResourceTypes and Schemas", async () => {
    const config = (await scim.get("/ServiceProviderConfig")).body;
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
    });
    const types = (await scim.get("/ResourceTypes")).body;
    expect(types.Resources.map(({ id, endpoint }: Json) => [id, endpoint])).toEqual([
      ["User", "/Users"],
      ["Group", "/Groups"],
    ]);
    expect((await scim.get("/ResourceTypes/User")).body.schemaExtensions).toEqual([
      { schema: ENTERPRISE, required: false },
    ]);
    const schemas = (await scim.get("/Schemas")).body;
    expect(schemas.Resources.map(({ id }: Json) => id)).toEqual([USER, ENTERPRISE, GROUP]);
    for (const { id, attributes, meta } of schemas.Resources) {
      expect(attributes.length).toBeGreaterThan(0);
      expect(meta.location).toBe(`http://localhost/api/v1/scim/v2/Schemas/${id}`);
      expect((await scim.get(`/Schemas/${id}`)).body.id).toBe(id);
    }
  });
});

describe("a token", () => {
  test("is needed, and with its scope, and everything else is refused in SCIM's form", async () => {
    const other = await t.api("/v1/api-keys", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "ci", scopes: ["traces:read", "traces:write"] }),
    });
    const { key } = (await other.json()) as { key: string };
    for (const [token, status] of [
      ["", 401],
      ["product_sk_nothing", 401],
      [key, 403],
    ] as const)
      for (const path of ["/Users", `/Users/${ada.id}`, "/Groups", "/Schemas", "/ServiceProviderConfig"]) {
        const reply = await directory(t.api, token).get(path);
        expect([path, reply.status, reply.body.schemas]).toEqual([path, status, [ERROR]]);
        if (status === 401) expect(reply.headers.get("www-authenticate")).toStartWith("Bearer");
      }
  });

  test("is one of several that are good at once, until it is revoked", async () => {
    const [one, two] = [await scimToken(t), await scimToken(t)];
    expect((await directory(t.api, one).get("/Users")).status).toBe(200);
    expect((await directory(t.api, two).get("/Users")).status).toBe(200);
  });

  test("reaches nothing of another org, by no id, filter or member", async () => {
    const { api_key } = await createOrg(t.deps, "elsewhere");
    const foreign = directory(t.api, await scimToken(t, api_key));
    const before = [(await scim.get(`/Users/${ada.id}`)).body, (await scim.get(`/Groups/${group.id}`)).body];
    expect((await foreign.get("/Users")).body.totalResults).toBe(0);
    expect((await foreign.get("/Groups?attributes=members")).body.totalResults).toBe(0);
    for (const filter of [
      `id eq "${ada.id}"`,
      'userName pr or title eq "x"',
      "not (title pr)",
      'emails co "a"',
    ])
      expect([filter, (await foreign.find("Users", filter)).body.totalResults]).toEqual([filter, 0]);
    expect((await foreign.find("Groups", `members.value eq "${ada.id}"`)).body.totalResults).toBe(0);
    const change = [{ op: "replace", path: "displayName", value: "Mine" }];
    for (const path of [`/Users/${ada.id}`, `/Groups/${group.id}`]) {
      expect((await foreign.get(path)).status).toBe(404);
      expect((await foreign.patch(path, change)).status).toBe(404);
      expect(
        (await foreign.put(path, path.startsWith("/U") ? user() : { schemas: [GROUP], displayName: "x" }))
          .status,
      ).toBe(404);
      expect((await foreign.remove(path)).status).toBe(404);
    }
    const theirs = await foreign.post("/Groups", {
      schemas: [GROUP],
      displayName: "Engineers",
      members: [{ value: ada.id }],
    });
    expect([theirs.status, theirs.body.scimType]).toEqual([400, "invalidValue"]);
    const after = [(await scim.get(`/Users/${ada.id}`)).body, (await scim.get(`/Groups/${group.id}`)).body];
    expect(after).toEqual(before);
  });
});
