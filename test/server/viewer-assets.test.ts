import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createViewerAssets, type ViewerAssets } from "../../server/viewer-assets.ts";
import { type TestApp, testApp } from "../helpers/app.ts";

const script = `console.log("${"x".repeat(5000)}")`;
let loads: number;
let failing: boolean;
let assets: ViewerAssets;
const nothing = async () => {
  throw new Error("nothing is drawn here");
};
beforeEach(() => {
  loads = 0;
  failing = false;
  assets = createViewerAssets(
    async () => {
      loads++;
      if (failing) throw new Error("build failed");
      return {
        html: '<html><link rel="stylesheet" href="./page-1.css"><script src="./main-1.js"></script><a href="./other">x</a></html>',
        pageScripts: { "viewer/pages/trace.tsx": ["trace-1.js", "shared-1.js"] },
        files: [
          {
            name: "main-1.js",
            type: "text/javascript;charset=utf-8",
            bytes: async () => Buffer.from(script),
          },
          { name: "page-1.css", type: "text/css", bytes: async () => Buffer.from("a{}") },
          { name: "shot-1.png", type: "image/png", bytes: async () => new Uint8Array(4000) },
        ],
      };
    },
    { trace: nothing, docs: nothing, signin: nothing },
  );
});

const ask = (headers: Record<string, string> = {}) => new Request("http://localhost/", { headers });

describe("the viewer's files", () => {
  test("are built when somebody asks, once", async () => {
    expect(loads).toBe(0);
    await Promise.all([assets.page(ask()), assets.page(ask()), assets.asset(ask(), "main-1.js")]);
    expect(loads).toBe(1);
  });

  test("are built again after a build that failed", async () => {
    failing = true;
    expect(assets.page(ask())).rejects.toThrow("build failed");
    await assets.page(ask()).catch(() => {});
    failing = false;
    expect((await assets.page(ask())).status).toBe(200);
  });

  test("are named below /assets/ in the page, other links are left alone", async () => {
    const html = await (await assets.page(ask())).text();
    expect(html).toContain('href="/assets/page-1.css"');
    expect(html).toContain('src="/assets/main-1.js"');
    expect(html).toContain('href="./other"');
  });

  test("a page tells with itself what it is going to ask for", async () => {
    const needs = { module: "viewer/pages/trace.tsx", answers: ["/v1/traces/1/summary"] } as const;
    const page = await assets.page(ask(), { needs: { ...needs, answers: [...needs.answers] } });
    expect(page.headers.get("link")).toBe(
      "</v1/traces/1/summary>; rel=preload; as=fetch; crossorigin, " +
        "</assets/trace-1.js>; rel=modulepreload, </assets/shared-1.js>; rel=modulepreload",
    );
    expect((await assets.page(ask())).headers.get("link")).toBeNull();
  });

  test("come packed in the best way the client takes", async () => {
    const encoding = async (accept: string) =>
      (await assets.asset(ask({ "accept-encoding": accept }), "main-1.js"))!.headers.get("content-encoding");
    expect(await encoding("gzip, deflate, br, zstd")).toBe("zstd");
    expect(await encoding("gzip, deflate, br")).toBe("gzip");
    expect(await encoding("zstd;q=0, gzip")).toBe("gzip");
    expect(await encoding("gzip;q=0")).toBeNull();
    expect(await encoding("")).toBeNull();
    const zstd = await assets.asset(ask({ "accept-encoding": "zstd" }), "main-1.js");
    expect(Buffer.from(await Bun.zstdDecompress(await zstd!.bytes())).toString()).toBe(script);
    const gzip = await assets.asset(ask({ "accept-encoding": "gzip" }), "main-1.js");
    expect(Buffer.from(Bun.gunzipSync(await gzip!.bytes())).toString()).toBe(script);
  });

  test("that are small or packed already are sent as they are", async () => {
    for (const name of ["page-1.css", "shot-1.png"])
      expect(
        (await assets.asset(ask({ "accept-encoding": "zstd" }), name))!.headers.has("content-encoding"),
      ).toBe(false);
  });

  test("are kept for ever by browsers, the page is asked for again, and 304 says that it is the same", async () => {
    const file = (await assets.asset(ask(), "main-1.js"))!;
    expect(file.headers.get("cache-control")).toContain("immutable");
    const page = await assets.page(ask());
    expect(page.headers.get("cache-control")).toBe("no-cache");
    for (const [first, again] of [
      [file, (etag: string) => assets.asset(ask({ "if-none-match": etag }), "main-1.js")],
      [page, (etag: string) => assets.page(ask({ "if-none-match": etag }))],
    ] as const) {
      const second = (await again(first.headers.get("etag")!))!;
      expect(second.status).toBe(304);
      expect(await second.text()).toBe("");
      expect((await again('"other"'))!.status).toBe(200);
    }
  });

  test("of other names are none", async () => {
    for (const name of ["nope.js", "..", "__proto__", ""]) expect(await assets.asset(ask(), name)).toBeNull();
  });
});

describe("the viewer's page", () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp();
  });
  afterAll(() => t.close());
  const open = { headers: { authorization: "" } };

  test.each(["/", "/traces", "/traces/019ca945-0a00-72e9-9883-ff2e8308684e", "/signin"])(
    "is at %p, under a policy that runs nothing inline",
    async (path) => {
      const response = await t.api(path, open);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      const policy = response.headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      const html = await response.text();
      expect(html).not.toMatch(
        /<script(?![^>]*\s(?:src=|type="application\/json"))[^>]*>[^<]|\sstyle=|\son\w+=|<style/,
      );
    },
  );

  test("names files that are there", async () => {
    const html = await (await t.api("/", open)).text();
    const names = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect((await t.api(name, open)).status).toBe(200);
  });

  test("does not swallow addresses of the API", async () => {
    for (const path of ["/v1", "/v1/nope", "/traces/a/b", "/api/nope", "/assets", "/internal/v1/nope"]) {
      const response = await t.api(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get("content-type")).toContain("application/json");
    }
  });
});
