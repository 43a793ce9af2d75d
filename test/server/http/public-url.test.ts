import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSigninLink } from "../../../server/identity/sessions/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { getJson, post, uploadTrace } from "../../helpers/traces.ts";

const PUBLIC = "https://t.example";
/** As a proxy may spell the public name, or hand on another one. */
const OUTSIDE = ["t.example", "t.example:443", "T.EXAMPLE", "t.example.", "T.example.:443"];
const LOOPBACK = ["127.0.0.1", "127.0.0.1:4173", "localhost:4173", "[::1]:4173"];

let t: TestApp;
let traceId: string;
beforeAll(async () => {
  t = await testApp({ flags: { publicUrl: PUBLIC, host: "192.168.7.7" } });
  traceId = (await uploadTrace(t)).id;
});
afterAll(() => t.close());

async function signIn(host: string): Promise<Response> {
  const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "" });
  return t.api(url, { headers: { host, authorization: "" } });
}

const share = (host: string) =>
  post(t, `/v1/traces/${traceId}/share`, { visibility: "public-read" }, { host });
const links = async (host: string) => {
  const answer = await t.api(`/v1/traces/${traceId}`, { headers: { host } });
  return Object.values(((await answer.json()) as { signed_urls: Record<string, string> }).signed_urls);
};

describe("with an https public URL", () => {
  test.each(OUTSIDE)("whoever comes as %p gets https links, a Secure cookie and HSTS", async (host) => {
    const signedIn = await signIn(host);
    expect(signedIn.status).toBe(302);
    expect(signedIn.headers.get("set-cookie")).toEndWith("; SameSite=Lax; Secure");
    expect(signedIn.headers.get("strict-transport-security")).toBe("max-age=31536000");
    const urls = await links(host);
    expect(urls.length).toBeGreaterThan(0);
    for (const url of urls) expect(url).toStartWith(`${PUBLIC}/files/`);
  });

  test("that holds for every other name than this machine's own", async () => {
    expect((await signIn("192.168.7.7:4173")).headers.get("set-cookie")).toEndWith("; Secure");
    for (const url of await links("192.168.7.7:4173")) expect(url).toStartWith("https://192.168.7.7:4173/");
  });

  test.each(LOOPBACK)(
    "whoever comes as %p is on this machine: cookies and signed links stay there",
    async (host) => {
      const signedIn = await signIn(host);
      expect(signedIn.headers.get("set-cookie")).toEndWith("; SameSite=Lax");
      expect(signedIn.headers.has("strict-transport-security")).toBe(false);
      for (const url of await links(host)) expect(url).toStartWith(`http://${host}/files/`);
    },
  );

  test.each([...OUTSIDE, ...LOOPBACK])(
    "links that leave, asked for as %p, name the public URL",
    async (host) => {
      const { url, short_id } = (await (await share(host)).json()) as { url: string; short_id: string };
      expect(url).toBe(`${PUBLIC}/r/${short_id}`);
      const shown = (await (await t.api(`/v1/traces/${traceId}/share`, { headers: { host } })).json()) as {
        url: string;
      };
      expect(shown.url).toBe(url);
      for (const path of [
        `/v1/traces/${traceId}/report.md`,
        `/r/${short_id}.md`,
        `/r/${short_id}/report.md`,
      ]) {
        const report = await (await t.api(path, { headers: { host } })).text();
        expect(report).toContain(`${PUBLIC}/traces/${traceId}`);
        expect(report).not.toContain("http://");
      }
    },
  );

  test("a page of the public name may post, however a proxy spells that name", async () => {
    for (const host of [...OUTSIDE, "127.0.0.1"]) {
      const cookie = (await signIn(host)).headers.get("set-cookie")!.split(";")[0]!;
      const signOut = (origin: string) =>
        t.api("/v1/session/signout", {
          method: "POST",
          headers: { host, origin, cookie, authorization: "" },
        });
      expect((await signOut("https://evil.example")).status).toBe(403);
      expect((await signOut("null")).status).toBe(403);
      expect((await signOut(PUBLIC)).status).toBe(204);
    }
  });

  test("a name that only begins or ends like it is refused, without HSTS", async () => {
    for (const host of ["t.example.evil.example", "xt.example", "t.example..", "t.example:443:1"]) {
      const answer = await t.api("/health", { headers: { host } });
      expect(answer.status).toBe(421);
      expect(answer.headers.has("strict-transport-security")).toBe(false);
    }
  });
});

test("without a public URL every link names the address that was asked, by http", async () => {
  const plain = await testApp();
  const { id } = await uploadTrace(plain);
  const answer = await post(
    plain,
    `/v1/traces/${id}/share`,
    { visibility: "public-read" },
    { host: "localhost:4173" },
  );
  expect(((await answer.json()) as { url: string }).url).toStartWith("http://localhost:4173/r/");
  expect(answer.headers.has("strict-transport-security")).toBe(false);
  expect(Object.values((await getJson(plain, `/v1/traces/${id}`)).signed_urls)[0]).toStartWith(
    "http://localhost/",
  );
  await plain.close();
});
