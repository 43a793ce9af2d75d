import { expect, test } from "bun:test";
import { renderMarkdown } from "../../../server/docs/markdown.ts";

const render = (text: string) => renderMarkdown(`# Title\n\n${text}`, (href) => `/docs/${href}`);

test("HTML in a text is text, and a comment is nothing", () => {
  const { html } = render(
    '<script>alert(1)</script>\n\na <img src=x onerror="alert(1)"> b\n\n<!-- bench list -->\n\nc',
  );
  expect(html).not.toMatch(/<(?:script|img)/);
  expect(html).toContain("&lt;script&gt;");
  expect(html).not.toContain("bench");
});

test("a link that could act keeps its words and loses its address", () => {
  const { html, links } = render(
    "[a](javascript:alert(1)) [b](data:text/html,x) [c](//elsewhere.example) ![d](https://x.example/y.png)",
  );
  expect(html).not.toMatch(/href=|src=/);
  expect(links).toEqual([]);
  expect(html).toContain("a b c d");
});

test("headings are named as a code host names them, or by the name in braces, which is not shown", () => {
  const { headings, html, title } = render("## `a.b` and C\n\n## List {#traces.list}\n\n## List\n");
  expect(title).toBe("Title");
  expect(headings.map(({ id, text }) => [id, text])).toEqual([
    ["ab-and-c", "a.b and C"],
    ["traces.list", "List"],
    ["list", "List"],
  ]);
  expect(html).not.toContain("{#");
});

test("two headings of one name are an error, since a link could mean either", () => {
  expect(() => render("## One {#a}\n\n## Two {#a}\n")).toThrow("Two headings have one name");
});

test("a search reads a row, a line of code and a point of a list as a line each", () => {
  const { sections } = render(
    "## Sec\n\nA\nparagraph.\n\n- one\n- two `x`\n\n```\nfirst\n\nsecond\n```\n\n| a | b |\n|---|---|\n| 1 |   |\n",
  );
  expect(sections.at(-1)?.lines).toEqual(["A paragraph.", "one", "two x", "first", "second", "a · b", "1"]);
});
