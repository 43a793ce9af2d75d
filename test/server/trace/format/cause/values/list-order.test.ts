import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, passing, run, told } from "../run.ts";

const json = (path: string, ts: number, body: object) =>
  exchange(path, { ts, media_type: "application/json", body: JSON.stringify(body) });
const at = (hour: number) => `2026-11-29T0${hour}:10:00.000Z`;

/** Things that no name tells from each other across runs. */
const item = (who: string, hour: number, note: string, size: number) => ({
  id: `sub_${who}${hour}a7`,
  who: `${who} 4${hour}${size}`,
  note,
  size,
  sentAt: at(hour),
});
const note = {
  name: "toHaveText",
  title: "Expect \"toHaveText\" getByRole('row').nth(1)",
  expected: '"Second draft"',
};
const wrong = failing({ ...note, received: '""' });
const queue = (...items: object[]) => json("/api/queue", 4_000, { items });
const usual = (a: string, b: string) =>
  run(...queue(item(a, 1, "", 12), item(b, 2, "Second draft", 24)), passing(note));
const passes = [usual("Ada", "Bo"), usual("Cy", "Di")] as const;

describe("a list that runs the other way round", () => {
  const turned = [item("Ed", 2, "Second draft", 24), item("Fay", 1, "", 12)];

  test("is told by what it is ordered by, though names and times are other ones in each run", () => {
    expect(first(run(...queue(...turned), wrong), ...passes)).toBe(
      "answer_changed: GET /api/queue answered in another order than in the last pass: “items”, with the latest “sentAt” first and the earliest last",
    );
  });

  test("comes before what is read of the thing that stands in the place of another", () => {
    const open = (id: string, text: string) => [
      click("Click getByRole('row').nth(1)", { ts: 4_300 }),
      ...json(`/api/things/${id}`, 4_400, { thing: { note: text, size: text === "" ? 12 : 24 } }),
    ];
    const pass = (a: string, b: string) =>
      run(
        ...queue(item(a, 1, "", 12), item(b, 2, "Second draft", 24)),
        ...open(`sub_${b}2a7`, "Second draft"),
        passing(note),
      );
    const failed = run(...queue(...turned), ...open("sub_Fay1a7", ""), wrong);
    expect(first(failed, pass("Ada", "Bo"), pass("Cy", "Di"))).toStartWith(
      "answer_changed: GET /api/queue answered in another order",
    );
    // Whoever is told of a thing that is not in the list was not led to it by the list.
    const other = told(
      run(...queue(...turned), ...open("sub_Gus9a7", ""), wrong),
      pass("Ada", "Bo"),
      pass("Cy", "Di"),
    );
    expect(other[0]).toStartWith("answer_changed: GET /api/things/sub_Gus9a7");
  });

  test("is told where it begins with other things than the passes' does", () => {
    const page = (...hours: number[]) =>
      json("/api/log", 4_000, {
        rows: hours.map((hour) => ({ text: `Line ${"abcdefghi"[hour]}`, price: hour })),
      });
    const values = { ...note, expected: '"Line b"' };
    const pass = () => run(...page(1, 2, 3, 4), passing(values));
    expect(
      first(run(...page(8, 7, 6, 5), failing({ ...values, received: '"Line i"' })), pass(), pass()),
    ).toBe(
      "answer_changed: GET /api/log answered in another order than in the last pass: “rows”, with the highest “price” first and the lowest last",
    );
    expect(
      first(run(...page(2, 3, 4, 5), failing({ ...values, received: '"Line c"' })), pass(), pass()),
    ).not.toContain("another order");
  });

  test("is none where a value of one thing is another, or one pass is so too", () => {
    const swapped = [item("Ed", 1, "Second draft", 12), item("Fay", 2, "", 24)];
    expect(told(run(...queue(...swapped), wrong), ...passes).join()).not.toContain("another order");
    const other = run(...queue(item("Cy", 2, "Second draft", 24), item("Di", 1, "", 12)), passing(note));
    expect(told(run(...queue(...turned), wrong), passes[0], other).join()).not.toContain("another order");
  });

  test("has no direction where it is shuffled", () => {
    const list = (...names: string[]) =>
      json("/api/list", 4_000, { items: names.map((name) => ({ name, rank: name.length })) });
    const values = { ...note, expected: '"a"' };
    const pass = () => run(...list("a", "bb", "ccc"), passing(values));
    expect(
      first(run(...list("bb", "a", "ccc"), failing({ ...values, received: '"bb"' })), pass(), pass()),
    ).toBe("answer_changed: GET /api/list answered in another order than in the last pass: “items”");
  });
});

test("an order that the test wants nothing of is told with less certainty than one that it looks for", () => {
  const board = (labels: string[]) => json("/api/board", 4_000, { cards: [{ title: "Move it", labels }] });
  const usual = run(...board(["web", "bug"]), passing());
  const certainty = (expected: string, received: string) =>
    causeOf(run(...board(["bug", "web"]), failing({ expected, received })), usual, usual).suspects.find(
      ({ title }) => title.includes("in another order"),
    )!.confidence;
  expect(certainty('"web bug"', '"bug web"')).toBeGreaterThan(0.8);
  expect(certainty('"Move it to Postmark"', '"Move it bug web"')).toBeLessThan(0.7);
});
