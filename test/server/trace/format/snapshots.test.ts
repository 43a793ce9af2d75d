import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rewriteCss } from "../../../../server/trace/format/playwright/snapshot-css.ts";
import { renderSnapshot } from "../../../../server/trace/format/playwright/snapshot-html.ts";
import {
  createSnapshotIndexer,
  type SnapshotIndex,
} from "../../../../server/trace/format/playwright/snapshot-index.ts";
import { gatherTrees, numberNodes } from "../../../../server/trace/format/playwright/snapshot-tree.ts";
import { growth, LINEAR } from "../../../helpers/cost.ts";
import { options } from "./playwright-harness.ts";

const links = {
  resource: (url: string) => (url.includes("gone") ? null : `r:${url}`),
  sheet: (url: string) => (url.includes("gone") ? null : `c:${url}`),
  frame: (id: string) => (id === "gone" ? null : `d:${id}`),
};
const BASE = "http://shop.test/a/b";

/** Renders the last of a frame's snapshots. */
async function render(...roots: unknown[]): Promise<string> {
  const at = roots.length - 1;
  const all = roots.map(numberNodes);
  const trees = await gatherTrees(at, async (index) => all[index] ?? null);
  return renderSnapshot({ trees, at, names: ["call@1"], url: BASE, doctype: "html", links });
}

const body = (...children: unknown[]) => ["HTML", {}, ["BODY", {}, ...children]];
const rendered = async (...children: unknown[]) => {
  const html = await render(body(...children));
  return html.slice("<!DOCTYPE html><HTML><BODY>".length, -"</BODY></HTML>".length);
};

describe("a style sheet", () => {
  const css = (text: string) => rewriteCss(text, "http://shop.test/css/main.css", links);

  test("has its URLs pointed to what was recorded, however they are written", () => {
    expect(css("a{background:url(../i/x.png)}")).toBe('a{background:url("r:http://shop.test/i/x.png")}');
    expect(css("a{background:URL( 'x y.png' )}")).toBe(
      'a{background:url("r:http://shop.test/css/x%20y.png")}',
    );
    expect(css('a{src:url("//cdn.test/f.woff2")}')).toBe('a{src:url("r:http://cdn.test/f.woff2")}');
    expect(css('@import "more.css" screen;')).toBe('@import url("c:http://shop.test/css/more.css") screen;');
    expect(css("@import url(more.css);")).toBe('@import url("c:http://shop.test/css/more.css");');
    expect(css("a{b:u\\72l(x.png) \\000075RL(gone)}")).toBe(
      'a{b:url("r:http://shop.test/css/x.png") url("data:,")}',
    );
    expect(css("a{b:url(\\78.png)}")).toBe('a{b:url("r:http://shop.test/css/x.png")}');
  });

  test("loads nothing for what was not recorded", () => {
    expect(css("a{b:url(gone.png)}")).toBe('a{b:url("data:,")}');
    expect(css("@import 'gone.css';a{}")).toBe('@-tracedeck-missing "";a{}');
  });

  test("keeps local references, data, comments and strings", () => {
    for (const text of [
      'a{filter:url("#blur")}',
      'a{b:url("data:image/png;base64,AA")}',
      "/* url(x) */",
      '"url(x)"',
    ])
      expect(css(text)).toBe(text);
  });

  test("takes every element as defined, as it was when its scripts had run", () => {
    expect(css("x-a:not(:defined){display:none}")).toBe("x-a:not(:not(._)){display:none}");
  });

  test("of any text is rewritten in time that grows with its length", async () => {
    for (const part of ["url(", "/*", '"', "@import ", "url( ", "url('", "\\"]) {
      expect(await growth((length) => css(part.repeat(length)), 100_000)).toBeLessThan(LINEAR);
    }
  });
});

describe("a recorded page", () => {
  test("takes up what earlier snapshots of its frame recorded, over several steps", async () => {
    const first = body(["P", {}, "one"], ["P", {}, "two"]);
    const second = ["HTML", {}, ["BODY", {}, [[1, 1]], ["P", {}, "changed"]]];
    // Numbers: 0 "one", 1 P, 2 "two", 3 P; then 0 "changed", 1 P, 2 BODY, 3 HTML.
    const third = ["HTML", {}, [[1, 2]]];
    expect(await render(first, second, third)).toBe(
      "<!DOCTYPE html><HTML><BODY><P>one</P><P>changed</P></BODY></HTML>",
    );
    expect(await render(first, [[1, 5]])).toContain("<P>two</P>");
  });

  test("shows form values, choices and text areas as they were", async () => {
    expect(await rendered(["INPUT", { __playwright_value_: 'a"b', value: "old" }])).toBe(
      '<INPUT value="a&quot;b">',
    );
    expect(await rendered(["INPUT", { type: "checkbox", __playwright_checked_: "true" }])).toContain(
      'checked=""',
    );
    expect(
      await rendered(["INPUT", { type: "radio", checked: "", __playwright_checked_: "false" }]),
    ).not.toContain("checked");
    expect(await rendered(["OPTION", { __playwright_selected_: "true" }, "x"])).toBe(
      '<OPTION selected="">x</OPTION>',
    );
    expect(await rendered(["TEXTAREA", { __playwright_value_: "</textarea><b>" }, "old"])).toBe(
      "<TEXTAREA>\n&lt;/textarea&gt;&lt;b&gt;</TEXTAREA>",
    );
  });

  test("has its shadow roots and adopted style sheets without a script", async () => {
    const root = [
      "template",
      { __playwright_shadow_root_: "open" },
      ["B", {}, "inside"],
      ["template", { __playwright_style_sheet_: "b{color:red}" }],
    ];
    expect(await rendered(["X-A", {}, root, "light"])).toBe(
      '<X-A><template shadowrootmode="open"><B>inside</B><style>b{color:red}</style></template>light</X-A>',
    );
  });

  test("marks the target of its own action, in the form of any version", async () => {
    for (const mark of ["", "call@1"])
      expect(await rendered(["B", { __playwright_target__: mark, style: "top:0" }])).toStartWith(
        '<B style="top:0;outline:',
      );
    expect(await rendered(["B", { __playwright_target__: "call@0" }])).toBe("<B></B>");
  });

  test("scrolls to where it was", async () => {
    const html = await render(["HTML", { __playwright_scroll_top_: "120" }, ["BODY", {}, "x"]]);
    expect(html).toContain('<i id="tracedeck-scroll" style="position:absolute;top:120px;left:0px');
    const box = await rendered([
      "DIV",
      { __playwright_scroll_top_: "7", __playwright_scroll_left_: "9" },
      "x",
    ]);
    expect(box).toContain("top:7px;left:9px");
    expect(box).toContain("scroll-initial-target:nearest");
  });

  test("loads only what was recorded", async () => {
    expect(await rendered(["IMG", { src: "x.png", srcset: "a.png 1x, gone.png 2x" }])).toBe(
      '<IMG src="r:http://shop.test/a/x.png" srcset="r:http://shop.test/a/a.png 1x">',
    );
    expect(await rendered(["IMG", { src: "gone.png", alt: "?" }])).toBe('<IMG alt="?">');
    expect(
      await rendered([
        "IMG",
        { src: "s.png", srcset: "l.png 2x", __playwright_current_src__: "http://shop.test/l.png" },
      ]),
    ).toBe('<IMG src="r:http://shop.test/l.png">');
    expect(await rendered(["LINK", { rel: "stylesheet", href: "m.css" }])).toBe(
      '<LINK rel="stylesheet" href="c:http://shop.test/a/m.css">',
    );
    expect(await rendered(["IFRAME", { src: "/snapshot/frame@2", srcdoc: "<b>" }])).toBe(
      '<IFRAME src="d:frame@2" sandbox=""></IFRAME>',
    );
  });

  test("reads a list of pictures in time that grows with it", async () => {
    const listed = (length: number) => rendered(["IMG", { srcset: `${"a".repeat(length)} b c` }]);
    expect(await growth(listed, 40_000)).toBeLessThan(LINEAR);
  });

  test("starts relative URLs where the page did", async () => {
    const html = await render([
      "HTML",
      {},
      ["HEAD", {}, ["BASE", { href: "http://cdn.test/v1/" }]],
      ["BODY", {}, ["IMG", { src: "x.png" }]],
    ]);
    expect(html).toContain('src="r:http://cdn.test/v1/x.png"');
    expect(html).not.toContain("BASE");
  });

  test("acts in no way", async () => {
    const gone: unknown[] = [
      ["SCRIPT", {}, "alert(1)"],
      ["script", { src: "x.js" }],
      ["BASE", { href: "http://evil.test/" }],
      ["META", { "http-equiv": "refresh", content: "0;url=http://evil.test/" }],
      ["LINK", { rel: "preload", href: "x" }],
      ["LINK", { rel: "icon", href: "x" }],
      ["OBJECT", { data: "x" }],
      ["EMBED", { src: "x" }],
      ["B onload=alert(1)", {}],
      ["animate", { attributeName: "xlink:href", to: "javascript:alert(1)" }],
    ];
    for (const element of gone) expect(await rendered(element)).toBe("");
    const cleaned: [unknown, string][] = [
      [["A", { href: "javascript:alert(1)", ping: "http://evil.test" }, "x"], '<A href="#_">x</A>'],
      [["A", { href: "http://evil.test/", target: "_top", download: "" }, "x"], '<A href="#_">x</A>'],
      [["FORM", { action: "http://evil.test/", method: "post", id: "f" }], '<FORM id="f"></FORM>'],
      [["BUTTON", { formaction: "http://evil.test/", OnClick: "alert(1)" }], "<BUTTON></BUTTON>"],
      [["P", { onclick: "alert(1)", "data-x": "\tjava", 'x"><script>': "1" }], '<P data-x="\tjava"></P>'],
      [["P", { cite: " javascript:alert(1)" }], "<P></P>"],
      [
        ["XMP", {}, "</xmp><script>alert(1)</script>"],
        "<PRE>\n&lt;/xmp&gt;&lt;script&gt;alert(1)&lt;/script&gt;</PRE>",
      ],
      [
        ["STYLE", {}, "a{}</style><script>alert(1)</script>"],
        "<STYLE>a{}\\3c /style>\\3c script>alert(1)\\3c /script></STYLE>",
      ],
      [["IFRAME", { src: "javascript:alert(1)", sandbox: "allow-scripts" }], '<IFRAME sandbox=""></IFRAME>'],
      [["svg", {}, ["a", { "xlink:href": "javascript:alert(1)" }]], '<svg><a xlink:href="#_"></a></svg>'],
      [["template", { shadowrootmode: "open" }, "x"], "<template>x</template>"],
      [
        ["INPUT", { autofocus: "", type: "image", src: "javascript:alert(1)" }],
        '<INPUT type="image" src="r:javascript:alert(1)">',
      ],
    ];
    for (const [element, markup] of cleaned) expect(await rendered(element)).toBe(markup);
  });

  test("of any shape is rendered, bounded, and without an element that runs", async () => {
    const node = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.tuple(fc.tuple(fc.integer({ min: -2, max: 3 }), fc.integer({ min: -1, max: 9 }))),
        fc
          .tuple(
            fc.oneof(
              fc.constantFrom("SCRIPT", "STYLE", "TEXTAREA", "template", "IFRAME", "svg", "HTML"),
              fc.string(),
            ),
            fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.anything()),
            fc.array(tie("node"), { maxLength: 4 }),
          )
          .map(([name, attributes, children]) => [name, attributes, ...children]),
        fc.anything(),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 4 }), async (roots) => {
        const html = await render(...roots);
        expect(html).not.toMatch(/<script|<base|<object/i);
      }),
      { numRuns: 300 },
    );
  });

  test("that doubles with every snapshot ends at a bound", async () => {
    const roots: unknown[] = [["HTML", {}, "x".repeat(1000)]];
    for (let at = 1; at < 60; at++)
      roots.push(["HTML", {}, [[1, at === 1 ? 1 : 0]], [[1, at === 1 ? 1 : 0]]]);
    const html = await render(...roots);
    expect(html.length).toBeLessThan(80_000_000);
    expect(html).toEndWith("larger than can be shown.</p>");
  });
});

describe("the index of snapshots", () => {
  const snapshot = (callId: string, more: Record<string, unknown> = {}) => ({
    type: "frame-snapshot",
    snapshot: {
      callId,
      phase: "before",
      pageId: "page@1",
      frameId: "frame@1",
      frameUrl: BASE,
      html: ["HTML"],
      viewport: { width: 8, height: 6 },
      timestamp: 1100,
      resourceOverrides: [],
      isMainFrame: true,
      ...more,
    },
  });
  const answer = (url: string, file: string, time: number, more: Record<string, unknown> = {}) => ({
    type: "resource-snapshot",
    snapshot: {
      _frameref: "frame@1",
      _monotonicTime: time,
      request: { url, method: "GET" },
      response: { status: 200, content: { _file: file, mimeType: "text/css" } },
      ...more,
    },
  });

  function index(...events: unknown[]): SnapshotIndex {
    const members = ["resources/a.css", "resources/b.css"];
    const indexer = createSnapshotIndexer({
      keep: (line) => ({ block: 0, at: 0, length: line.length }),
      member: (name) => {
        const at = members.indexOf(name);
        return at < 0 ? null : { offset: at, stored_size: 1, size: 1, method: 0 };
      },
    });
    for (const event of [options, ...events] as Record<string, unknown>[])
      indexer.take(event, JSON.stringify(event), { prefix: "trace", folder: "" });
    return indexer.finish();
  }

  test("names snapshots by phase and call, and keeps what a page was given", () => {
    const found = index(snapshot("call@1"), answer("http://a/x.css#part", "resources/a.css", 1000));
    expect(found.frames).toMatchObject([
      {
        frame: "frame@1",
        page: "page@1",
        is_main_frame: true,
        snapshots: [{ name: "before@call@1", time: 1100 }],
      },
    ]);
    expect(found.urls).toEqual(["http://a/x.css"]);
    expect(found.responses).toEqual([[0, "frame@1", 1000, 0]]);
  });

  test("leaves out answers without a body, of other methods, and not modified", () => {
    const url = "http://a/x.css";
    const found = index(
      answer(url, "resources/missing.css", 1),
      answer(url, "resources/a.css", 2, { request: { url, method: "POST" } }),
      answer(url, "resources/a.css", 3, { response: { status: 304, content: { _file: "resources/a.css" } } }),
    );
    expect(found.responses).toEqual([]);
  });

  test("follows changed style sheets through references, in old and new form", () => {
    const url = "http://a/x.css";
    const found = index(
      snapshot("call@1", { resourceOverrides: [{ url, sha1: "a.css" }] }),
      snapshot("call@2", { resourceOverrides: [{ url, ref: 1 }] }),
      snapshot("call@3", { resourceOverrides: [{ url, file: "resources/b.css" }] }),
      snapshot("call@4", { resourceOverrides: [{ url, ref: 9 }] }),
    );
    expect(found.frames[0]!.snapshots.map(({ overrides }) => overrides)).toEqual([
      [[0, 0]],
      [[0, 0]],
      [[0, 1]],
      [],
    ]);
  });
});
