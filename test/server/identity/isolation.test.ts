import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { type FilledOrg, oneOfEach } from "../../helpers/nouns.ts";
import { person, secondOrg, signedIn, type TestPerson } from "../../helpers/org-people.ts";
import { GROUP, PATCH, USER } from "../../helpers/scim.ts";
import { statement } from "../../helpers/statement.ts";
import { type Operation, operationsOf, sampleOf } from "../../hostile/operations.ts";

setDefaultTimeout(120_000);

const MANY = 1_000_000;
/** Of what the store keeps of itself, or of the time; all else is of some org. */
const NOT_COMPARED = [
  "audit_events",
  "jobs",
  "servers",
  "traces_fts",
  "trace_records_due",
  "test_run_records_due",
  // What a directory of the asker was refused, and when it last called.
  "scim_errors",
  "scim_syncs",
];

let t: TestApp;
let theirs: FilledOrg;
let operations: Operation[];
/** Whoever of the first org may do most. */
let mine: { who: string; call: TestPerson["call"] }[];

beforeAll(async () => {
  const rate_limits = { reads_per_minute: MANY, writes_per_minute: MANY, ingests_per_minute: MANY };
  t = await testApp({ settings: { rate_limits } });
  theirs = await oneOfEach(t, await secondOrg(t));
  operations = operationsOf(await (await t.api("/openapi.json")).json());
  const owner = await signedIn(t, { userId: t.userId });
  const member = await person(t, "member");
  mine = [
    { who: "a key with every scope", call: t.api },
    { who: "an owner", call: owner.call },
    { who: "a member", call: member.call },
  ];
});
afterAll(() => t.close());

/** What stands in a path after another word than an id, and what is asked for there. */
const PLACES: Record<string, string> = { sha: "abc1234", name: "1" };
const RENAMES = {
  schemas: [PATCH],
  Operations: [{ op: "replace", path: "displayName", value: "Taken" }],
};
/** Bodies that say more than what is required, or say it in a form of their own. */
const BODIES: Record<string, unknown> = {
  "searches.change": { name: "x" },
  "checks.pause": { hours: 1 },
  "scim.replace_user": { schemas: [USER], userName: "taken@people.example" },
  "scim.change_user": RENAMES,
  "scim.replace_group": { schemas: [GROUP], displayName: "Taken" },
  "scim.change_group": RENAMES,
  "orgs.change": { name: "theirs no more" },
  "test-runs.end": { status: "passed", ended_at: "2026-03-01T12:01:00.000Z" },
};

/** The path with the other org's ids; null for one that has none of an org: a name there is the asker's own. */
function pathTo({ path, parameters }: Operation): string | null {
  const words = path.split("/");
  const first = words.findIndex((word) => word.startsWith("{"));
  if (first === -1 || /^\/(?:r|files|run-files|docs)\/|\/(?:ResourceTypes|Schemas)\//.test(path)) return null;
  const noun = words[first - 1]!;
  expect([path, Object.hasOwn(theirs.ids, noun)]).toEqual([path, true]);
  return words
    .map((word, at) => {
      if (at === first) return theirs.ids[noun]!;
      const name = /^\{(\w+)\}$/.exec(word)?.[1];
      if (!name) return word;
      const { schema = {} } = parameters.find((one) => one.name === name) ?? {};
      return PLACES[name] ?? String(sampleOf(schema, { sha256: "a".repeat(64) }, name));
    })
    .join("/");
}

/** Everything of the store, table by table. */
async function everything(): Promise<Record<string, unknown[]>> {
  const tables = await statement<{ name: string }>(
    t.store,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const rows: Record<string, unknown[]> = {};
  for (const { name } of tables)
    if (!NOT_COMPARED.some((one) => name.startsWith(one)))
      rows[name] = await statement(t.store, `SELECT * FROM "${name}"`);
  for (const row of [...rows.api_keys!, ...rows.sessions!] as Record<string, unknown>[])
    for (const name of ["last_used_at", "last_seen_at", "expires_at"]) delete row[name];
  return rows;
}

test("nobody reaches or changes anything of another org by its id, by any operation", async () => {
  const before = await everything();
  const let_in: string[] = [];
  let asked = 0;
  for (const operation of operations) {
    const path = pathTo(operation);
    if (path === null) continue;
    const required = operation.parameters.filter((one) => one.in === "query" && one.required);
    const query = required.map(({ name, schema }) => `${name}=${sampleOf(schema, { slug: "other" }, name)}`);
    const isJson = operation.body?.type === "application/json";
    const body = isJson
      ? JSON.stringify(
          BODIES[operation.operationId] ?? sampleOf(operation.body!.schema, { user_id: t.userId }),
        )
      : operation.method === "GET" || operation.method === "DELETE"
        ? undefined
        : "x";
    for (const { who, call } of mine) {
      t.clock.advance(1);
      const response = await call(query.length > 0 ? `${path}?${query.join("&")}` : path, {
        method: operation.method,
        headers: isJson ? { "content-type": "application/json" } : {},
        ...(body === undefined ? {} : { body }),
      });
      asked++;
      await response.body?.cancel();
      if (![403, 404].includes(response.status))
        let_in.push(`${operation.operationId} by ${who}: ${response.status}`);
    }
  }
  expect(asked).toBeGreaterThan(100);
  // A secret's name belongs to whoever asks: there it makes one of their own. A client is nobody's: each org approves it by itself.
  expect(let_in).toEqual([
    "secrets.set by a key with every scope: 201",
    "secrets.set by an owner: 200",
    "secrets.delete by a key with every scope: 204",
    "oauth.withdraw_approval by an owner: 204",
  ]);
  expect(await everything()).toEqual(before);
});

test("a request that names another org in a header is refused, by any credential and operation", async () => {
  const astray: string[] = [];
  for (const { operationId, method, path, security } of operations) {
    if (security.length === 0 || path.includes("{")) continue;
    for (const header of ["x-org-id", "x-product-org"])
      for (const { who, call } of mine) {
        const response = await call(path, { method, headers: { [header]: theirs.orgId } });
        await response.body?.cancel();
        if (response.status !== 403) astray.push(`${operationId} by ${who}: ${response.status}`);
      }
  }
  expect(astray).toEqual([]);
});

test("a session cannot be had to stand for an org that its person is not in", async () => {
  const [, owner] = mine;
  const body = JSON.stringify({ org_id: theirs.orgId });
  const json = { "content-type": "application/json" };
  const known = await owner!.call("/v1/session/org", { method: "POST", headers: json, body });
  const unknown = await owner!.call("/v1/session/org", {
    method: "POST",
    headers: json,
    body: JSON.stringify({ org_id: t.deps.ids.uuid() }),
  });
  expect([known.status, unknown.status]).toEqual([403, 403]);
  expect(await known.text()).toBe(await unknown.text());
});
