import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { openPage } from "../../helpers/browser.ts";
import { recordedPages, snapshotLine } from "../../helpers/recorded-pages.ts";

setDefaultTimeout(120_000);

const pages = recordedPages();

const RUN = "window.owned=1;document.title='owned';parent.postMessage('owned','*')";
const HOSTILE = [
  "HTML",
  { onload: RUN },
  [
    "HEAD",
    {},
    ["TITLE", {}, "harmless"],
    ["BASE", { href: "http://evil.test/" }],
    ["META", { "http-equiv": "refresh", content: "0;url=http://evil.test/" }],
    ["META", { "http-equiv": "content-security-policy", content: "script-src * 'unsafe-inline'" }],
    ["SCRIPT", { src: "inspector.js" }, RUN],
    ["STYLE", {}, `</style><script>${RUN}</script>`],
  ],
  [
    "BODY",
    { onload: RUN, onclick: RUN },
    ["SCRIPT", {}, RUN],
    ["IMG", { src: "x", onerror: RUN }],
    ["A", { id: "link", href: `javascript:${RUN}` }, "away"],
    ["IFRAME", { src: `javascript:${RUN}`, srcdoc: `<script>${RUN}</script>` }],
    ["IFRAME", { src: "/snapshot/frame@2" }],
    [
      "svg",
      { onload: RUN },
      ["script", {}, RUN],
      ["a", { "xlink:href": `javascript:${RUN}` }, ["text", {}, "x"]],
    ],
    ["TEMPLATE", {}, ["SCRIPT", {}, RUN]],
    [
      "FORM",
      { action: `javascript:${RUN}` },
      // Each would stand in the place of a property of its form.
      ...[
        "getAttribute",
        "localName",
        "parentNode",
        "childNodes",
        "children",
        "attributes",
        "hasAttribute",
      ].map((name) => ["INPUT", { name }]),
      ["INPUT", { id: "getRootNode" }],
      ["INPUT", { name: "closest", "aria-label": "Name of a method" }],
      ["BUTTON", { name: "shadowRoot", "aria-label": 'it\'s "quoted"\n\\ & <b>' }, "Send"],
    ],
    ["DIV", { "aria-hidden": "true" }, ["BUTTON", {}, "covered"]],
    ["DIV", { style: "display:none" }, ["BUTTON", {}, "absent"]],
    [
      "DIV",
      { style: "visibility:hidden" },
      ["BUTTON", {}, "invisible"],
      ["BUTTON", { style: "visibility:visible" }, "seen"],
    ],
    ["DIV", { style: "display:contents" }, ["BUTTON", {}, "contained"]],
  ],
];

interface Made {
  inspect_url: string;
}

interface Answer {
  call: number;
  answer: Record<string, unknown> | null;
}

const inspectUrl = async (id: string) =>
  ((await pages.show(`/v1/traces/${id}/snapshots/after@call@1`)) as unknown as Made).inspect_url;

const madeHostile = () =>
  pages.ingestMade([
    snapshotLine(HOSTILE),
    snapshotLine(["HTML", {}, ["BODY", { onload: RUN }, ["SCRIPT", {}, RUN]]], {
      frameId: "frame@2",
      isMainFrame: false,
    }),
  ]);

/** Frames the page as the viewer does and speaks with its inspector; `own` is what the framing page is. */
async function talk(
  page: Page,
  at: string,
  own: string,
  calls: [string, ...unknown[]][],
  isInTurn = false,
): Promise<unknown[]> {
  await page.route(own, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!DOCTYPE html><title>own</title>" }),
  );
  await page.goto(own);
  return page.evaluate(
    ([src, wanted, isInTurn]) =>
      new Promise<unknown[]>((resolve) => {
        const heard: unknown[] = [];
        addEventListener("message", ({ data }) => {
          heard.push(["forged", data]);
          resolve(heard);
        });
        const frame = document.createElement("iframe");
        frame.setAttribute("sandbox", "allow-scripts");
        frame.src = src;
        frame.onload = () => {
          const { port1, port2 } = new MessageChannel();
          let next = 0;
          const say = () => {
            const [name, ...args] = wanted[next] ?? [];
            port1.postMessage({ call: next, name, args });
            next += 1;
          };
          port1.onmessage = ({ data }) => {
            heard.push(data);
            if (heard.length === wanted.length) resolve(heard);
            else if (isInTurn) say();
          };
          frame.contentWindow!.postMessage("tracedeck-inspect-1", "*", [port2]);
          for (let first = isInTurn ? 1 : wanted.length; first > 0; first--) say();
          document.title = "said";
        };
        document.body.append(frame);
      }),
    [at, calls, isInTurn] as [string, [string, ...unknown[]][], boolean],
  );
}

describe("an inspected page", () => {
  test("runs the inspector and nothing of what was captured", async () => {
    const url = await inspectUrl(await madeHostile());
    const { page, context } = await openPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const heard = await talk(page, url, `${new URL(url).origin}/own`, [
      ["start"],
      ["tree", 1000],
      ["try", "getByRole('button')", "data-testid"],
      ["constructor"],
      ["try", "getByText(", "data-testid"],
    ]);
    const answers = heard.toSorted((a, b) => (a as { call: number }).call - (b as { call: number }).call) as {
      answer?: unknown;
      refusal?: string;
    }[];
    expect(answers.map((one) => "forged" in one || Array.isArray(one))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(answers[0]?.answer).toMatchObject({ silentFrames: 1 });
    const { nodes } = answers[1]!.answer as { nodes: { role: string; name: string }[] };
    const named = nodes.filter(({ role }) => role === "button" || role === "textbox").map(({ name }) => name);
    expect(named).toContain("Name of a method");
    expect(named).toContain('it\'s "quoted" \\ & <b>');
    expect(named).toContain("seen");
    expect(named).toContain("contained");
    for (const hidden of ["covered", "absent", "invisible"]) expect(named).not.toContain(hidden);
    expect(answers[2]?.answer).toMatchObject({ total: 3 });
    expect(answers[3]).toEqual({ call: 3, answer: null } as never);
    expect(answers[4]?.refusal).toContain("A value should stand here");
    const inspected = page.frames().filter((frame) => frame.url().includes("/i/"));
    expect(inspected).toHaveLength(2);
    for (const inner of inspected) {
      expect(await inner.evaluate(() => [window.origin, "owned" in window])).toEqual(["null", false]);
      expect(await inner.locator("script").count()).toBe(0);
    }
    expect(await inspected[0]!.title()).toBe("harmless");
    const root = url.slice(0, url.indexOf("/i/"));
    expect(asked.filter((one) => !one.startsWith(`${root}/`) && !one.endsWith("/own"))).toEqual([]);
    await context.close();
  });

  test("does not answer a page of another origin", async () => {
    const url = await inspectUrl(await madeHostile());
    const { page, context } = await openPage();
    const heard = talk(page, url, "http://stranger.test/", [["start"]]);
    await page.waitForFunction(() => document.title === "said");
    // What comes after the call, from where it would be answered.
    const inner = (await (await page.waitForSelector("iframe")).contentFrame())!;
    await inner.evaluate(() => setTimeout(() => parent.postMessage("later", "*")));
    expect(await heard).toEqual([["forged", "later"]]);
    await context.close();
  });

  test("has a policy that names one script, and the grant opens that script and no other", async () => {
    const url = await inspectUrl(await madeHostile());
    const root = url.slice(0, url.indexOf("/i/"));
    const answer = await fetch(url);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).toStartWith(
      `sandbox allow-scripts; default-src 'none'; script-src ${root}/inspector.js; `,
    );
    expect(policy).not.toMatch(/same-origin|unsafe-inline'[^;]*script|connect-src|allow-[^s]/);
    expect(await answer.text()).toStartWith(
      '<!DOCTYPE html><script defer src="../../inspector.js"></script>',
    );
    const script = await pages.open(`${root}/inspector.js`);
    expect(script.status).toBe(200);
    expect(script.headers.get("content-type")).toContain("javascript");
    expect(script.headers.get("x-content-type-options")).toBe("nosniff");
    const altered = root.replace(/.(?=.{5}$)/, (sign) => (sign === "A" ? "B" : "A"));
    expect((await pages.open(`${altered}/inspector.js`)).status).toBe(403);
    expect((await pages.open(url.replace(root, altered))).status).toBe(403);
  });

  test("of 50,000 elements reads a tree that says what it left out, and answers other calls meanwhile", async () => {
    const rows = Array.from({ length: 12_500 }, (_, index) => [
      "LI",
      {},
      ["SPAN", {}, `Row ${index}`],
      ["A", { href: "#" }, `Open ${index}`],
      ["BUTTON", { "data-testid": `b${index}` }, "Buy"],
    ]);
    const id = await pages.ingestMade([snapshotLine(["HTML", {}, ["BODY", {}, ["UL", {}, ...rows]]])]);
    const { page, context } = await openPage();
    const url = await inspectUrl(id);
    const heard = (await talk(page, url, `${new URL(url).origin}/own`, [
      ["tree", 5000],
      ["try", "getByRole('link', { name: 'Open 12499' })", "data-testid"],
      ["detail", "40", "data-testid"],
      ["start"],
    ])) as Answer[];
    // The long ones let the short one through.
    expect(heard[0]).toMatchObject({ call: 3, answer: { elements: 50_004 } });
    const [tree, tried, detail] = heard.toSorted((a, b) => a.call - b.call).map(({ answer }) => answer);
    expect(tree?.nodes).toHaveLength(5000);
    expect(tree?.leftOut as number).toBeGreaterThan(40_000);
    expect(tried).toMatchObject({ total: 1 });
    expect(detail?.suggestions).not.toEqual([]);
    await context.close();
  });

  test("names each element by locators that find as much in Playwright, and the first of them only it", async () => {
    const { id } = await pages.viewer().ingest("v10-failing");
    const event = (await pages.snapshotEvents(id)).findLast((one) => one.is_main_frame)!;
    const { inspect_url: url, html_url } = (await pages.show(pages.pathFor(id, event))) as unknown as Made & {
      html_url: string;
    };
    const { page, context } = await openPage();
    const calls = Array.from({ length: 40 }, (_, element): [string, ...unknown[]] => [
      "detail",
      String(element),
      "data-testid",
    ]);
    // In turn: a newer wish for details ends an older one.
    const heard = (await talk(page, url, `${new URL(url).origin}/own`, calls, true)) as Answer[];
    await page.goto(html_url);
    const wrong: string[] = [];
    let tried = 0;
    for (const { answer } of heard) {
      const { suggestions, tag } = (answer ?? { suggestions: [] }) as {
        tag: string;
        suggestions: { code: string; count: number }[];
      };
      if (tag?.startsWith("script")) continue;
      if (suggestions[0] && suggestions[0].count !== 1)
        wrong.push(`${tag}: ${suggestions[0].code} is not alone`);
      for (const { code, count } of suggestions) {
        tried += 1;
        const found: number = await new Function("page", `return page.${code}`)(page).count();
        if (found !== count) wrong.push(`${tag}: ${code} ${count}, in Playwright ${found}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(30);
    await context.close();
  });
});
