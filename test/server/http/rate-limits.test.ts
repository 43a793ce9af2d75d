import { afterEach, describe, expect, test } from "bun:test";
import { type TestApp, testApp } from "../../helpers/app.ts";

let t: TestApp;
afterEach(() => t.close());

const limited = (limits: Record<string, number>) => testApp({ settings: { rate_limits: limits } });

describe("rate limits", () => {
  test("are told in every authenticated answer", async () => {
    t = await testApp();
    const response = await t.api("/api/v1/me");
    expect(response.headers.get("ratelimit-policy")).toBe('"read";q=600;w=60');
    expect(response.headers.get("ratelimit")).toBe('"read";r=599;t=1');
  });

  test("let a minute's worth through, then answer 429 with Retry-After until a token is back", async () => {
    t = await limited({ reads_per_minute: 6 });
    for (let i = 0; i < 6; i++) expect((await t.api("/api/v1/me")).status).toBe(200);
    const refused = await t.api("/api/v1/me");
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: "rate_limited" });
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(refused.headers.get("ratelimit")).toStartWith('"read";r=0;');
    t.clock.advance(9_000);
    expect((await t.api("/api/v1/me")).status).toBe(429);
    t.clock.advance(1_100);
    expect((await t.api("/api/v1/me")).status).toBe(200);
    expect((await t.api("/api/v1/me")).status).toBe(429);
  });

  test("refill to no more than a minute's worth", async () => {
    t = await limited({ reads_per_minute: 2 });
    t.clock.advance(3_600_000);
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await t.api("/api/v1/me")).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test("count reads and writes apart", async () => {
    t = await limited({ reads_per_minute: 1, writes_per_minute: 1 });
    expect((await t.api("/api/v1/me")).status).toBe(200);
    const write = await t.api("/v1/session/signout", { method: "POST" });
    expect(write.status).toBe(204);
    expect(write.headers.get("ratelimit-policy")).toBe('"write";q=1;w=60');
    expect((await t.api("/v1/session/signout", { method: "POST" })).status).toBe(429);
    expect((await t.api("/api/v1/me")).status).toBe(429);
  });

  test("count refused requests too", async () => {
    t = await limited({ reads_per_minute: 3 });
    expect((await t.api("/v1/api-keys?limit=x")).status).toBe(422);
    expect((await t.api("/api/v1/me", { headers: { "x-org-id": "other" } })).status).toBe(403);
    expect((await t.api("/v1/api-keys")).status).toBe(200);
    expect((await t.api("/v1/api-keys")).status).toBe(429);
  });

  test("do not count health, pages and requests without a credential", async () => {
    t = await limited({ reads_per_minute: 1 });
    await t.tick();
    for (const path of ["/health", "/readyz", "/openapi.json", "/assets/notice.css"])
      expect((await t.api(path)).status).toBe(200);
    expect((await t.api("/api/v1/me", { headers: { authorization: "" } })).status).toBe(401);
    expect((await t.api("/api/v1/me")).status).toBe(200);
  });

  test("are not fooled by a wall clock that jumps", async () => {
    t = await limited({ reads_per_minute: 1 });
    expect((await t.api("/api/v1/me")).status).toBe(200);
    t.clock.set(t.clock.now() + 3_600_000);
    expect((await t.api("/api/v1/me")).status).toBe(429);
    t.clock.set(0);
    expect((await t.api("/api/v1/me")).status).toBe(429);
  });
});
