import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { signedIn } from "../../helpers/org-people.ts";
import { statement } from "../../helpers/statement.ts";
import { getJson, post, uploadTrace } from "../../helpers/traces.ts";

/** Operations that change something and write no entry, with the reason. */
const NOT_AUDITED: Record<string, string> = {
  "agent-signup.lookup": "it reads; it is a POST so that no code stands in an address",
  "scim.search_users": "it reads; a filter may be too long for an address",
  "scim.search_groups": "it reads; a filter may be too long for an address",
  "webhooks.receive":
    "a machine tells of what happened at the code host, and the list of deliveries keeps it",
  "capture.chunk": "a piece of the trace whose beginning is written down",
  "capture.blob": "a piece of such a trace",
  "capture.blobs": "it asks which pieces are missing",
  "capture.artifact": "a piece of such a trace",
  "capture.end": "the end of such a trace, which the trace itself tells",
  "runs.progress": "a run whose beginning is written down goes on",
  "runs.end": "the end of such a run, which the run itself tells",
  "test-runs.take_results": "pieces of the test run whose beginning and end are written down",
};

/** What an operation writes where it does not end in the operation's own verb. */
const OTHER_WORDS: Record<string, string> = {
  "oauth.answer": "oauth_grant.consent",
  "oauth.grant_tokens": "oauth_token.grant",
  "scim.create_user": "scim.user.create",
  "scim.replace_user": "scim.user.update",
  "scim.change_user": "scim.user.update",
  "scim.delete_user": "scim.user.delete",
  "scim.create_group": "scim.group.create",
  "scim.replace_group": "scim.group.update",
  "scim.change_group": "scim.group.update",
  "scim.delete_group": "scim.group.delete",
  "ingest.upload": "trace.ingest",
  "ingest.upload_hosted": "trace.ingest",
  "ingest.webhook": "trace.ingest",
  "capture.begin": "trace.capture",
  "test-runs.begin": "test_run.create",
  "traces.remove": "trace.remove",
  "share.create": "trace.share",
  "share.withdraw": "trace.unshare",
  "replays.start": "trace.replay",
};

const root = join(import.meta.dir, "..", "..", "..", "server");
const sources = new Map(
  [...new Bun.Glob("{agents,gate,watch,run,trace,identity}/**/*.ts").scanSync(root)].map((path) => [
    path,
    readFileSync(join(root, path), "utf8"),
  ]),
);
const inFolder = (noun: string): string[] =>
  [...sources].filter(([path]) => path.split("/")[1] === noun).map(([, source]) => source);

let t: TestApp;
let unsafe: { operationId: string; tags: string[] }[];
beforeAll(async () => {
  t = await testApp();
  const { paths } = await getJson<{ paths: Record<string, Record<string, (typeof unsafe)[number]>> }>(
    t,
    "/openapi.json",
  );
  unsafe = Object.values(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, operation]) => (method === "get" ? [] : [operation])),
  );
});
afterAll(() => t.close());

describe("every operation that changes something", () => {
  test("writes an audit entry, or stands in the list of those that do not, with its reason", () => {
    const silent = unsafe.filter(({ operationId, tags: [, noun = ""] }) => {
      if (operationId in NOT_AUDITED) return false;
      const verb = operationId.split(".")[1]!;
      const other = OTHER_WORDS[operationId];
      return other
        ? ![...sources.values()].some((source) => source.includes(`"${other}"`))
        : !inFolder(noun).some((source) => new RegExp(`"[a-z_]+\\.${verb}"`).test(source));
    });
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });

  test("has its place in only one of the lists, which name nothing else", () => {
    const known = new Set(unsafe.map(({ operationId }) => operationId));
    const listed = [...Object.keys(NOT_AUDITED), ...Object.keys(OTHER_WORDS)];
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe("one entry comes with", () => {
  const send = (method: string, path: string, body?: unknown) =>
    t.api(path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  /** What a call has written: its actions in order. */
  async function written(call: () => Promise<Response>): Promise<string[]> {
    const last = async () =>
      (await statement<{ seq: number }>(t.store, "SELECT max(seq) AS seq FROM audit_events"))[0]!.seq;
    const before = await last();
    const response = await call();
    expect([response.status, response.status < 300 ? "" : await response.text()]).toEqual([
      response.status,
      "",
    ]);
    const rows = await statement<{ action: string; actor_type: string }>(
      t.store,
      "SELECT action, actor_type FROM audit_events WHERE seq > ? ORDER BY seq",
      before,
    );
    return rows.map(({ action }) => action);
  }

  test("traces: pinned, shared, removed", async () => {
    const { id } = await uploadTrace(t);
    expect(await written(() => send("POST", `/v1/traces/${id}/pin`))).toEqual(["trace.pin"]);
    expect(await written(() => send("POST", `/v1/traces/${id}/unpin`))).toEqual(["trace.unpin"]);
    const share = { visibility: "public-read", expires_days: 7 };
    expect(await written(() => send("POST", `/v1/traces/${id}/share`, share))).toEqual(["trace.share"]);
    expect(await written(() => send("DELETE", `/v1/traces/${id}/share`))).toEqual(["trace.unshare"]);
    expect(await written(() => send("DELETE", `/v1/traces/${id}`))).toEqual(["trace.remove"]);
  });

  test("saved searches, secrets, captures and test runs", async () => {
    const search = { name: "red", query: "status:failed" };
    expect(await written(() => post(t, "/v1/saved-searches", search))).toEqual(["saved_search.create"]);
    const { items } = await getJson<{ items: { id: string }[] }>(t, "/v1/saved-searches");
    const path = `/v1/saved-searches/${items[0]!.id}`;
    expect(await written(() => send("PATCH", path, { name: "blue" }))).toEqual(["saved_search.change"]);
    expect(await written(() => send("DELETE", path))).toEqual(["saved_search.remove"]);
    expect(await written(() => send("PUT", "/v1/secrets/A", { value: "long enough" }))).toEqual([
      "secret.set",
    ]);
    expect(await written(() => send("DELETE", "/v1/secrets/A"))).toEqual(["secret.delete"]);
    const begun = { started_at: new Date(t.clock.now()).toISOString() };
    expect(await written(() => post(t, "/v1/test-runs", begun))).toEqual(["test_run.create"]);
  });

  test("a person's sign-out, by the person's own id", async () => {
    const headers = {
      authorization: "",
      cookie: (await signedIn(t, { userId: t.userId })).headers.cookie!,
      origin: "http://localhost",
    };
    const out = () => t.api("/v1/session/signout", { method: "POST", headers });
    expect(await written(out)).toEqual(["session.signout"]);
    const [row] = await statement(
      t.store,
      "SELECT actor_type, actor_id FROM audit_events ORDER BY seq DESC LIMIT 1",
    );
    expect(row).toEqual({ actor_type: "user", actor_id: t.userId });
  });
});

test("what is refused writes nothing", async () => {
  const count = async () =>
    (await statement<{ n: number }>(t.store, "SELECT count(*) AS n FROM audit_events"))[0]!.n;
  const before = await count();
  const key = "019ca945-0a00-72e9-9883-ff2e8308684e";
  expect((await t.api(`/v1/api-keys/${key}`, { method: "DELETE" })).status).toBe(404);
  expect((await t.api(`/v1/traces/${key}`, { method: "DELETE" })).status).toBe(404);
  expect((await post(t, "/v1/api-keys", { name: "x", scopes: [] })).status).toBe(422);
  expect(await count()).toBe(before);
});
