import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AnyElysia, Elysia, t as schema } from "elysia";
import { createErrorHandler } from "../../../server/http/on-error.ts";
import { createLog } from "../../../server/platform/log.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { growth, LINEAR } from "../../helpers/cost.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

async function bodyOf(response: Response) {
  return (await response.json()) as { error: string; message: string };
}

const json = (value: unknown) => ({
  method: "POST",
  body: typeof value === "string" ? value : JSON.stringify(value),
  headers: { "content-type": "application/json" },
});

describe("errors", () => {
  test("have an error code and a message, and nothing else", async () => {
    const response = await t.api("/v1/nope");
    expect(response.status).toBe(404);
    expect(Object.keys(await bodyOf(response))).toEqual(["error", "message"]);
  });

  test("name a bad parameter and what would be right, but not the value", async () => {
    const response = await t.api("/v1/api-keys?limit=SECRET-VALUE");
    expect(response.status).toBe(422);
    const { error, message } = await bodyOf(response);
    expect(error).toBe("validation_failed");
    expect(message).toContain('"limit"');
    expect(message).toContain("1 to 200");
    expect(message).not.toContain("SECRET-VALUE");
  });

  test("name a bad field of a body", async () => {
    const response = await t.api("/v1/api-keys", json({ name: "", scopes: ["traces:read"] }));
    expect(response.status).toBe(422);
    expect((await bodyOf(response)).message).toContain('"name"');
  });

  test("name a missing field of a body", async () => {
    const response = await t.api("/v1/api-keys", json({ scopes: ["traces:read"] }));
    expect((await bodyOf(response)).message).toContain('"name" is missing');
  });

  test("refuse a repeated query parameter, however it is spelled", async () => {
    for (const query of ["limit=1&limit=2", "limit=1&%6cimit=2", "x=1&y=2&x=1"]) {
      const response = await t.api(`/v1/traces?${query}`);
      expect(response.status).toBe(400);
      expect((await bodyOf(response)).error).toBe("invalid_request");
    }
  });

  test("leave a page's own parameters to the page", async () => {
    const response = await t.api("/traces?status=failed&status=error", { headers: { authorization: "" } });
    expect(response.status).toBe(200);
    const data = await t.api("/r/abc/events?limit=1&limit=2", { headers: { accept: "application/json" } });
    expect(data.status).toBe(400);
  });

  test("ignore unknown query parameters", async () => {
    expect((await t.api("/v1/api-keys?whatever=1")).status).toBe(200);
  });

  test("answer a wrong method with 405 and what is allowed", async () => {
    const response = await t.api("/v1/api-keys", { method: "PUT" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
    expect((await bodyOf(response)).error).toBe("method_not_allowed");
    const byId = await t.api("/v1/api-keys/019ca945-0a00-72e9-9883-ff2e8308684e");
    expect(byId.status).toBe(405);
    expect(byId.headers.get("allow")).toBe("DELETE");
  });

  test("answer with 405 where a method's route takes the words of an operation for an id", async () => {
    const routes = t.app.routes.filter(({ method }) => method !== "ALL");
    const fixed = [...new Set(routes.map(({ path }) => path))].filter((path) => !/[:*]/.test(path));
    const hidden = fixed.flatMap((path) => {
      const own = routes.filter((route) => route.path === path).map(({ method }) => method);
      const others = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !own.includes(method));
      return others.flatMap((method) =>
        t.app.router.http.find(method, path) ? [{ path, method, own }] : [],
      );
    });
    expect(hidden).toContainEqual({ path: "/v1/traces/ingest", method: "GET", own: ["POST"] });
    expect(hidden).toContainEqual({ path: "/v1/scenarios/sync", method: "GET", own: ["POST"] });
    for (const { path, method, own } of hidden) {
      const response = await t.api(path, { method });
      const allow = own.includes("GET") ? [...own, "HEAD"] : own;
      expect([method, path, response.status]).toEqual([method, path, 405]);
      expect(response.headers.get("allow")!.split(", ").sort()).toEqual(allow.sort());
      const { error, status } = (await bodyOf(response)) as { error?: string; status?: string };
      const isScim = path.startsWith("/api/v1/scim/");
      expect(isScim ? status : error).toBe(isScim ? "405" : "method_not_allowed");
    }
    const unrouted = await t.api("/v1/traces/ingest", { method: "PATCH" });
    expect([unrouted.status, unrouted.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await t.api("/v1/traces/ingest", { method: "HEAD" })).status).toBe(405);
    expect((await t.api("/v1/traces/nothing")).status).toBe(404);
  });

  test("answer a path id that is no UUID with 404", async () => {
    for (const id of ["abc", "..%2f..%2fetc", "%00", "019ca945"])
      expect((await t.api(`/v1/api-keys/${id}`, { method: "DELETE" })).status).toBe(404);
  });

  test("are pages at addresses that people open", async () => {
    const response = await t.api("/r/doesnotexist", { headers: { authorization: "" } });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(await response.text()).not.toMatch(/<script|style=/);
  });

  test("tell of a body over 1 MiB before reading it all", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(65536).fill(32));
      },
    });
    const response = await t.api("/v1/api-keys", {
      method: "POST",
      body: endless,
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(413);
    expect((await bodyOf(response)).error).toBe("body_too_large");
    expect(pulled).toBeLessThan(40);
  });

  test("refuse other media types and JSON that is none", async () => {
    const text = await t.api("/v1/api-keys", {
      method: "POST",
      body: "a=b",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(text.status).toBe(415);
    for (const body of ["{", '{"name":"\\ud8', "\u0000", "[1,2"])
      expect((await t.api("/v1/api-keys", json(body))).status).toBe(422);
    const latin = await t.api("/v1/api-keys", {
      method: "POST",
      body: new Uint8Array([0x22, 0xe9, 0x22]),
      headers: { "content-type": "application/json" },
    });
    expect(latin.status).toBe(422);
  });

  test("refuse JSON that nests without end, for no more work than they read", async () => {
    const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;
    for (const path of ["/v1/api-keys", "/internal/v1/traces", "/internal/v1/ingest-webhook"]) {
      const response = await t.api(path, json(nested(200_000)));
      expect(response.status).toBe(path === "/v1/api-keys" ? 422 : 400);
      expect((await bodyOf(response)).message).toBe("The body nests deeper than 64 levels.");
    }
    const send = (depth: number) => t.api("/v1/api-keys", json(nested(depth)));
    expect(await growth(send, 200_000)).toBeLessThan(LINEAR);
    expect((await bodyOf(await t.api("/v1/api-keys", json(nested(64))))).message).toContain(
      '"a" is not known',
    );
    const text = JSON.stringify({ name: `"\\${"[{".repeat(90)}`, scopes: ["traces:read"] });
    expect((await t.api("/v1/api-keys", json(text))).status).toBe(201);
  });

  test("say of a list what it must be", async () => {
    const body = JSON.stringify({ name: "x", scopes: ["traces:read", "traces:read"] });
    expect((await bodyOf(await t.api("/v1/api-keys", json(body)))).message).toBe(
      'The body\'s field "scopes" must be a list of 1 to 100 without repetition.',
    );
  });
});

describe("a mistake of the server", () => {
  const lines: string[] = [];
  const log = createLog({ clock: { now: () => 0 }, level: "debug", write: (line) => lines.push(line) });
  const whole = (): AnyElysia => app;
  const app = new Elysia()
    .onRequest(({ set }) => {
      set.headers["x-request-id"] = "req-1";
    })
    .onError(
      { as: "global" },
      createErrorHandler({ log, app: whole, viewer: { page: () => Promise.reject(new Error("no build")) } }),
    )
    .get("/throws", (): string => {
      throw new Error("password is hunter2");
    })
    .get("/lies", () => ({ ok: "no", key: "product_sk_of_somebody" }) as never, {
      response: schema.Object({ ok: schema.Boolean() }),
    });

  test("is answered with nothing but the request id, and logged with its cause", async () => {
    lines.length = 0;
    const response = await app.handle(new Request("http://localhost/throws"));
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain("req-1");
    expect(text).not.toContain("hunter2");
    expect(JSON.parse(text)).toMatchObject({ error: "internal" });
    expect(lines.join("")).toContain("hunter2");
    expect(lines.join("")).toContain("req-1");
  });

  test("that lies in an answer is logged by its place, without what the answer holds", async () => {
    lines.length = 0;
    expect((await app.handle(new Request("http://localhost/lies"))).status).toBe(500);
    expect(lines.join("")).toContain("/ok");
    expect(lines.join("")).not.toContain("product_sk_of_somebody");
  });

  test("is told to a reader as a page", async () => {
    const headers = { accept: "text/html" };
    const response = await app.handle(new Request("http://localhost/throws", { headers }));
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain("<h1>Something went wrong</h1>");
    expect(text).toContain("req-1");
  });

  test("does not keep a reader from being told that there is nothing at an address", async () => {
    lines.length = 0;
    const response = await app.handle(
      new Request("http://localhost/nothing", { headers: { accept: "text/html" } }),
    );
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("There is nothing here");
    expect(lines.join("")).toContain("no build");
  });

  test("that breaks an answer's own schema is a 500 too", async () => {
    const response = await app.handle(new Request("http://localhost/lies"));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: "internal" });
  });
});
