import { describe, expect, test } from "bun:test";
import { ruleChange } from "../../../../../../server/trace/format/cause/style/rule-change.ts";

describe("a rule that is another than in the last pass is told by its declarations", () => {
  test.each([
    [".a{color:red}", ".a{color:red;pointer-events:none}", "“.a” lost “pointer-events: none”"],
    [".a{color:red;top:0}", ".a{color:red}", "“.a” has “top: 0”, which it has not there"],
    [".a { top: 0 }", ".a{top:1px!important;}", "“.a” has “top: 0” where that has “top: 1px !important”"],
    [
      "@media (max-width: 9px) { .a { background: url(data:a;b) }",
      "@media (max-width: 9px) { .a { }",
      "“@media (max-width: 9px) { .a” has “background: url(data:a;b)”, which it has not there",
    ],
  ])("%s", (now, before, said) => expect(ruleChange(now, before)).toBe(said));

  test.each([
    [".a { top: 0 }", ".b { top: 0 }"],
    [".a { top: 0 }", ".a { top: 0; }"],
    [".a { top: 0; left: 0; right: 0 }", ".a { }"],
    [".a { top 0 }", ".a { top: 1px }"],
    ["@import 'a.css'", "@import 'b.css'"],
    [`.a { top: 0; content: "${"x".repeat(4_000)}" }`, ".a { top: 0 }"],
  ])("but not %s", (now, before) => expect(ruleChange(now, before)).toBeNull());
});
