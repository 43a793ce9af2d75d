import { expect, test } from "bun:test";
import { contextOf } from "../../../../../server/trace/format/cause/context.ts";
import { evidenceIn, failing, page, run } from "./run.ts";

const paragraphs = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, at) => `<p>Paragraph ${from + at}</p>`).join("");

const treeOf = (html: string, target: string): string[] =>
  contextOf(
    evidenceIn(
      [],
      run(failing({ title: `Expect "toBeVisible" ${target}`, message: `Locator: ${target}` }), page(html)),
    ),
  ).tree;

test("the tree of a long page is told around what is most like the target", () => {
  const html = `${paragraphs(400)}<main><ul><li>Total due</li></ul></main>${paragraphs(400, 400)}`;
  const tree = treeOf(html, "getByText('Total')");
  expect(tree).toHaveLength(60);
  expect(tree.join("\n")).toContain('- listitem "Total due"');
  expect(tree.join("\n")).toContain("Paragraph 399");
});

test("what stands in what is told by indents, without what all of it stands in", () => {
  const rows = Array.from({ length: 80 }, (_, at) => `<li>Row ${at}<button>Drop</button></li>`).join("");
  const tree = treeOf(`<main><nav><ul>${rows}</ul></nav></main>`, "getByText('Row 40')");
  expect(tree).toHaveLength(60);
  expect(tree[0]).toMatch(/^- /);
  expect(tree[1]).toMatch(/^ {2}- /);
});
