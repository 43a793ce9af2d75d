import { describe, expect, test } from "bun:test";
import { click, failing, first, passing, run, told } from "../../run.ts";

const line = (text: string, ts: number, level = "info") => ({ kind: `console.${level}`, text, ts });
const pay = click("Click #pay", { ts: 4_000 });
const usual = run(pay, passing());

describe("what a page logs in no pass right after the last action", () => {
  test("is told with the action", () => {
    expect(first(run(pay, line("bank: nobody to notify", 4_100), failing()), usual)).toBe(
      "console_error: The page logged “bank: nobody to notify” after “Click #pay”, as it does in no pass",
    );
  });

  test("is left out where only ids, numbers, data or a name differ, or it was said before the action", () => {
    const says = (text: string) => run(pay, line(text, 4_100), failing());
    const pass = (text: string) => run(pay, line(text, 4_100), passing());
    for (const [mine, theirs] of [
      ["rendered 14 rows in 3 ms", "rendered 9 rows in 21 ms"],
      ['cart {"id":"a1","sum":3}', 'cart {"id":"b2","sum":4}'],
      ["hello Ana again", "hello Bob again"],
      ["variant B of the menu", "variant A of the menu"],
    ] as const)
      expect(told(says(mine), pass(theirs)).join()).not.toContain("logged");
    const twice = run(line("still here", 3_000), pay, line("still here", 4_100), failing());
    expect(told(twice, usual).join()).not.toContain("logged");
  });

  test("is left out where no pass listened so long, and where a tool says it", () => {
    const short = run(pay, { ...passing(), ts: 4_050, duration_ms: 10 });
    expect(told(run(pay, line("heartbeat lost", 6_000), failing()), short).join()).not.toContain("logged");
    const hint = "[DOM] Input elements should have autocomplete attributes";
    expect(told(run(pay, line(hint, 4_100), failing()), usual).join()).not.toContain("logged");
  });
});

describe("an error that a page only notes", () => {
  const noted = line("draft skipped NotFoundError: no such object store", 3_000, "debug");

  test("is told where no pass has it, and may be the cause where there is none", () => {
    const sentence =
      "The page went on after an error that it only noted (debug): draft skipped NotFoundError: no such object store";
    expect(first(run(noted, pay, failing()), usual)).toBe(`console_error: ${sentence}`);
    expect(told(run(noted, pay, failing()))).toContain(`console_error: ${sentence}`);
  });

  test("is nothing where passes have it too, and where a page ended a request of its own accord", () => {
    expect(told(run(noted, pay, failing()), run(noted, pay, passing())).join()).not.toContain("only noted");
    const ended = line("search AbortError: signal is aborted", 3_000, "debug");
    expect(told(run(ended, pay, failing()), usual).join()).not.toContain("only noted");
  });
});
