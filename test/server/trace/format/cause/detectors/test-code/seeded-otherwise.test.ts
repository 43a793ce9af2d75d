import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const seed = (body: object, more: object = {}) =>
  exchange("/api/testing/boards", {
    ...{ method: "POST", ts: 1_000, resource_type: "api", status: 201 },
    request: { body: JSON.stringify(body) },
    ...more,
  });
const cards = (...titles: string[]) => ({ cards: titles.map((title) => ({ title, size: 3 })) });
const count = (end: typeof failing, received?: string) =>
  end({ title: "Expect \"toHaveText\" getByTestId('shown')", expected: '"2 cards"', received });
const SAID = "test_code: The test itself prepared other data: POST /api/testing/boards was sent";

describe("data that the test itself prepares", () => {
  const usual = run(...seed(cards("Rent", "Bills")), count(passing));
  const failed = (body: object, more?: object) => run(...seed(body, more), count(failing, '"3 cards"'));
  const saidOf = (...given: Parameters<typeof told>) => told(...given).join("\n");

  test("are told where they are more or fewer things than in every pass", () => {
    expect(first(failed(cards("Rent", "Bills", "Trips")), usual, usual)).toStartWith(
      `${SAID} with 3 items for “cards” instead of 2 items`,
    );
  });

  test("are told with a day that is another one, and what it is of", () => {
    const due = (day: string) => ({ cards: [{ title: "Rent", due: day }] });
    const overdue = { title: "Expect \"toContainText\" getByRole('listitem', { name: 'Rent' })" };
    const of = (day: string, end: typeof failing) =>
      run(...seed(due(day)), end({ ...overdue, expected: '"Overdue"', received: '"Due"' }));
    const pass = of("2026-01-03", passing);
    expect(first(of("2026-02-09", failing), pass, pass)).toBe(
      `${SAID} with the field cards.0.due “2026-02-09” where the last pass sent “2026-01-03”, of “Rent”`,
    );
  });

  test("are called who signs in where the test does so by another account", () => {
    const signed = (body: object, end: typeof failing) =>
      run(
        ...exchange("/api/session", {
          ...{ method: "POST", ts: 1_000, resource_type: "api", status: 201 },
          request: { body: JSON.stringify(body) },
        }),
        count(end, '"3 cards"'),
      );
    const pass = signed({ email: "thijs@desk.example", tab: "2026-01-03" }, passing);
    expect(saidOf(signed({ email: "ada@desk.example", tab: "2026-01-03" }, failing), pass, pass)).toContain(
      "The test itself signed in as somebody else: POST /api/session was sent with the field email “ada@desk.example” where the last pass sent “thijs@desk.example”",
    );
    expect(
      saidOf(signed({ email: "thijs@desk.example", tab: "2026-02-09" }, failing), pass, pass),
    ).not.toContain("signed in as somebody else");
  });

  test("come before an answer that lacks the thing that is another one", () => {
    const due = (day: string) => ({
      cards: ["Rent", "Bills"].map((title) => ({ title, due: title === "Rent" ? day : "2026-01-02" })),
    });
    const list = (...titles: string[]) =>
      exchange("/api/cards", {
        ts: 3_000,
        body: JSON.stringify({ cards: titles.map((title) => ({ title })) }),
      });
    const rows = { name: "toHaveCount", title: "Expect \"toHaveCount\" getByRole('row')", expected: "2" };
    const wrong = failing({
      ...rows,
      message: "expect(locator).toHaveCount(expected) failed",
      received: "1",
    });
    const pass = run(...seed(due("2026-01-03")), ...list("Rent", "Bills"), passing(rows));
    expect(first(run(...seed(due("2026-02-09")), ...list("Bills"), wrong), pass, pass)).toStartWith(SAID);
    expect(first(run(...seed(due("2026-02-09")), ...list("Rent"), wrong), pass, pass)).not.toStartWith(SAID);
  });

  test("are told with a text that no pass sends", () => {
    const now = failed({ ...cards("Rent", "Bills"), mail: "ana@shop.example" });
    expect(saidOf(now, usual, usual)).toContain(
      `${SAID} with “ana@shop.example” for “mail”, which no pass sends`,
    );
  });

  test("are no cause where they vary, where one pass alone is known, or where a page sent them", () => {
    const many = run(...seed(cards("Rent", "Bills", "Tax", "Fuel")), count(passing));
    for (const silent of [
      saidOf(failed(cards("Rent", "Bills", "Trips")), usual, many),
      saidOf(failed(cards("Rent", "Bills", "Trips")), usual),
      saidOf(failed(cards("Rent", "Bills", "Trips"), { resource_type: "fetch" }), usual, usual),
      saidOf(failed(cards("Rent", "Bills")), usual, usual),
    ])
      expect(silent).not.toContain("prepared other data");
  });
});
