import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, passing, run, told } from "../run.ts";

const title = "Expect \"toHaveText\" getByTestId('open')";
const read = (returned: string) =>
  click("Get text content getByTestId('open')", { ts: 2_000, name: "page.textContent", returned });
const counts = (open: number) => exchange("/api/counts", { ts: 1_000, body: JSON.stringify({ open }) });
const wants = (expected: string) => ({ title, expected: `"${expected}"` });
const usual = run(...counts(23), read("23 open"), passing(wants("22 open")));

describe("what a test wants that is made of what it read from the page", () => {
  const failed = run(...counts(22), read("22 open"), failing({ ...wants("21 open"), received: '"22 open"' }));

  test("is no change of the test", () => {
    expect(told(failed, usual, usual).join("\n")).not.toContain("The test itself wants");
  });

  test("is not wrong for the value that it was made of", () => {
    expect(causeOf(failed, usual, usual).suspects[0]!.confidence).toBeLessThan(0.4);
  });
});

test("a test that read the same wants another thing for itself", () => {
  const failed = run(...counts(22), read("22 open"), failing({ ...wants("21 open"), received: '"22 open"' }));
  const pass = run(...counts(22), read("22 open"), passing(wants("22 open")));
  expect(told(failed, pass, pass).join("\n")).toContain("The test itself wants “21 open”");
});

test("what was read and is not what was wanted tells where every run wants the same", () => {
  const failed = run(...counts(22), read("22 open"), failing({ ...wants("23 open"), received: '"22 open"' }));
  const pass = run(...counts(23), read("23 open"), passing(wants("23 open")));
  expect(told(failed, pass, pass)[0]).toContain("answered “22” for “open”");
});
