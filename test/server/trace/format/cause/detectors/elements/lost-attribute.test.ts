import { expect, test } from "bun:test";
import { failing, page, passing, run, told } from "../../run.ts";

const TARGET = "getByRole('progressbar', { name: 'Upload' })";
const step = {
  title: `Expect "toHaveAttribute" ${TARGET}`,
  message: `expect(locator).toHaveAttribute(expected) failed\n\nLocator: ${TARGET}`,
  expected: '"40"',
};
const bar = (attributes: string) => page(`<div role="progressbar" aria-label="Upload" ${attributes}></div>`);
const cause = (received: string, now: string, ...before: string[]) =>
  told(
    run(bar(now), failing({ ...step, received: `"${received}"` })),
    ...before.map((one) => run(bar(one), passing(step))),
  );

test("an element without the attribute that it has in the passes is told with it", () => {
  const [first] = cause("", 'aria-valuemax="100"', 'aria-valuenow="40" aria-valuemax="100"');
  expect(first).toBe(
    "page_changed: A progressbar “Upload” has no aria-valuenow, which it has in the last pass (“40”)",
  );
});

test("another value of it is told with both", () => {
  const [first] = cause("33", 'aria-valuenow="33"', 'aria-valuenow="40"');
  expect(first).toBe(
    "page_changed: A progressbar “Upload” has the aria-valuenow “33” where the last pass has “40”",
  );
});

test("nothing is told where a pass lacks it, two have that value, or the page has it as it was wanted", () => {
  for (const [received, now, ...before] of [
    ["", "", 'aria-valuenow="40"', ""],
    ["", "", 'aria-valuenow="40" title="40"'],
    ["", 'aria-valuenow="40"', 'aria-valuenow="40"'],
  ] as [string, string, ...string[]][])
    expect(cause(received, now, ...before).join("\n")).not.toContain("page_changed: A progressbar");
  expect(cause("", "").join("\n")).not.toContain("has no aria-valuenow");
});
