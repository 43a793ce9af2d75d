import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { renderSnapshot } from "../../../../server/trace/format/playwright/snapshot-html.ts";
import { gatherTrees, numberNodes } from "../../../../server/trace/format/playwright/snapshot-tree.ts";
import { closeBrowser, openPage } from "../../../helpers/browser.ts";

setDefaultTimeout(120_000);

let page: Page;
beforeAll(async () => {
  ({ page } = await openPage());
});
afterAll(closeBrowser);

const links = { resource: () => null, sheet: () => null, frame: () => null };

async function render(root: unknown): Promise<string> {
  const tree = numberNodes(root);
  const trees = await gatherTrees(0, async () => tree);
  return renderSnapshot({ trees, at: 0, names: [], url: "http://shop.test/", doctype: "html", links });
}

/** An element as a parser made it: namespace and name, children; texts as they are. */
type Parsed = string | { name: string; children: Parsed[] };

/** What the browser's own parser makes of a page, from its body on; nothing of it runs. */
const parse = (html: string): Promise<Parsed> =>
  page.evaluate((markup) => {
    const prefixes: Record<string, string> = {
      "http://www.w3.org/1999/xhtml": "",
      "http://www.w3.org/2000/svg": "svg ",
      "http://www.w3.org/1998/Math/MathML": "math ",
    };
    const read = (node: Node): Parsed => {
      if (node.nodeType === Node.TEXT_NODE) return node.nodeValue ?? "";
      if (!(node instanceof Element)) return `node of type ${node.nodeType}`;
      const inner = node instanceof HTMLTemplateElement ? node.content : node;
      const children = Array.from(inner.childNodes, read);
      return { name: prefixes[node.namespaceURI ?? ""] + node.localName, children };
    };
    return read(new DOMParser().parseFromString(markup, "text/html").body);
  }, html);

const namesIn = (node: Parsed): string[] =>
  typeof node === "string" ? [] : [node.name.replace(/^.* /, ""), ...node.children.flatMap(namesIn)];

/** Elements that no tree below has: whatever is found of them came out of a text. */
const EVIL = ["meta", "img", "link", "base", "iframe", "object", "script", "evil"];
const pieces = [
  ...EVIL.map((name) => `<${name} x=y>`),
  ..."style title textarea svg math xmp iframe noscript template plaintext select table p foreignObject mtext"
    .split(" ")
    .flatMap((name) => [`</${name}>`, `<${name}>`, `</${name.toUpperCase()} >`]),
  ..."<!-- --> --!> <![CDATA[ ]]> <! <? </ < > & &lt; &#60; &lt;evil> \" ' ` = / \0 \r \n \\3c \\ */ /* { } url(".split(
    " ",
  ),
  "a",
  " ",
];
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => parts.join(""));

const HTML = [
  "DIV",
  "P",
  "SPAN",
  "STYLE",
  "TITLE",
  "TEXTAREA",
  "TABLE",
  "TD",
  "FORM",
  "SELECT",
  "OPTION",
  "TEMPLATE",
  "A",
  "B",
];
const FOREIGN = [
  "svg",
  "style",
  "title",
  "desc",
  "foreignObject",
  "g",
  "font",
  "math",
  "mi",
  "mtext",
  "mglyph",
  "malignmark",
  "annotation-xml",
];
const RAW = [
  "XMP",
  "PLAINTEXT",
  "LISTING",
  "NOSCRIPT",
  "NOEMBED",
  "NOFRAMES",
  "IFRAME",
  "SCRIPT",
  "PRE",
  "FRAMESET",
  "IMAGE",
];
const anyName = fc.constantFrom(...HTML, ...FOREIGN, ...FOREIGN, ...RAW);
const attributes = fc.oneof(
  fc.constant({}),
  hostile.map((title) => ({ title })),
  fc.constantFrom("text/html", "application/xhtml+xml", "TEXT/HTML", "x").map((encoding) => ({ encoding })),
  hostile.map((color) => ({ color })),
);

const { tree: anything } = fc.letrec<{ tree: unknown; element: unknown }>((tie) => ({
  tree: fc.oneof({ depthSize: "medium", withCrossShrink: true }, hostile, tie("element")),
  element: fc
    .tuple(anyName, attributes, fc.array(tie("tree"), { maxLength: 4 }))
    .map(([name, given, children]) => [name, given, ...children]),
}));

test("no text of a tree becomes an element, whatever tree it is in", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 4 }), async (children) => {
      const html = await render(["HTML", {}, ["BODY", {}, ...children]]);
      // An iframe is one of the tree itself, and is empty.
      const found = namesIn(await parse(html)).filter((name) => EVIL.includes(name) && name !== "iframe");
      expect(found).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

/** Trees that markup can say: in them every element stays where and what it is. */
const text = hostile.filter((value) => value !== "" && !/[\0\r]/.test(value));
const { html: faithful } = fc.letrec<Record<"html" | "svg" | "math" | "any" | "inSvg" | "inMath", unknown>>(
  (tie) => {
    const element = (names: string[], inner: fc.Arbitrary<unknown>) =>
      fc
        .tuple(fc.constantFrom(...names), fc.array(inner, { maxLength: 3 }))
        .map(([name, children]) => [name, {}, ...children]);
    return {
      any: fc.oneof({ depthSize: "small" }, text, tie("html"), tie("svg"), tie("math")),
      html: fc.oneof(
        { depthSize: "small" },
        element(["DIV", "SECTION", "ARTICLE"], tie("any")),
        element(["PRE", "TITLE", "TEXTAREA"], text),
      ),
      inSvg: fc.oneof(
        { depthSize: "small" },
        text,
        element(["g", "style", "text"], text),
        element(["g", "a", "svg"], tie("inSvg")),
        element(["foreignObject", "desc", "title"], tie("any")),
      ),
      svg: element(["svg"], tie("inSvg")),
      inMath: fc.oneof(
        { depthSize: "small" },
        text,
        element(["mrow"], tie("inMath")),
        element(["style"], text),
        element(["mi", "mtext"], tie("any")),
        fc
          .array(tie("any"), { maxLength: 3 })
          .map((children) => ["annotation-xml", { encoding: "text/HTML" }, ...children]),
      ),
      math: element(["math"], tie("inMath")),
    };
  },
);

/** The tree as a parser would tell of it: neighbouring texts are one. */
function expected(node: unknown, around = ""): Parsed {
  if (typeof node === "string") return node;
  const [tag, , ...children] = node as [string, object, ...unknown[]];
  const name =
    around === "" && /^(svg|math)$/.test(tag) ? `${tag} ${tag}` : around + (around ? tag : tag.toLowerCase());
  const isOut = /^svg (foreignObject|desc|title)$|^math (mi|mtext|annotation-xml)$/.test(name);
  const inner = isOut ? "" : (/^(svg |math )/.exec(name)?.[1] ?? "");
  const out: Parsed[] = [];
  for (const child of children.map((one) => expected(one, inner))) {
    const last = out.at(-1);
    if (typeof child === "string" && typeof last === "string") out[out.length - 1] = last + child;
    else out.push(child);
  }
  return { name, children: out };
}

/** A style sheet's text is rewritten, so it is left out here: what counts is that there is nothing but text. */
function withoutCss(node: Parsed): Parsed {
  if (typeof node === "string") return node;
  const isStyle = /(^| )style$/.test(node.name);
  const children = isStyle ? node.children.filter((child) => typeof child !== "string") : node.children;
  return { name: node.name, children: children.map(withoutCss) };
}

test("a tree that markup can say is parsed back as it was, in all its namespaces", async () => {
  await fc.assert(
    fc.asyncProperty(faithful, async (root) => {
      const parsed = await parse(await render(["HTML", {}, ["BODY", {}, ["MAIN", {}, root]]]));
      const main = (parsed as { children: Parsed[] }).children[0]!;
      expect(withoutCss(main)).toEqual(withoutCss(expected(["MAIN", {}, root])));
    }),
    { numRuns: 300 },
  );
});
