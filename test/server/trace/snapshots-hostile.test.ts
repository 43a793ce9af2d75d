import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openPage } from "../../helpers/browser.ts";
import { recordedPages, resourceLine, snapshotLine } from "../../helpers/recorded-pages.ts";

setDefaultTimeout(120_000);

const pages = recordedPages();
const { show, open, ingestMade } = pages;

describe("a hostile page", () => {
  test("runs nothing, leads nowhere and asks no other place, even when its style sheet tries", async () => {
    const run = "document.title='owned';parent.postMessage('owned','*');alert(1)";
    const id = await ingestMade(
      [
        resourceLine("http://shop.test/evil.css", "resources/evil.css", "text/css"),
        resourceLine("http://shop.test/evil.svg", "resources/evil.svg", "image/svg+xml"),
        resourceLine("http://shop.test/evil.html", "resources/evil.html", "text/html"),
        snapshotLine([
          "HTML",
          { onload: run },
          [
            "HEAD",
            {},
            ["TITLE", {}, "harmless"],
            ["META", { "http-equiv": "refresh", content: "0;url=/traces" }],
            ["LINK", { rel: "stylesheet", href: "evil.css" }],
            ["STYLE", {}, `</style><script>${run}</script>`],
          ],
          [
            "BODY",
            { onload: run, background: "http://evil.test/b.png" },
            ["SCRIPT", {}, run],
            ["IMG", { src: "x", onerror: run }],
            ["IMG", { src: "evil.svg" }],
            ["IMG", { src: "/v1/traces" }],
            ["IMG", { src: "../../../../../v1/traces" }],
            ["IFRAME", { src: `javascript:${run}`, srcdoc: `<script>${run}</script>` }],
            ["IFRAME", { src: "/snapshot/frame@2" }],
            ["OBJECT", { data: "evil.html" }],
            ["EMBED", { src: "evil.html" }],
            [
              "svg",
              { onload: run },
              ["use", { href: "http://evil.test/x.svg#a" }],
              ["image", { href: "http://evil.test/y.png" }],
            ],
            ["A", { id: "away", href: "http://evil.test/", target: "_top" }, "away"],
            [
              "FORM",
              { action: "http://evil.test/", method: "post" },
              ["BUTTON", { id: "send", formaction: "http://evil.test/" }, "send"],
            ],
            ["P", { style: "background:u\\72l(http://evil.test/p.png)" }, "text"],
            ["IMG/onerror=alert(1)/src=x", {}],
            ["NOSCRIPT", {}, `</noscript><img src=x onerror="${run}">`],
            [
              "math",
              {},
              [
                "mtext",
                {},
                [
                  "TABLE",
                  {},
                  ["mglyph", {}, ["STYLE", {}, `<!--</style><img title="--><img src=x onerror=${run}>">`]],
                ],
              ],
            ],
          ],
        ]),
        snapshotLine(["HTML", {}, ["BODY", { onload: run }, "inner", ["SCRIPT", {}, run]]], {
          frameId: "frame@2",
          isMainFrame: false,
        }),
      ],
      {
        "resources/evil.css":
          "@import 'http://evil.test/i.css';p{background:url(http://evil.test/q.png)}@font-face{font-family:a;src:\\75rl(http://evil.test/f)}p{font-family:a;behavior:url(x.htc);background:\\75 rl(http://evil.test/z)}",
        "resources/evil.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script></svg>`,
        "resources/evil.html": `<script>${run}</script>`,
      },
    );
    const { html_url } = await show(`/v1/traces/${id}/snapshots/after@call@1`);
    const { page, complaints, context } = await openPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(html_url);
    await page.locator("#away").click();
    await page.locator("#send").click();
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("harmless");
    expect(page.url()).toStartWith(html_url.split("#")[0]!);
    const root = html_url.slice(0, html_url.indexOf("/d/"));
    expect(asked.filter((url) => !url.startsWith(`${root}/`) && !url.startsWith("data:"))).toEqual([]);
    expect(
      complaints.filter((text) => !/Content Security Policy|sandboxed|decode downloaded font/.test(text)),
    ).toEqual([]);
    expect(
      page
        .frames()
        .map((frame) => frame.url())
        .filter((url) => url.includes("/d/")).length,
    ).toBe(2);
    const answer = await open(html_url);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toContain("sandbox; default-src 'none'");
    expect(policy).not.toMatch(/allow-|script-src/);
    await context.close();
  });

  test("cannot make one of its files a page or a script of this server", async () => {
    const id = await ingestMade(
      [
        snapshotLine(["HTML", {}, ["IMG", { src: "a.html" }], ["IMG", { src: "b.js" }]]),
        resourceLine("http://shop.test/a.html", "resources/a.html", "text/html"),
        resourceLine("http://shop.test/b.js", "resources/b.js", "text/javascript"),
      ],
      { "resources/a.html": "<script>alert(1)</script>", "resources/b.js": "alert(1)" },
    );
    const { html_url } = await show(`/v1/traces/${id}/snapshots/after@call@1`);
    const root = html_url.slice(0, html_url.indexOf("/d/"));
    for (const part of ["r/0", "r/1"]) {
      const answer = await open(`${root}/${part}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).not.toContain("script");
      expect(answer.headers.get("content-security-policy")).toStartWith("sandbox; default-src 'none'");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});
