import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { uploadTrace } from "../../helpers/traces.ts";

const UNKNOWN = "019ca945-0a00-72e9-9883-ff2e8308684e";

let t: TestApp;
let cookie = "";
let trace: { id: string; shortId: string };

beforeAll(async () => {
  t = await testApp();
  trace = await uploadTrace(t, { slug: "guest-checkout" });
  const link = await createSigninLink(t.deps, { orgId: t.orgId, base: "http://localhost" });
  const { pathname, search } = new URL(link.url);
  const signedIn = await t.api(pathname + search, { headers: { authorization: "" } });
  cookie = signedIn.headers.get("set-cookie")!.split(";", 1)[0]!;
});
afterAll(() => t.close());

/** As a browser asks when somebody types an address. */
const BROWSER = {
  authorization: "",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-dest": "document",
  "sec-fetch-mode": "navigate",
};
const visit = (path: string, headers: Record<string, string> = {}) =>
  t.api(path, { headers: { ...BROWSER, ...headers } });
const member = (path: string) => visit(path, { cookie });
const isViewer = async (response: Response) => (await response.text()).includes('<div id="app">');

describe("a browser at an address", () => {
  test("that nothing is at gets the viewer, with 404", async () => {
    for (const path of ["/nothing", "/failures/x", "/traces/x/y", "/runs/x/y", "/storage/full", "/a%00b"]) {
      const response = await visit(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get("content-security-policy")).toContain("default-src 'self'");
      expect(response.headers.get("link")).toContain("rel=modulepreload");
      expect(await isViewer(response)).toBe(true);
    }
  });

  test("without Sec-Fetch headers is told by what it takes", async () => {
    const headers = { authorization: "", accept: "text/html, */*;q=0.1" };
    expect(await isViewer(await t.api("/nothing", { headers }))).toBe(true);
    const framed = await visit("/nothing", { "sec-fetch-dest": "image" });
    expect(framed.headers.get("content-type")).toContain("application/json");
  });

  test("of a thing that does not exist gets the viewer, with 404", async () => {
    for (const path of [
      "/traces/unknown-id",
      `/traces/${UNKNOWN}`,
      "/runs/x",
      `/runs/${UNKNOWN}`,
      "/scenarios/no-such-thing",
      "/scenarios/No%20Such",
      `/shadow-diff/${UNKNOWN}`,
    ]) {
      const response = await member(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await isViewer(response)).toBe(true);
    }
    for (const path of [`/traces/${trace.id}`, "/scenarios/guest-checkout"])
      expect([path, (await member(path)).status]).toEqual([path, 200]);
  });

  test("is not told what exists before it is signed in", async () => {
    for (const path of [`/traces/${UNKNOWN}`, `/runs/${UNKNOWN}`, "/scenarios/no-such-thing"])
      expect([path, (await visit(path)).status]).toEqual([path, 200]);
    expect((await visit(`/traces/${trace.shortId}`)).status).toBe(404);
  });

  test("with a short id in place of an id is led to the trace", async () => {
    const response = await member(`/traces/${trace.shortId}?step=s2`);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`/traces/${trace.id}?step=s2`);
  });

  test("that has gone 404 is never told that what it keeps is still good", async () => {
    const first = await visit("/nothing");
    const again = await visit("/nothing", { "if-none-match": first.headers.get("etag")! });
    expect(again.status).toBe(404);
  });

  test("that needs a session is led to the sign-in page, with the way back", async () => {
    const body = JSON.stringify({ visibility: "org-only" });
    const headers = { "content-type": "application/json" };
    await t.api(`/v1/traces/${trace.id}/share`, { method: "POST", body, headers });
    const path = `/r/${trace.shortId}/report.md`;
    const response = await visit(`${path}?x=1`);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`/signin?next=${encodeURIComponent(`${path}?x=1`)}`);
    expect((await visit(path, { cookie })).status).toBe(200);
    const program = await t.api(path, { headers: { authorization: "", accept: "application/json" } });
    expect(program.status).toBe(401);
    expect(await program.json()).toMatchObject({ error: "unauthorized" });
  });
});

describe("a program", () => {
  test("gets JSON wherever nothing is", async () => {
    for (const accept of ["*/*", "application/json"]) {
      const response = await t.api("/nothing", { headers: { accept } });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: "not_found", message: "This address does not exist." });
    }
    expect((await t.api("/nothing", { method: "POST", headers: BROWSER })).status).toBe(404);
  });

  test("'s addresses answer JSON to a browser too", async () => {
    for (const path of ["/v1/nothing", `/v1/traces/${UNKNOWN}`, "/assets/nothing.js", "/files/nothing"]) {
      const response = await member(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({ error: "not_found" });
    }
    expect((await visit("/v1/traces")).status).toBe(401);
  });
});
