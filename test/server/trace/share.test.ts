import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { person } from "../../helpers/org-people.ts";
import { getJson, otherOrg, pathOf, post, uploadTrace } from "../../helpers/traces.ts";

const DAY = 86_400_000;

let app: TestApp;
let id: string;
let shortId: string;
const anonymous = { headers: { authorization: "" } };

beforeAll(async () => {
  app = await testApp();
  const lines = eventLines(5, (seq) => (seq === 2 ? { body: `sha256:${sha256("shared")}` } : {}));
  ({ id, shortId } = await uploadTrace(app, { entries: [events(lines), blob("shared")] }));
});
afterAll(() => app.close());

const share = (body: unknown) => post(app, `/v1/traces/${id}/share`, body);
const open = (path = "", init: RequestInit = anonymous) => app.api(`/r/${shortId}${path}`, init);

/** Every address below a link. */
function sharedPaths(): string[] {
  const paths = app.app.routes
    .filter(({ method, path }) => method === "GET" && path.startsWith("/r/"))
    .map(({ path }) =>
      path
        .replace(":shortId", shortId)
        .replace(":sha256", sha256("shared"))
        .replace(":name", "before@call@1"),
    );
  expect(paths.length).toBeGreaterThan(10);
  return paths;
}

describe("sharing", () => {
  test.each([
    ["visibility", {}],
    ["visibility", { visibility: "public" }],
    ["visibility", { visibility: null }],
    ["expires_days", { visibility: "public-read", expires_days: 0 }],
    ["expires_days", { visibility: "public-read", expires_days: 366 }],
    ["expires_days", { visibility: "public-read", expires_days: "7" }],
    ["expires_days", { visibility: "public-read", expires_days: null }],
    ["expires_days", { visibility: "public-read", expires_days: 1.5 }],
  ])("a bad %s is 400 and named: %j", async (name, body) => {
    const response = await share(body);
    expect(response.status).toBe(400);
    const answer = (await response.json()) as { error: string; message: string };
    expect(answer.error).toBe("invalid_request");
    expect(answer.message).toContain(`"${name}"`);
  });

  test("the answer names the link and its end; sharing again keeps the link", async () => {
    const first = await share({ visibility: "public-read" });
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({
      short_id: shortId,
      url: `http://localhost/r/${shortId}`,
      visibility: "public-read",
      expires_at: new Date(app.clock.now() + 7 * DAY).toISOString(),
    });
    const second = await share({ visibility: "org-only", expires_days: 365 });
    expect(await second.json()).toEqual({
      short_id: shortId,
      url: `http://localhost/r/${shortId}`,
      visibility: "org-only",
      expires_at: new Date(app.clock.now() + 365 * DAY).toISOString(),
    });
    expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({ share_visibility: "org-only" });
  });
});

describe("the shared page", () => {
  test("public: page, embed and data without a credential; only openings of a page count", async () => {
    await share({ visibility: "public-read" });
    for (const [path, ancestors] of [
      ["", "frame-ancestors 'none'"],
      ["/embed", "frame-ancestors *"],
    ] as const) {
      const page = await open(path);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toStartWith("text/html");
      expect(page.headers.get("content-security-policy")).toContain(ancestors);
      expect(page.headers.get("cache-control")).toBe("no-store");
    }
    const shared = (await (await open("/trace")).json()) as Record<string, unknown>;
    expect(shared).toMatchObject({ short_id: shortId, status: "passed", share_visibility: "public-read" });
    expect(JSON.stringify(shared.scenario_id)).toBeUndefined();
    expect((await open("/summary")).status).toBe(200);
    expect(await (await open("/events?limit=1")).json()).toMatchObject({ total: 5 });
    expect(await (await open("/stream?after=3")).text()).toContain('data: {"seq":4');
    expect((await open("/report.md")).headers.get("content-type")).toStartWith("text/markdown");
    await open("", { method: "HEAD", ...anonymous });
    const state = await getJson<{ views: number; last_viewed_at: string }>(app, `/v1/traces/${id}/share`);
    expect(state.views).toBe(2);
    expect(state.last_viewed_at).toBe(new Date(app.clock.now()).toISOString());
  });

  test("a link leads to this trace's blobs only, and its files end with the share", async () => {
    await share({ visibility: "public-read" });
    const redirect = await open(`/blob/${sha256("shared")}`);
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get("cache-control")).toBe("no-store");
    const file = pathOf(redirect.headers.get("location")!);
    const served = await app.api(file, anonymous);
    expect(await served.text()).toBe("shared");
    expect(served.headers.get("content-security-policy")).toContain("frame-ancestors *");
    expect((await open(`/blob/${sha256("other")}`)).status).toBe(404);
    await app.api(`/v1/traces/${id}/share`, { method: "DELETE" });
    expect((await app.api(file, anonymous)).status).toBe(403);
  });

  test("what was public and is for the org only now is no longer read by links from before", async () => {
    await share({ visibility: "public-read" });
    const shared = (await (await open("/trace")).json()) as { signed_urls: { ndjson: string } };
    const file = pathOf(shared.signed_urls.ndjson);
    expect((await app.api(file, anonymous)).status).toBe(200);
    await share({ visibility: "org-only" });
    const refused = await app.api(file, anonymous);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: "signature_invalid" });
    const again = (await (await open("/trace", {})).json()) as typeof shared;
    expect((await app.api(pathOf(again.signed_urls.ndjson), anonymous)).status).toBe(200);
    await share({ visibility: "public-read" });
    expect((await app.api(file, anonymous)).status).toBe(200);
  });

  test("nothing else is reached by a link, and nothing is changed through it", async () => {
    await share({ visibility: "public-read" });
    for (const path of [`/v1/traces/${id}`, `/v1/traces/${shortId}`, "/v1/traces"])
      expect((await app.api(path, anonymous)).status).toBe(401);
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const path of ["", "/trace", "/events"]) {
        const response = await open(path, { method, ...anonymous });
        expect([method, path, response.status]).toEqual([method, path, 405]);
        expect(response.headers.get("allow")).toContain("GET");
      }
    for (const path of ["/pin", "/export", "/facets", "/trace/x"])
      expect([path, (await open(path)).status]).toEqual([path, 404]);
  });

  test("org-only: without a session the page leads to sign-in and back, data is 401; the org sees it, others do not", async () => {
    await share({ visibility: "org-only" });
    const page = await open("?step=a&t=1");
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe(
      `/signin?next=${encodeURIComponent(`/r/${shortId}?step=a&t=1`)}`,
    );
    const refused = await open("/trace");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    expect((await open("/events")).status).toBe(401);
    expect((await open("/trace", {})).status).toBe(200);
    expect((await open("", {})).status).toBe(200);
    const other = await otherOrg(app);
    expect((await other.api(`/r/${shortId}`)).status).toBe(404);
    expect((await other.api(`/r/${shortId}/events`)).status).toBe(404);
  });

  test("org-only: a member sees it whichever of their orgs the session stands for, as long as they are one", async () => {
    await share({ visibility: "org-only" });
    const [owner, member, billing] = [
      await person(app, "owner"),
      await person(app, "member"),
      await person(app, "billing"),
    ];
    for (const [one, slug] of [
      [member, "theirs"],
      [billing, "books"],
    ] as const) {
      const made = await one.send<{ id: string }>("POST", "/v1/orgs", { slug });
      expect((await one.send("POST", "/v1/session/org", { org_id: made.body.id })).status).toBeLessThan(300);
    }
    expect((await member.call(`/r/${shortId}/trace`)).status).toBe(200);
    expect((await billing.call(`/r/${shortId}/trace`)).status).toBe(403);
    await owner.send("DELETE", `/v1/members/${member.userId}`);
    expect((await member.call(`/r/${shortId}/trace`)).status).toBe(404);
  });

  test("org-only: a credential of the org that may not read traces is 403 at every path, and counts as no opening", async () => {
    await share({ visibility: "org-only" });
    const made = await post(app, "/v1/api-keys", { name: "books", scopes: ["billing:read"] });
    const { key } = (await made.json()) as { key: string };
    const headers = { authorization: `Bearer ${key}` };
    const { views } = await getJson<{ views: number }>(app, `/v1/traces/${id}/share`);
    const paths = sharedPaths();
    for (const path of [...paths, `/r/${shortId}.md`]) {
      const refused = await app.api(`${path}?q=line`, {
        headers: { ...headers, accept: "application/json" },
      });
      expect([path, refused.status]).toEqual([path, 403]);
      expect(await refused.json()).toEqual({
        error: "insufficient_scope",
        message: expect.stringContaining("traces:read"),
      });
    }
    expect((await getJson<{ views: number }>(app, `/v1/traces/${id}/share`)).views).toBe(views);
    await share({ visibility: "public-read" });
    expect((await open("/events", { headers })).status).toBe(200);
  });

  test("no search engine is to list any of it, nor the files that it links to", async () => {
    await share({ visibility: "public-read" });
    const { signed_urls: files } = (await (await open("/trace")).json()) as { signed_urls: object };
    for (const path of [...sharedPaths(), `/r/${shortId}.md`, ...Object.values(files).map(pathOf)]) {
      const { headers } = await app.api(path, anonymous);
      expect([path, headers.get("x-robots-tag")]).toEqual([path, "noindex"]);
    }
  });

  test("unknown, expired and withdrawn links are the same 404 page, at every path", async () => {
    const text = async (path: string) => {
      const response = await app.api(path, anonymous);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toStartWith("text/html");
      return response.text();
    };
    const unknown = await text("/r/unknownShort");
    expect(unknown).toContain("This link no longer works");

    await share({ visibility: "public-read", expires_days: 1 });
    app.clock.advance(DAY - 1);
    expect((await open()).status).toBe(200);
    app.clock.advance(1);
    expect(await text(`/r/${shortId}`)).toBe(unknown);
    expect(await text(`/r/${shortId}/embed`)).toBe(unknown);
    for (const path of [
      "/trace",
      "/summary",
      "/events",
      "/stream",
      "/report.md",
      `/blob/${sha256("shared")}`,
    ])
      expect([path, (await open(path)).status]).toEqual([path, 404]);
    expect((await app.api(`/v1/traces/${id}/share`)).status).toBe(404);
    expect(await getJson(app, `/v1/traces/${id}`)).toMatchObject({
      share_visibility: null,
      share_expires_at: null,
    });

    await share({ visibility: "public-read" });
    for (let times = 0; times < 2; times++)
      expect((await app.api(`/v1/traces/${id}/share`, { method: "DELETE" })).status).toBe(204);
    expect(await text(`/r/${shortId}`)).toBe(unknown);
    const actions = await app.store.records
      .selectFrom("audit_events")
      .select("action")
      .where("target", "=", id)
      .execute();
    expect(actions.filter(({ action }) => action === "trace.unshare").length).toBeGreaterThan(0);
  });
});
