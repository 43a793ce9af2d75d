import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import {
  createDialectFinder,
  dialectOf,
  inDialect,
  translate,
  unusableStatus,
} from "../../../server/http/dialect.ts";
import { AppError, notFound } from "../../../server/http/errors.ts";
import type { AuthRequirement } from "../../../server/identity/auth.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { ownerCookie } from "../../helpers/oauth.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp({
    settings: { rate_limits: { writes_per_minute: 100_000, ingests_per_minute: 100_000 } },
  });
});
afterAll(() => t.close());

/** The monitoring API's nouns (decisions, section 4): whoever adds one to them adds it here and in its routes. */
const MONITORING_NOUNS = [
  ...["agent-signup", "alert-policies", "api-keys", "audit-events", "billing"],
  ...["incidents", "invitations"],
  ...[
    "maintenance-windows",
    "mender",
    "members",
    "monitoring",
    "notification-channels",
    "onboarding",
    "orgs",
    "profile",
    "runs",
    "scenarios",
  ],
  ...["scheduled_checks", "scim", "secrets", "session/org", "shadow-diff", "status", "webhook-deliveries"],
  ...[
    "code-host",
    "deployments",
    "gate/decision",
    "gates",
    "inbound-deliveries",
    "pull-requests",
    "webhooks/github",
  ],
];
const MONITORING = new RegExp(`^/v1/(${MONITORING_NOUNS.join("|")})(/|$)`);
/** What RFC 6749 and those after it say how to answer. */
const OAUTH = /^\/(api\/oauth|\.well-known)\//;
const SCIM = /^\/api\/v1\/scim\//;
const dialectAt = (path: string) => {
  if (MONITORING.test(path)) return "monitoring";
  if (OAUTH.test(path)) return "oauth";
  return SCIM.test(path) ? "scim" : "trace";
};
const ID = "6f0c2b5e-4d0b-4c59-8b0e-2f1f0a7c9d11";

const addressOf = (path: string) => path.replace(/:sha256/g, "a".repeat(64)).replace(/:\w+/g, ID);

describe("every route", () => {
  test("names the dialect of the part of the API that it belongs to", () => {
    const named = t.app.routes.map(({ method, path, hooks }) => [method, path, dialectOf(hooks?.detail)]);
    expect(named.length).toBeGreaterThan(100);
    expect(named).toEqual(t.app.routes.map(({ method, path }) => [method, path, dialectAt(path)]));
  });

  test("is found by an address that it takes", () => {
    const find = createDialectFinder(() => t.app);
    for (const { method, path, hooks } of t.app.routes) {
      const address = addressOf(path);
      expect([method, path, find(method, address)]).toEqual([method, path, dialectOf(hooks?.detail)]);
      expect([method, path, find(method, `${address}/`)]).toEqual([method, path, dialectOf(hooks?.detail)]);
    }
  });

  test("that takes a credential answers input that it cannot use in its dialect", async () => {
    const guarded = t.app.routes.filter(({ hooks }) => "x-auth" in (hooks?.detail ?? {}));
    expect(guarded.length).toBeGreaterThan(50);
    const person = { authorization: "", cookie: await ownerCookie(t), origin: "http://localhost" };
    for (const { method, path, hooks } of guarded) {
      const auth = (hooks.detail as { "x-auth": AuthRequirement })["x-auth"];
      const needsPerson = auth.role !== undefined || auth.person === true;
      const headers: Record<string, string> = needsPerson ? person : {};
      const { status } = await t.api(`${addressOf(path)}?twice=1&twice=2`, { method, headers });
      expect([method, path, status]).toEqual([method, path, unusableStatus(dialectOf(hooks?.detail))]);
    }
  });
});

describe("what has no route", () => {
  test("is an error of the trace API", async () => {
    const find = createDialectFinder(() => t.app);
    expect(find("GET", "/v1/runs/a/b/c/d")).toBe("trace");
    expect(find("DELETE", "/v1/runs")).toBe("trace");
    expect((await t.api("/v1/runs/a/b/c/d?x=1&x=2")).status).toBe(404);
    expect((await t.api("/v1/runs?x=1&x=2", { method: "DELETE" })).status).toBe(405);
  });
});

describe("a dialect", () => {
  test("stands in the detail of one route, or of a plugin for all its routes, and the route's own counts", () => {
    const plugin = new Elysia({ name: "noun", detail: inDialect("monitoring") })
      .get("/nouns/:id", () => "one")
      .get("/nouns/list", () => "all", { detail: inDialect("trace") })
      .get("/nouns/:id/*", () => "rest", { detail: { ...inDialect("trace"), summary: "The rest" } });
    const find = createDialectFinder(() => new Elysia().use(plugin).get("/other", () => "other"));
    expect(find("GET", "/nouns/1")).toBe("monitoring");
    expect(find("GET", "/nouns/list")).toBe("trace");
    expect(find("GET", "/nouns/1/a/b")).toBe("trace");
    expect(find("GET", "/other")).toBe("trace");
    expect(find("POST", "/nouns/1")).toBe("trace");
  });

  test("changes the name of input that cannot be used, and of nothing else", () => {
    const unusable = new AppError("invalid_request", "No.", { headers: { "x-why": "so" } });
    expect(translate("trace", unusable)).toBe(unusable);
    expect(translate("monitoring", unusable)).toMatchObject({
      kind: "validation_failed",
      status: 422,
      message: "No.",
      headers: { "x-why": "so" },
    });
    const missing = notFound("This");
    expect(translate("monitoring", missing)).toBe(missing);
  });
});
