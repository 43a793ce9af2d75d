import { expect, test } from "bun:test";
import { click, failing, first, passing, run, told } from "../../run.ts";

const role = "getByLabel('Role for Ida Holm')";
const looks = (expected: string) => ({
  name: "toHaveValue",
  title: `Expect "toHaveValue" ${role}`,
  message: `expect(locator).toHaveValue(expected) failed\n\nLocator:  ${role}`,
  expected: `"${expected}"`,
});
const pick = (option: string, ts: number) =>
  click(`Select option ${role}`, {
    ts,
    name: "page.selectOption",
    params: { selector: 'internal:label="Role for Ida Holm"i', options: [{ valueOrLabel: option }] },
  });
const usual = (option: string) => run(passing(looks("Viewer")), pick(option, 8_000));
const failed = (...before: Parameters<typeof run>) =>
  run(...before, failing({ ...looks("Viewer"), received: '"Manager"' }));

test("a field that had what the test itself gives it only later is what another run has changed", () => {
  expect(first(failed(), usual("Manager"), usual("Manager"))).toBe(
    `test_code: ${role} had “Manager” already when the test came to it, which it sets itself only later, as in the last pass, that began with “Viewer”: another test or an earlier run has changed what they share`,
  );
});

test("it is not told where passes give it something else, or give it before, and where this run had given it something", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("already when");
  expect(isTold(failed(), usual("Owner"), usual("Owner"))).toBe(false);
  const before = run(pick("Manager", 3_000), passing(looks("Viewer")));
  expect(isTold(failed(), before, before)).toBe(false);
  expect(isTold(failed(pick("Manager", 3_000)), usual("Manager"), usual("Manager"))).toBe(false);
  expect(isTold(failed())).toBe(false);
});
