import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const met = (...texts: string[]) => texts.map((text) => `  unexpected value "${text}"`);
const timer = (more: Record<string, unknown> = {}) =>
  failing({
    title: "Expect \"toHaveText\" getByRole('timer')",
    message: "Locator: getByRole('timer')",
    ...{ expected: "/^(5:00|4:5\\d)$/", received: '"10:00"', log: met("10:00", "10:00") },
    ...more,
  });
const clock = (name: string, title: string) =>
  click(title, { ts: 4_000, name: `browserContext.${name}`, step_id: "clock" });
const forward = clock("clockFastForward", 'Fast forward clock "05:00"');
const show = exchange("/api/shows/1", {
  ...{ ts: 1_000, media_type: "application/json" },
  body: JSON.stringify({ startsAt: "2027-02-20T18:00:00Z" }),
});
const usual = run(...show, forward, passing());

test("a timer that shows one and the same while the test looks on stood still", () => {
  const stood = "page_changed: The timer stood still at “10:00” for 2.0 s";
  expect(first(run(...show, forward, timer()), usual, usual)).toBe(
    `${stood}, after “Fast forward clock "05:00"” as well: it does not count on`,
  );
  expect(told(run(...show, timer()))).toContain(`${stood}: it does not count on`);
});

test("a timer that counts, that the test stopped, or that was looked at for a moment stood not still", () => {
  for (const one of [
    run(timer({ log: met("10:00", "9:59") })),
    run(clock("clockPauseAt", "Pause clock"), timer()),
    run(timer({ duration_ms: 900 })),
    run(timer({ received: '"10 seats"', log: met("10 seats") })),
  ])
    expect(told(one, usual).join()).not.toContain("stood still");
});

test("what a timer shows is no time of the day, nor is what a pattern takes several times for", () => {
  const span = { expected: '"5:00"', received: '"10:00"' };
  const bare = { title: 'Expect "toHaveText"', message: "expect(locator).toHaveText(expected) failed" };
  const shown = page('<span role="timer">10:00</span>');
  for (const one of [timer(span), timer(bare)])
    expect(told(run(...show, one), usual).join()).not.toContain("Another time");
  expect(told(run(...show, timer({ ...bare, ...span }), shown), usual).join()).not.toContain("Another time");
  expect(told(run(...show, timer({ ...bare, ...span })), usual).join()).toContain("Another time");
});

test("another day is told only of what is the same but for it", () => {
  const tip = (received: string) =>
    told(run(failing({ expected: '"2026-11-25: 21 tickets, €802.50"', received: `"${received}"` })), usual);
  expect(tip("2026-11-27: 30 tickets, €1,188.00").join()).not.toContain("Another day");
  expect(tip("2026-11-27: 21 tickets, €1,188.00").join()).not.toContain("Another day");
  for (const same of ["2026-11-27: 21 tickets, €802.50", "2026-11-27: 22 tickets, €802.50"])
    expect(tip(same).join()).toContain("Another day");
});
