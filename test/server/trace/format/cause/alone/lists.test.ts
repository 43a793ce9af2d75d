import { describe, expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { document, first, json, missed, told } from "./scene.ts";

describe("a list whose things are not what was asked for", () => {
  const patients = (query: string, states: unknown[]) =>
    json(`/api/patients${query}`, { rows: states.map((state, at) => ({ name: `Ida ${at}`, state })) });
  const counted = { expected: '"2 found"', received: '"3 found"' };

  test("is told with the filter that was ignored", () => {
    const asked = patients("?state=waiting", ["waiting", "discharged", "waiting"]);
    expect(first(run(...asked, failing(counted)))).toBe(
      "answer_changed: GET /api/patients?state=waiting asked for “waiting” for “state”, and 1 of the 3 things that it was answered with are others (“discharged”): the filter was ignored",
    );
  });

  test("is as it was asked for where all are so, none is, or their states are not known", () => {
    for (const states of [
      ["waiting", "waiting"],
      ["in", "out"],
      ["waiting", undefined],
    ])
      expect(told(run(...patients("?state=waiting", states), failing(counted))).join()).not.toContain(
        "ignored",
      );
  });
});

describe("a table of a page", () => {
  const table = (url: string, ...rows: [string, string, number][]) =>
    document(
      url,
      `<table><thead><tr><th>Team<th>State<th>Pts</tr></thead><tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td><b>${cell}</b></td>`).join("")}</tr>`).join("")}</tbody></table>`,
    );

  test("whose rows are not what was asked for is told with the filter that was ignored", () => {
    const asked = table("/teams?state=open", ["Ash", "Open", 1], ["Birch", "Closed", 2]);
    expect(first(run(...asked, failing({ expected: '"1 team"', received: '"2 teams"' })))).toBe(
      "answer_changed: GET /teams?state=open asked for “open” for “state”, and 1 of the 2 things that it was answered with are others (“closed”): the filter was ignored",
    );
  });

  test("that is sorted as texts are is told where the test wants another row first", () => {
    const rows: [string, string, number][] = [
      ["Ash", "open", 9],
      ["Birch", "open", 8],
      ["Cedar", "open", 4],
      ["Oak", "open", 10],
    ];
    const met = '["Ash 9", "Birch 8", "Cedar 4", "Oak 10"]';
    const cause = (expected: string) =>
      told(run(...table("/ladder", ...rows), failing({ expected, received: met }))).join("\n");
    expect(cause('["Oak 10", "Ash 9", "Birch 8", "Cedar 4"]')).toStartWith(
      "answer_changed: GET /ladder answered a list that is sorted by “Pts” as texts are, not as numbers: 4 comes before 10",
    );
    expect(cause('["Ash 12", "Birch 8", "Cedar 4", "Oak 10"]')).not.toContain("as texts are");
  });
});

describe("a list that is sorted by a number as texts are", () => {
  const versions = (numbers: number[]) => json("/api/versions", { versions: numbers.map((n) => ({ n })) });
  const check = { expected: '"Version 11"', received: '"Version 9"' };

  test("is told with two that stand the wrong way round", () => {
    expect(first(run(...versions([9, 8, 7, 2, 11, 10, 1]), failing(check)))).toBe(
      "answer_changed: GET /api/versions answered a list that is sorted by “n” as texts are, not as numbers: 2 comes before 11",
    );
  });

  test("is in order where the numbers are, or in none", () => {
    for (const numbers of [
      [11, 10, 9, 8],
      [9, 2, 11, 8],
    ])
      expect(told(run(...versions(numbers), failing(check))).join()).not.toContain("as texts are");
  });
});

test("an empty list of what belongs to one thing says nothing of what is looked for elsewhere", () => {
  const article = json("/api/articles/a35ea616/comments", { comments: [] });
  const looked = (target: string) => told(run(...article, missed(target))).join("\n");
  expect(looked("getByRole('button', { name: 'Publish' })")).toStartWith("element_missing");
  expect(looked("getByTestId('comment')")).toStartWith("answer_changed: GET /api/articles/a35ea616/comments");
});

test("a read that failed once and was answered when it was asked again is no cause", () => {
  const asked = (ts: number, status: number) => json("/api/labs/7", { status: "running" }, { ts, status });
  const cause = (...answers: ReturnType<typeof asked>[]) => first(run(...answers.flat(), failing()));
  expect(cause(asked(4_000, 503))).toStartWith("request_failed: GET /api/labs/7 was answered with 503");
  expect(cause(asked(4_000, 503), asked(4_300, 200))).not.toStartWith("request_failed");
});
