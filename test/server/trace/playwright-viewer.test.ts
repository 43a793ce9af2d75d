import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { inlineScriptHashes, playwrightViewerUrl } from "../../../server/trace/playwright-viewer/service.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { playwrightZip, uploadForm } from "../../helpers/bundles.ts";

describe("Playwright's own viewer", () => {
  let app: TestApp;
  let link: URL;

  beforeAll(async () => {
    app = await testApp();
    const body = uploadForm(playwrightZip());
    const answer = await app.api("/v1/traces/ingest", { method: "POST", body });
    const { trace_id } = (await answer.json()) as { trace_id: string };
    await app.runJobs();
    const detail = await app.api(`/v1/traces/${trace_id}`);
    link = new URL(((await detail.json()) as { playwright_viewer_url: string }).playwright_viewer_url);
  });

  afterAll(() => app.close());

  const get = (url: URL | string, headers: Record<string, string> = {}) => {
    const target = new URL(url, link);
    return app.app.handle(new Request(target, { headers: { host: target.host, ...headers } }));
  };

  test("opens at the loopback name that the reader does not use, where there is one", () => {
    const sign = (base: string) => `${base}/files/x?signature=s`;
    expect(playwrightViewerUrl("http://localhost:4173", sign)).toBe(
      "http://127.0.0.1:4173/playwright-viewer/index.html?trace=http%3A%2F%2F127.0.0.1%3A4173%2Ffiles%2Fx%3Fsignature%3Ds",
    );
    expect(playwrightViewerUrl("http://127.0.0.1:80", sign)).toStartWith(
      "http://localhost/playwright-viewer/",
    );
    expect(playwrightViewerUrl("https://traces.example.com", sign)).toBeNull();
    expect(playwrightViewerUrl("http://192.168.1.5:4173", sign)).toBeNull();
  });

  test("the link needs no key: the page, its files and the archive answer", async () => {
    expect(link.hostname).toBe("127.0.0.1");
    const page = await get(link);
    expect(page.status).toBe(200);
    const html = await page.text();
    const names = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(5);
    for (const name of [...names, "sw.bundle.js", "snapshot.html"]) {
      expect({ name, status: (await get(`/playwright-viewer/${name}`)).status }).toEqual({
        name,
        status: 200,
      });
    }
    const archive = await get(link.searchParams.get("trace")!);
    expect(archive.status).toBe(200);
    expect(
      Buffer.from(await archive.bytes())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
  });

  test("opens nothing but a signed archive of this server", async () => {
    const page = "/playwright-viewer/index.html";
    const altered = new URL(link.searchParams.get("trace")!);
    altered.searchParams.set("expires", "9999999999");
    expect((await get(page)).status).toBe(404);
    expect((await get(`${page}?trace=https://evil.example/trace.zip`)).status).toBe(404);
    expect((await get("/playwright-viewer/uiMode.html?trace=https://evil.example/trace.zip")).status).toBe(
      404,
    );
    expect((await get(`${page}?trace=javascript:alert(1)`)).status).toBe(404);
    expect((await get(`${page}?trace=/files/x`)).status).toBe(404);
    expect((await get(`${page}?trace=${encodeURIComponent(altered.href)}`)).status).toBe(403);
    const now = app.clock.now();
    app.clock.set(now + 2 * 60 * 60_000);
    expect((await get(link)).status).toBe(403);
    app.clock.set(now);
  });

  test("neither its page nor its worker may reach another origin, and only its own inline script runs", async () => {
    const page = await get(link);
    const policy = page.headers.get("content-security-policy") ?? "";
    const html = await page.text();
    expect(inlineScriptHashes(html)).toHaveLength(1);
    expect(policy).toContain(inlineScriptHashes(html)[0]!);
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(policy).not.toMatch(/https?:/);
    const worker = await get("/playwright-viewer/sw.bundle.js");
    expect(worker.headers.get("content-type")).toContain("javascript");
    expect(worker.headers.get("content-security-policy")).toContain("default-src 'self'");
  });

  test("a session of that name ends before anything captured is shown", async () => {
    expect((await get(link)).headers.get("set-cookie")).toBeNull();
    const cookie = (await get(link, { cookie: "a=b; product_session=secret" })).headers.get("set-cookie");
    expect(cookie).toContain("product_session=;");
    expect(cookie).toContain("Max-Age=0");
  });

  test.each([
    "/playwright-viewer/",
    "/playwright-viewer/..%2f..%2fpackage.json",
    "/playwright-viewer/%2e%2e/cli.ts",
    "/playwright-viewer/assets",
    "/playwright-viewer/%00",
    "/playwright-viewer/constructor",
  ])("%s is not one of its files", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
