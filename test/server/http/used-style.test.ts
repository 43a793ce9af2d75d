import { expect, test } from "bun:test";
import { readStyle } from "../../../server/http/used-style.ts";

const used = (sheet: string, ...classes: string[]) =>
  readStyle(sheet)(`<p class="${classes.join(" ")}">text</p>`);

test("a rule stays for what the page has, in the order of the style sheet", () => {
  const sheet = ".b{color:red}.a{color:blue}.a .c{top:0}p{left:0}";
  expect(used(sheet, "a", "b")).toBe(".b{color:red}.a{color:blue}p{left:0}");
  expect(used(sheet, "a", "c")).toBe(".a{color:blue}.a .c{top:0}p{left:0}");
  expect(used(sheet)).toBe("p{left:0}");
});

test("of a list of selectors those stay that can match", () => {
  expect(used(".a,.b:hover,.a.b{top:0}", "a")).toBe(".a{top:0}");
  expect(used(".a,.b:hover,.a.b{top:0}", "b")).toBe(".b:hover{top:0}");
});

test("a class that something may lack, or that one of several has, is not asked for", () => {
  for (const selector of [
    ".a:not(.x)",
    ".a:is(.x,.y .z)",
    ".a:has(>.x:not(.y))",
    ":where(.x) .a",
    '.a[href$=".zip"]',
    ".sm\\:x",
  ])
    expect(used(`${selector}{top:0}`, "a")).toBe(`${selector}{top:0}`);
});

test("rules within conditions are chosen one by one; a condition that nothing is left of goes", () => {
  const sheet =
    "@media (width>1px){.a{top:0}.x{top:1px}@supports (top:0){.x{top:2px}}}@container (width>2px){.x{top:0}}";
  expect(used(sheet, "a")).toBe("@media (width>1px){.a{top:0}}");
});

test("what is no rule stays whole: steps of an animation, statements, fonts, braces in strings", () => {
  const sheet =
    '@layer one,two;@keyframes k{0%{top:0}to{top:1px}}@font-face{font-family:"x.y";src:url(x.woff2)}.a:after{content:"}.x{"}';
  expect(used(sheet, "a")).toBe(
    '@layer one,two;@keyframes k{0%{top:0}to{top:1px}}@font-face{font-family:"x.y";src:url(x.woff2);}.a:after{content:"}.x{"}',
  );
});

test("what holds on paper only comes later", () => {
  expect(used("@media print{.a{top:0}}@media (print) and (width>1px){.a{top:1px}}.a{top:2px}", "a")).toBe(
    "@media (print) and (width>1px){.a{top:1px}}.a{top:2px}",
  );
});
