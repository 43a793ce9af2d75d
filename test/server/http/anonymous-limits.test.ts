import { afterEach, describe, expect, test } from "bun:test";
import { createAnonymousLimits } from "../../../server/http/anonymous-limits.ts";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { bundle, eventLines, events, manifest, uploadForm } from "../../helpers/bundles.ts";
import { statement } from "../../helpers/statement.ts";

let t: TestApp;
afterEach(() => t?.close());

const FROM = "x-test-peer";
const peerOf = (request: Request) => request.headers.get(FROM) ?? "203.0.113.1";
const anonymous = { authorization: "" };
const BAD_KEY = "Bearer product_sk_nobody";

async function start(options: Parameters<typeof testApp>[0] = {}): Promise<void> {
  t = await testApp({ peerOf, ...options });
}

async function share(visibility = "public-read"): Promise<string> {
  const upload = uploadForm(bundle([manifest(), events(eventLines(3))]));
  const answer = await t.api("/v1/traces/ingest", { method: "POST", body: upload });
  const { trace_id } = (await answer.json()) as { trace_id: string };
  await t.runJobs();
  const shared = await t.api(`/v1/traces/${trace_id}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ visibility }),
  });
  return ((await shared.json()) as { short_id: string }).short_id;
}

/** How often each status came. */
async function statuses(times: number, ask: (index: number) => Promise<Response>) {
  const counts: Record<number, number> = {};
  for (let index = 0; index < times; index++) {
    const { status } = await ask(index);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

describe("reads of shared traces without a credential", () => {
  test("are limited to 300 a minute and address, whatever they read", async () => {
    await start();
    const shortId = await share();
    const paths = ["", "/trace", "/summary", "/events?limit=1", "/report.md"];
    const read = (index: number) =>
      t.api(`/r/${shortId}${paths[index % paths.length]}`, { headers: anonymous });
    expect(await statuses(1500, read)).toEqual({ 200: 300, 429: 1200 });
    expect(
      (await t.api(`/r/${shortId}/trace`, { headers: { ...anonymous, [FROM]: "203.0.113.2" } })).status,
    ).toBe(200);
    t.clock.advance(200);
    expect(await statuses(2, read)).toEqual({ 200: 1, 429: 1 });
  });

  test("count guessed links, HEAD and readers that send a bad credential", async () => {
    await start({ settings: { rate_limits: { anonymous: { shares_per_minute: 20 } } } });
    const shortId = await share();
    const asks: RequestInit[] = [
      { headers: anonymous },
      { headers: anonymous, method: "HEAD" },
      { headers: { authorization: BAD_KEY } },
      { headers: { ...anonymous, cookie: "product_session=ended" } },
    ];
    const answers = await statuses(40, (index) =>
      t.api(index % 2 ? `/r/guess${index}` : `/r/${shortId}/trace`, asks[(index >> 1) % 4]),
    );
    expect(answers).toEqual({ 200: 10, 404: 10, 429: 20 });
  });

  test("tell what is left, and refuse with a page where people look and with JSON where programs do", async () => {
    await start({ settings: { rate_limits: { anonymous: { shares_per_minute: 2 } } } });
    const shortId = await share();
    const first = await t.api(`/r/${shortId}/trace`, { headers: anonymous });
    expect(first.headers.get("ratelimit-policy")).toBe('"share";q=2;w=60');
    expect(first.headers.get("ratelimit")).toBe('"share";r=1;t=30');
    await t.api(`/r/${shortId}/trace`, { headers: anonymous });
    const page = await t.api(`/r/${shortId}`, { headers: anonymous });
    expect(page.status).toBe(429);
    expect(page.headers.get("retry-after")).toBe("30");
    expect(page.headers.get("ratelimit")).toStartWith('"share";r=0;');
    expect(page.headers.get("content-type")).toContain("text/html");
    expect(await page.text()).toContain("Too many requests");
    const data = await t.api(`/r/${shortId}/trace`, {
      headers: { ...anonymous, accept: "application/json" },
    });
    expect(await data.json()).toMatchObject({ error: "rate_limited" });
  });

  test("are not what members are limited by: they count against their org's reads, and pages against none", async () => {
    await start({
      settings: { rate_limits: { reads_per_minute: 5, anonymous: { shares_per_minute: 1 } } },
    });
    const shortId = await share("org-only");
    const first = await t.api(`/r/${shortId}/trace`);
    expect(first.headers.get("ratelimit-policy")).toBe('"read";q=5;w=60');
    expect(await statuses(9, () => t.api(`/r/${shortId}/trace`))).toEqual({ 200: 4, 429: 5 });
    expect((await t.api(`/r/${shortId}.md`)).status).toBe(200);
  });

  test("of one IPv6 customer are counted together", async () => {
    await start({ settings: { rate_limits: { anonymous: { shares_per_minute: 3 } } } });
    const shortId = await share();
    const from = (address: string) =>
      t.api(`/r/${shortId}/trace`, { headers: { ...anonymous, [FROM]: address } });
    expect(await statuses(6, (index) => from(`2001:db8:0:1::${index + 1}`))).toEqual({ 200: 3, 429: 3 });
    expect((await from("2001:db8:0:2::1")).status).toBe(200);
  });
});

describe("credentials that are refused", () => {
  test("are limited to 30 a minute and address, while a good one from there always passes", async () => {
    await start();
    const guess = (index: number) =>
      t.api("/v1/traces", {
        headers:
          index % 2 ? { authorization: BAD_KEY } : { ...anonymous, cookie: `product_session=${index}` },
      });
    expect(await statuses(800, guess)).toEqual({ 401: 30, 429: 770 });
    const refused = await guess(1);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(refused.headers.get("ratelimit-policy")).toBe('"failed-authentication";q=30;w=60');
    expect(await refused.json()).toMatchObject({ error: "rate_limited" });
    expect((await t.api("/v1/traces")).status).toBe(200);
    const elsewhere = { authorization: BAD_KEY, [FROM]: "203.0.113.9" };
    expect((await t.api("/v1/traces", { headers: elsewhere })).status).toBe(401);
  });

  test("are counted on routes that take a body, and for internal tokens", async () => {
    await start({ settings: { internal_service_token: "right" } });
    const send = (index: number) =>
      index % 2
        ? t.api("/v1/api-keys", { method: "POST", headers: { authorization: BAD_KEY } })
        : t.api("/internal/v1/traces", {
            method: "POST",
            headers: { ...anonymous, "x-internal-token": "wrong" },
          });
    expect(await statuses(40, send)).toEqual({ 401: 30, 429: 10 });
  });

  test("are told apart from requests without any, which are no failures", async () => {
    await start();
    expect(await statuses(100, () => t.api("/v1/traces", { headers: anonymous }))).toEqual({ 401: 100 });
    expect((await t.api("/v1/traces", { headers: { authorization: BAD_KEY } })).status).toBe(401);
  });
});

describe("signing in", () => {
  const link = async () => {
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "http://localhost" });
    return t.api(url.slice("http://localhost".length), { headers: anonymous });
  };

  test("is limited to 10 a minute and address, and a code that was refused for it stays good", async () => {
    await start();
    expect(await statuses(10, link)).toEqual({ 302: 10 });
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "http://localhost" });
    const again = () => t.api(url.slice("http://localhost".length), { headers: anonymous });
    const refused = await again();
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("6");
    expect(refused.headers.get("content-type")).toContain("text/html");
    t.clock.advance(6_000);
    expect((await again()).status).toBe(302);
  });

  test("by guessed codes is limited as well, and keeps no good one out", async () => {
    await start();
    const guess = (index: number) => t.api(`/signin?code=guess${index}`, { headers: anonymous });
    expect(await statuses(25, guess)).toEqual({ 401: 10, 429: 15 });
    expect((await link()).status).toBe(302);
    expect((await t.api("/signin", { headers: anonymous })).status).toBe(200);
  });
});

describe("addresses", () => {
  test("are those of sockets", async () => {
    t = await testApp({ settings: { rate_limits: { anonymous: { shares_per_minute: 4 } } } });
    const base = t.listen();
    const read = (index: number) =>
      fetch(`${base}/r/guess`, {
        method: index % 2 ? "HEAD" : "GET",
        headers: { "x-forwarded-for": `198.51.100.${index}` },
      });
    expect(await statuses(8, read)).toEqual({ 404: 4, 429: 4 });
  });

  test("behind a trusted proxy are those that it names, in the audit log too", async () => {
    t = await testApp({
      flags: { trustProxy: true },
      settings: { rate_limits: { anonymous: { shares_per_minute: 1 } } },
    });
    const base = t.listen();
    const read = (forwarded: string) =>
      fetch(`${base}/r/guess`, { headers: { "x-forwarded-for": forwarded } });
    expect((await read("198.51.100.1")).status).toBe(404);
    expect((await read("198.51.100.2")).status).toBe(404);
    expect((await read("203.0.113.5, 198.51.100.2")).status).toBe(429);
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base });
    await fetch(url, { redirect: "manual", headers: { "x-forwarded-for": "198.51.100.7" } });
    const [row] = await statement(t.store, "SELECT ip FROM audit_events WHERE action = 'session.signin'");
    expect(row).toEqual({ ip: "198.51.100.7" });
  });

  test("are remembered up to a number, and for no more work when there are many", () => {
    const limits = { shares_per_minute: 1, failed_authentications_per_minute: 1, sign_ins_per_minute: 1 };
    const anonymousLimits = createAnonymousLimits({ clock: createTestClock(), limits, addressOf: peerOf });
    const ask = (address: string) => {
      try {
        anonymousLimits.take("share", new Request("http://localhost/", { headers: { [FROM]: address } }));
        return "taken";
      } catch {
        return "refused";
      }
    };
    const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    expect([ask(address(0)), ask(address(0))]).toEqual(["taken", "refused"]);
    for (let index = 1; index <= 19_999; index++) ask(address(index));
    expect(ask(address(0))).toBe("refused");
    for (let index = 20_000; index <= 40_000; index++) ask(address(index));
    expect(ask(address(0))).toBe("taken");
  });
});
