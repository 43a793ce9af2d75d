import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

interface Member {
  id?: number;
  name: string;
  town: string;
  since: number;
}
const ANN = { id: 7, name: "Ann Bell", town: "Ulm", since: 2021 };
const BO = { id: 8, name: "Bo Carr", town: "Bonn", since: 2022 };
const CY = { id: 9, name: "Cy Dean", town: "Kiel", since: 2019 };
const count = (expected: number, received: number) => ({
  title: "Expect \"toHaveCount\" getByTestId('member')",
  expected: String(expected),
  received: String(received),
});
const went = (members: Member[], end: typeof passing, check: Record<string, unknown>) =>
  run(
    ...exchange("/api/members", {
      ts: 4_000,
      media_type: "application/json",
      body: JSON.stringify({ data: { members } }),
    }),
    end(check),
  );

describe("an item that a list of an answer has twice", () => {
  const words =
    "answer_changed: GET /api/members answered with the same item twice in “data.members”: “Bo Carr, Bonn” (id 8), of 4 items";
  const twice = went([ANN, BO, BO, CY], failing, count(3, 4));

  test("is told by its name, with and without a pass", () => {
    const usual = went([ANN, BO, CY], passing, count(3, 4));
    expect(first(twice)).toBe(words);
    expect(first(twice, usual, usual)).toBe(`${words}, where the last pass has none twice`);
  });

  test("is told of items without an id by all that they say", () => {
    const { id: _, ...bare } = BO;
    expect(first(went([ANN, bare, bare], failing, count(2, 3)))).toContain(
      "the same item twice in “data.members”: “Bo Carr, Bonn”, of 3 items",
    );
  });

  test("is as it is meant where a pass has it so as well, or items only look alike", () => {
    const isTold = (...given: Parameters<typeof first>) => first(...given)?.includes("same item") ?? false;
    const usual = went([ANN, BO, BO, CY], passing, count(4, 4));
    expect(isTold(twice, usual, usual)).toBe(false);
    expect(isTold(went([ANN, BO, { ...BO, id: 10 }], failing, count(2, 3)))).toBe(false);
    // Without a pass, and where nothing is too many, a list may have it twice.
    expect(isTold(went([ANN, BO, BO], failing, count(4, 3)))).toBe(false);
  });
});
