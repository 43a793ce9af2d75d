import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "./run.ts";

const json = (url: string, body: unknown, ts = 4_500) =>
  exchange(url, { ts, body: JSON.stringify(body), media_type: "application/json" });

test("a filter that the server ignored is told beside passes, but not where it ignores it in one", () => {
  const tickets = (...states: string[]) =>
    json("/api/tickets?state=open", { tickets: states.map((state, at) => ({ title: `T${at}`, state })) });
  const failed = run(...tickets("open", "closed", "open"), failing());
  const sentence =
    "answer_changed: GET /api/tickets?state=open asked for “open” for “state”, and 1 of the 3 things that it was answered with are others (“closed”): the filter was ignored";
  expect(first(failed, run(...tickets("open", "open"), passing()))).toBe(sentence);
  expect(told(failed, run(...tickets("closed", "open"), passing())).join()).not.toContain("was ignored");
});

test("a page of a list that is the one before it again is told beside passes, of data and of markup", () => {
  const rows = (...names: string[]) => names.map((name) => `<tr><td>${name}</td></tr>`).join("");
  const list = (page: string, ts: number, ...names: string[]) =>
    exchange(`/queue?sort=fee${page}`, {
      ts,
      media_type: "text/html",
      body: `<table><tr><th>Name</th></tr>${rows(...names)}</table>`,
    });
  const failed = run(...list("", 3_000, "Ada", "Bo"), ...list("&page=2", 4_500, "Ada", "Bo"), failing());
  const usual = run(...list("", 3_000, "Ada", "Bo"), ...list("&page=2", 4_500, "Cy", "Di"), passing());
  expect(first(failed, usual)).toBe(
    "answer_changed: GET /queue?sort=fee&page=2 answered the same list as to a question before it, though it was asked with “page=2”",
  );
  expect(
    told(
      run(...list("", 3_000, "Ada", "Bo"), ...list("&page=2", 4_500, "Cy", "Ed"), failing()),
      usual,
    ).join(),
  ).not.toContain("the same list");
});

test("amounts that are sorted as texts are told beside passes, also where the least is in another part of the list", () => {
  const fees = (...amounts: string[]) =>
    json("/api/fees?sort=fee", { fees: amounts.map((fee) => ({ fee })) });
  const check = { expected: '"€9.80"', received: '"€112.05"' };
  const asTexts = ["€112.05", "€12.45", "€31.47", "€46.13"];
  const usual = run(...fees("€9.80", "€12.45", "€31.47", "€112.05"), passing(check));
  expect(first(run(...fees(...asTexts), failing(check)), usual)).toBe(
    "answer_changed: GET /api/fees?sort=fee answered a list that is sorted by “fee” as texts are, not as numbers: 112.05 comes before 12.45",
  );
  // In the smallest unit 10050 comes before 1050.
  const cents = { expected: '"€10.50"', received: '"€100.50"' };
  expect(first(run(...fees("€100.50", "€10.50", "€31.47", "€9.13"), failing(cents)))).toContain(
    "as texts are",
  );
  for (const silent of [
    told(run(...fees(...asTexts), failing(check)), run(...fees(...asTexts), passing(check))),
    told(run(...fees(...asTexts), failing({ ...check, expected: '"€20.00"' })), usual),
    told(run(...fees("€112.05", "€12.45", "€46.13", "€31.47"), failing(check)), usual),
  ])
    expect(silent.join()).not.toContain("as texts are");
});

describe("a part of a list with another thing in it than in passes", () => {
  const PRICES: Record<string, number> = {
    Single: 29400,
    Double: 42600,
    Superior: 50700,
    Junior: 64500,
    Lake: 116700,
  };
  const rooms = (...names: string[]) =>
    json("/api/rooms", {
      rooms: names.map((name) => ({ type: name.toLowerCase(), name: `${name} Room`, total: PRICES[name] })),
    });
  const check = { expected: '"Junior Room"', received: '"Lake Room"' };
  const usual = run(...rooms("Single", "Double", "Superior", "Junior"), passing(check));
  const cause = (...names: string[]) =>
    told(run(...rooms(...names), failing(check), page("<h3>Lake Room</h3>")), usual, usual);

  test("is told by how it is sorted, where that is as texts are", () => {
    expect(cause("Lake", "Single", "Double", "Superior")[0]).toBe(
      "answer_changed: GET /api/rooms answered a list that is sorted by “total” as texts are, not as numbers: 116700 comes before 29400",
    );
  });

  test("is told by the thing that it has not, by its name, and by the one that it has, where it is sorted otherwise", () => {
    const causes = cause("Lake", "Double", "Single", "Superior");
    expect(causes[0]).toBe(
      "answer_changed: GET /api/rooms answered with other items for “rooms” than in the last pass, without “Junior Room”, which the test looks for, with “Lake Room”, which that had not",
    );
    expect(causes.join()).not.toContain("as texts are");
  });
});

test("a clock that the test stopped is told beside passes that let it run", () => {
  const pause = click("Pause clock", { name: "browserContext.clockPauseAt", ts: 3_000 });
  const typed = click('Fill "crab"', { name: "fill", ts: 4_000, params: { value: "crab" } });
  const found = json("/api/dishes?q=crab", [], 4_100);
  expect(first(run(pause, typed, failing()), run(typed, ...found, passing()))).toStartWith(
    "test_code: The test had stopped the page's clock",
  );
  expect(told(run(pause, typed, failing()), run(pause, typed, ...found, passing())).join()).not.toContain(
    "clock",
  );
});
