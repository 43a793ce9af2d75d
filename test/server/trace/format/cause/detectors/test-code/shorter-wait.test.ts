import { describe, expect, test } from "bun:test";
import { causeWithFiles, failing, passing, run } from "../../run.ts";

const SPEC = "/work/tests/job.spec.ts";
const LINE = "await expect(page.getByTestId('run-state-of-the-job')).toHaveText('12 invoices created'";

/** What is told of a test whose assertion got another end, and took so long in the pass, ms. */
function told(now: string, before: string, took = 1_300, received: string | null = '"5 of 12"'): string {
  const stack = [{ file: SPEC, line: 2, column: 3 }];
  const file = (line: string) => ["test('runs', async ({ page }) => {", `  ${line}`, "});"].join("\n");
  const check = { title: "Expect \"toHaveText\" getByTestId('run-state-of-the-job')", stack };
  const { suspects } = causeWithFiles(
    [{ file: SPEC, now: file(`${LINE}${now}`), before: file(`${LINE}${before}`) }],
    run(
      failing({
        ...check,
        expected: '"12 invoices created"',
        received: received ?? undefined,
        duration_ms: 500,
      }),
    ),
    run(passing({ ...check, expected: '"12 invoices created"', duration_ms: took })),
  );
  return suspects[0]?.title ?? "";
}

describe("a changed line of a test that waits for less long", () => {
  const short = ", { timeout: 500 });";

  test("is told with how long it waits, how long it took, and what the page had by then", () => {
    expect(told(short, ");")).toBe(
      "The test was changed since the last pass, at tests/job.spec.ts:2, where it failed: “await expect(page.getByTestId('run-state-of-the-job')).toHaveText('12 invoices created');” waits only 500 ms now, where it took 1.3 s in the last pass; the page had “5 of 12” by then",
    );
    expect(told(short, ", { timeout: 10_000 });", 200, null)).toEndWith(
      "waits only 500 ms now instead of 10.0 s",
    );
  });

  test("is another change where it waits longer, or says something else too", () => {
    expect(told(", { timeout: 5_000 });", short)).not.toContain("waits only");
    expect(told(", { timeout: 500, ignoreCase: true });", ");")).not.toContain("waits only");
  });

  test("is told whole in what differs, whatever stands before it", () => {
    expect(told(", { useInnerText: true });", ");")).toContain(
      "invoices created', { useInnerText: true });”, where it had “…",
    );
  });
});
