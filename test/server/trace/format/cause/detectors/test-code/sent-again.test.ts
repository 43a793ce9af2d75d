import { describe, expect, test } from "bun:test";
import { click, exchange, first, run, told } from "../../run.ts";

const seed = (ts: number, more: object = {}, name = "Harbour") =>
  exchange("/dev/seed", {
    ts,
    method: "POST",
    resource_type: "api",
    status: 201,
    request: { body: JSON.stringify({ name }) },
    ...more,
  });
const open = (more: object = {}) =>
  click("Click getByRole('button', { name: 'Open' })", {
    ts: 5_000,
    step_id: "check",
    name: "locator.click",
    ...more,
  });
const ambiguous = open({
  error: {
    message:
      "locator.click: Error: strict mode violation: getByRole('button', { name: 'Open' }) resolved to 2 elements:",
  },
  ok: false,
});
const usual = run(...seed(1_000), open());

describe("what a test prepares", () => {
  test("is told with the two that it made where it means one", () => {
    expect(first(run(...seed(1_000), ...seed(1_500), ambiguous), usual, usual)).toBe(
      "element_ambiguous: getByRole('button', { name: 'Open' }) matched 2 elements where the test means one; the test itself sent POST /dev/seed twice, in the last pass once",
    );
  });

  test("is prepared once where it was refused first, or made of other things, or made so often in a pass", () => {
    const silent = (failed: Parameters<typeof told>[0], ...passes: Parameters<typeof told>) =>
      expect(told(failed, ...passes).join()).not.toContain("The test itself");
    silent(run(...seed(1_000, { status: 503 }), ...seed(1_500), ambiguous), usual, usual);
    silent(run(...seed(1_000), ...seed(1_500, {}, "Quay"), ambiguous), usual, usual);
    silent(
      run(...seed(1_000), ...seed(1_500), ambiguous),
      usual,
      run(...seed(1_000), ...seed(1_500), open()),
    );
    silent(run(...seed(1_000), ...seed(1_500, { resource_type: "fetch" }), ambiguous), usual, usual);
  });

  test("is told where it no longer does what every pass does by then, and not what comes later or was tried", () => {
    const visit = click("Navigate /", { ts: 2_000, name: "page.goto" });
    const left = "The test itself did not send POST /dev/seed, which it sends in the last pass";
    const failed = run(visit, ambiguous);
    const pass = run(...seed(1_000), visit, open());
    expect(told(failed, pass, pass).join()).toContain(
      `request_unsent: ${left} before “Navigate /”: what that prepares or clears away was left as it was`,
    );
    for (const [run1, other] of [
      [run(...seed(1_000, { status: 503 }), visit, ambiguous), pass],
      [failed, run(visit, open())],
      [failed, run(visit, open(), ...seed(9_000))],
      [failed, run(...seed(1_000, { resource_type: "fetch" }), visit, open())],
    ] as const)
      expect(told(run1, pass, other).join()).not.toContain(left);
  });
});
