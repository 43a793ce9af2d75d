import { describe, expect, test } from "bun:test";
import { click, failing, page, run, SITE } from "../run.ts";
import { operation, told } from "./scene.ts";

const press = (ts: number) =>
  click("Click getByRole('button', { name: 'Name' })", { name: "page.click", ts });
const wants = (expected: string, received: string) =>
  failing({ expected: JSON.stringify(expected), received: JSON.stringify(received) });
const cause = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");

const READ = "query Order($id: ID!) { order(id: $id) { id } }";
const SAVE =
  "mutation UpdateOrder($id: ID!, $input: OrderInput!) { updateOrder(id: $id, input: $input) { id } }";
const order = { id: "o7", supplierName: "Nordwerk", note: "soon", priceCents: 4_500, feeCents: 900 };
const read = (thing: { id: string }, ts = 3_000) =>
  operation(READ, { id: thing.id }, { order: thing }, { ts });
const save = (input: object, thing: object, ts = 4_100) =>
  operation(SAVE, { id: "o7", input }, { updateOrder: thing }, { ts });

describe("of one address that answers everything the run tells as of several", () => {
  test("what a thing was sent without, and has no more since", () => {
    const lost = { ...order, supplierName: null };
    const words = "POST /graphql (UpdateOrder) was sent without “supplierName”, which POST /graphql (Order)";
    const look = wants("Nordwerk", "");
    expect(cause(...read(order), ...save({ note: "late" }, lost), look)).toContain(words);
    for (const silent of [
      [...read({ ...order, id: "o8" }), ...save({ note: "late" }, lost)],
      [...read(order), ...save({ note: "late", supplierName: "" }, lost)],
      [...read(order), ...save({ note: "late" }, order)],
    ])
      expect(cause(...silent, look)).not.toContain("was sent without “supplierName”");
  });

  test("a write in another unit than what had been read", () => {
    const words = "POST /graphql (UpdateOrder) was sent with “45” for “priceCents”";
    const other = operation("query Me { me { id } }", {}, { me: { id: "u1", unread: 4 } }, { ts: 3_500 });
    const sent = (priceCents: number, feeCents: number) =>
      operation(
        SAVE,
        { input: { priceCents, feeCents } },
        { updateOrder: { id: "o7", priceCents, feeCents } },
        { ts: 4_100 },
      );
    expect(cause(...read(order), ...other, ...sent(45, 9), wants("€45", "€0.45"))).toContain(words);
    expect(cause(...read(order), ...other, ...sent(4_500, 900), wants("€45", "€0.45"))).not.toContain(
      "another unit",
    );
  });

  test("answers that were sent under the places of what they answer", () => {
    const quiz = operation(
      "query Quiz { quiz { questions { id } } }",
      {},
      { quiz: { questions: [{ id: "q1" }, { id: "q2" }] } },
      { ts: 3_000 },
    );
    const hand = (answers: object) =>
      operation(
        "mutation HandIn($answers: JSON!) { handIn(answers: $answers) { correct } }",
        { answers },
        { handIn: { correct: 0 } },
        { ts: 4_100 },
      );
    const look = wants("2 of 2", "0 of 2");
    const wrapped = (answers: object) => cause(...quiz, ...hand({ quiz: "z", answers }), look);
    expect(wrapped({ 0: "A", 1: "B" })).toContain("keyed by position");
    expect(wrapped({ q1: "A", q2: "B" })).not.toContain("keyed by position");
  });

  const people = (variables: object, items: object[], ts: number, total = items.length) =>
    operation(
      "query People($page: Int, $team: String) { people { items { id } total } }",
      variables,
      { people: { items, total } },
      { ts },
    );
  const ann = [{ id: 1, name: "Ann" }];

  test("a page beyond the last one of a list that was filtered since", () => {
    const look = wants("Zoe", "");
    const asked = (number: number) => [
      ...people({ page: 3, team: "all" }, ann, 1_000, 25),
      ...people({ page: number, team: "blue" }, [], 4_200, 4),
    ];
    expect(cause(...asked(3), look)).toContain(
      "still asked for page=3 when “team” had become “blue”, and was answered with nothing, of 4 in all",
    );
    expect(cause(...asked(1), look)).not.toContain("still asked for");
  });

  test("an order that was asked for twice alike", () => {
    const look = wants("Zoe", "Ann");
    const asked = (dir: string) => [
      press(1_000),
      ...people({ sort: "name", dir: "asc" }, ann, 1_100),
      press(4_000),
      ...people({ sort: "name", dir }, ann, 4_100),
    ];
    expect(cause(...asked("asc"), look)).toContain(
      "for the second time the page asked POST /graphql (People) in the same order again (“sort=name&dir=asc”)",
    );
    expect(cause(...asked("desc"), look)).not.toContain("in the same order again");
  });

  test("a sign-in that led elsewhere than it was to", () => {
    const signIn = (name: string, next: string) =>
      operation(
        `mutation ${name}($input: In!) { ${name}(input: $input) { next } }`,
        { input: { email: "ann@shop.example", returnTo: "/notes" } },
        { [name]: { id: "u1", next } },
        { ts: 3_010 },
      );
    const at = (path: string, ts: number) => page("<h1>Shop</h1>", { url: `${SITE}${path}`, ts });
    const told = (name: string, next: string) =>
      cause(at("/login", 2_000), press(3_000), ...signIn(name, next), at(next, 6_990), failing());
    expect(told("SignIn", "/home")).toContain("and answered with “/home” for “next”: the page went there");
    expect(told("SignIn", "/notes")).not.toContain("the page went there");
    expect(told("RenameShop", "/home")).not.toContain("the page went there");
  });
});
