import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createOrg } from "../../../server/identity/orgs.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";

let t: TestApp;
beforeEach(async () => {
  t = await testApp({ settings: { internal_service_token: "let-me-in" } });
});
afterEach(() => t.close());

const MANIFEST = JSON.stringify({ version: 1, scenario: { slug: "checkout", title: "Checkout" } });

function begin(headers: Record<string, string>) {
  return t.api("/internal/v1/traces", {
    method: "POST",
    body: MANIFEST,
    headers: { authorization: "", "content-type": "application/json", ...headers },
  });
}

describe("the internal token", () => {
  test("opens /internal/ under either of its names, for the only org", async () => {
    for (const name of ["x-internal-token", "internal_service_token"]) {
      const response = await begin({ [name]: "let-me-in" });
      expect(response.status).toBe(201);
      const { trace_id } = (await response.json()) as { trace_id: string };
      expect((await t.api(`/v1/traces/${trace_id}`)).status).toBe(200);
    }
  });

  test("opens nothing else, and nothing when it is wrong", async () => {
    expect((await begin({})).status).toBe(401);
    expect((await begin({ "x-internal-token": "let-me-i" })).status).toBe(401);
    expect((await begin({ "x-internal-token": "" })).status).toBe(401);
    const headers = { authorization: "", "x-internal-token": "let-me-in" };
    expect((await t.api("/v1/traces", { headers })).status).toBe(401);
  });

  test("does not help a bad bearer token", async () => {
    const response = await begin({ authorization: "Bearer nonsense", "x-internal-token": "let-me-in" });
    expect(response.status).toBe(401);
  });

  test("must say for which org when there are several", async () => {
    const other = await createOrg(t.deps, "other");
    const unsaid = await begin({ "x-internal-token": "let-me-in" });
    expect(unsaid.status).toBe(400);
    expect(await unsaid.text()).toContain("x-org-id");
    const said = await begin({ "x-internal-token": "let-me-in", "x-org-id": other.org_id });
    expect(said.status).toBe(201);
    const { trace_id } = (await said.json()) as { trace_id: string };
    expect((await t.api(`/v1/traces/${trace_id}`)).status).toBe(403);
    const foreign = await begin({
      "x-internal-token": "let-me-in",
      "x-org-id": "019ca945-0a00-72e9-9883-ff2e8308684e",
    });
    expect(foreign.status).toBe(403);
  });

  test("opens nothing where none is set", async () => {
    const none = await testApp();
    const headers = { authorization: "", "x-internal-token": "", "content-type": "application/json" };
    for (const token of ["", "null", "undefined"]) {
      const response = await none.api("/internal/v1/traces", {
        method: "POST",
        body: MANIFEST,
        headers: { ...headers, "x-internal-token": token },
      });
      expect(response.status).toBe(401);
    }
    await none.close();
  });
});

describe("ingest", () => {
  test("without the scope traces:write is 401, where other routes say 403", async () => {
    const created = await t.api("/v1/api-keys", {
      method: "POST",
      body: JSON.stringify({ name: "reader", scopes: ["traces:read"] }),
      headers: { "content-type": "application/json" },
    });
    const { key } = (await created.json()) as { key: string };
    const headers = { authorization: `Bearer ${key}` };
    for (const path of ["/v1/traces/ingest", "/v1/trace/traces/ingest"]) {
      const response = await t.api(path, { method: "POST", body: new FormData(), headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.headers.get("ratelimit-policy")).toBe('"ingest";q=30;w=60');
      expect(await response.text()).toContain("traces:write");
    }
    const pin = await t.api("/v1/traces/019ca945-0a00-72e9-9883-ff2e8308684e/pin", {
      method: "POST",
      headers,
    });
    expect(pin.status).toBe(403);
  });
});
