import { expect, test } from "bun:test";
import { click, failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

const clock = (name: string, title: string, ts: number) => click(title, { name, ts });
const pause = clock("browserContext.clockPauseAt", "Pause clock", 3_000);
const typed = click("Fill “crab” getByLabel('Find')", {
  name: "fill",
  ts: 4_000,
  params: { value: "crab" },
});

test("a clock that the test stopped is told where the page asked for nothing after the last action", () => {
  expect(first(run(pause, typed, failing()))).toBe(
    "test_code: The test had stopped the page's clock (“Pause clock”), so that no timer of the page ran after “Fill \"crab\" getByLabel('Find')”, and the page asked for nothing new",
  );
});

test("a clock that runs again, that was stopped later, or beside which the page went on is no cause", () => {
  const runs = clock("browserContext.clockResume", "Resume clock", 3_500);
  const later = clock("browserContext.clockPauseAt", "Pause clock", 4_500);
  const asked = json("/api/dishes?q=crab", [], { ts: 4_100 });
  for (const silent of [
    run(pause, runs, typed, failing()),
    run(typed, later, failing()),
    run(pause, typed, ...asked, failing()),
  ])
    expect(told(silent).join()).not.toContain("clock");
});

test("what a page asks for time and again does not tell that its timers run", () => {
  const presence = (ts: number) => json("/api/presence", { there: ["Ida"] }, { ts });
  expect(first(run(...presence(2_000), pause, typed, ...presence(4_300), failing()))).toStartWith(
    "test_code: The test had stopped the page's clock",
  );
});

test("what is asked for without a word of what was typed is of a timer that began before", () => {
  const news = json("/api/news", { news: ["Open on Sunday"] }, { ts: 4_900 });
  expect(first(run(pause, typed, ...news, failing()))).toEndWith(
    "and the page asked for nothing with “crab” in it",
  );
});
