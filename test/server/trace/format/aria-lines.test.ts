import { expect, test } from "bun:test";
import fc from "fast-check";
import { ariaDifference, fixedParts } from "../../../../server/trace/format/aria-lines.ts";
import { expectedAndReceived } from "../../../../server/trace/format/error-text.ts";

/** As Playwright 1.61 says it. */
const MESSAGE = `expect(locator).toMatchAriaSnapshot(expected) failed

Locator: getByRole('table')
Timeout: 3000ms
- Expected  -   3
+ Received  +   9

  - table:
    - rowgroup:
-     - row "Part SKU"
+     - row "Part SKU":
+       - columnheader "Part"
+       - columnheader "SKU"
    - rowgroup:
-     - row /Angle bracket M5 \\d+/
-     - row /Bolt M\\d AB-103/
+     - row "Bolt M8 AB-103":
+       - cell "Bolt M8"
+     - row "Cable gland CG-121":
+       - cell "Cable gland"

Call log:
  - waiting for getByRole('table')`;

test("of an aria snapshot that did not match, only what nothing on the page is like is told, and what is there of the same role", () => {
  expect(expectedAndReceived(MESSAGE)).toEqual({
    expected: "- row /Angle bracket M5 \\d+/",
    received: '- row "Cable gland CG-121"',
  });
});

test("where nothing of that role is there beside what is wanted, that is said; where each line has its like, both sides are", () => {
  const difference = (expected: string[], received: string[]) => ariaDifference(expected, received);
  expect(difference(['- button "Pay"', '- link "Help"'], ['- link "Help"'])).toEqual({
    expected: '- button "Pay"',
    received: "<no such line>",
  });
  expect(difference(["- list:", "  - listitem: Tea"], ["- listitem: Tea", "- list"])).toBeNull();
  const reordered = MESSAGE.replace("Angle bracket M5 \\d+", "Cable gland CG-\\d+");
  expect(expectedAndReceived(reordered).expected).toContain("Bolt M");
});

test("a line is like another by role, name, attributes and text, as far as it has them", () => {
  const isLike = (wanted: string, there: string) => ariaDifference([wanted], [there]) === null;
  for (const [wanted, there] of [
    ["- button", '- button "Pay"'],
    ['- button "Pay"', '- button "Pay" [disabled]'],
    ["- paragraph: /\\d+ left/", "- paragraph: 3 left"],
    ["- 'heading \"Note: read\" [level=2]'", "- 'heading \"Note: read\" [level=2]': more"],
    ['- text: "a  b"', "- text: a b"],
    ["- /url: /stock/AB-103", "- /url: /stock/AB-103"],
    ["- /children: equal", "- list"],
  ] as const)
    expect([wanted, isLike(wanted, there)]).toEqual([wanted, true]);
  for (const [wanted, there] of [
    ['- button "Pay"', '- link "Pay"'],
    ['- button "Pay"', '- button "Pay now"'],
    ["- checkbox [checked]", "- checkbox"],
    ["- paragraph: 3 left", "- paragraph: 2 left"],
    ["- row /b.*a/", '- row "a b"'],
  ] as const)
    expect([wanted, isLike(wanted, there)]).toEqual([wanted, false]);
});

test("a pattern is taken by its fixed parts and never run", () => {
  expect(fixedParts("Angle \\(M5\\) \\d+ [a-c]{2,3}x.*y")).toEqual(["Angle (M5) ", " ", "x", "y"]);
  const hostile = `- row "${"a".repeat(1_000)}!"`;
  expect(ariaDifference([`- row /${"(a+)+".repeat(100)}$/`], [hostile])).toBeNull();
});

test("any lines are compared without an error, and what has its like is never missing", () => {
  const line = fc.stringMatching(/^ {0,4}- '?[a-z/"\\:[\]= ]{0,40}$/);
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (expected, received) => {
      ariaDifference(expected, received);
      expect(ariaDifference(expected, [...received, ...expected])).toBeNull();
    }),
  );
});
