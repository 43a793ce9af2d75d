import { describe, expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, save } from "../run.ts";
import { json, operation, textOf, told } from "./scene.ts";

describe("a write that was answered with what the test wants", () => {
  const assign = (owner: string) =>
    operation(
      "mutation Assign($id: ID!) { assign { owner } }",
      { id: "p2" },
      { assign: { owner } },
      { ts: 4_100 },
    );
  const cause = (...events: Parameters<typeof run>) =>
    told(run(save(), ...events, textOf("owner", "Ivo Berg", "Nobody"), page("<p>Nobody</p>"))).join("\n");

  test("and that the page shows nothing of did not update it", () => {
    expect(cause(...assign("Ivo Berg"))).toStartWith(
      "answer_changed: POST /graphql (Assign) answered with “Ivo Berg” for “owner”, and nothing was asked for since: the page was not updated by that answer and still shows “Nobody”",
    );
  });

  test("is told of otherwise where it has another one, or something was read since", () => {
    expect(cause(...assign("Ada Moss"))).not.toContain("not updated");
    expect(cause(...assign("Ivo Berg"), ...json("/api/tasks", [], { ts: 4_300 }))).not.toContain(
      "not updated",
    );
  });
});

describe("a write that was answered with what the test wants, beside passes", () => {
  const add = exchange("/api/plan/items", {
    ts: 4_100,
    method: "POST",
    status: 201,
    media_type: "application/json",
    request: { body: '{"code":"D2"}' },
    body: '{"items":[{"label":"Filling"}]}',
  });
  const counts = (ts: number) => json("/api/unread", { unread: 2 }, { ts });
  const list = { title: "Expect \"toHaveText\" getByRole('list')", expected: '"Filling"', received: '""' };
  type Events = Parameters<typeof run>;
  const lost = (...more: Events) =>
    first(
      run(
        ...counts(1_500),
        save({ ts: 4_000 }),
        ...add,
        ...more,
        failing(list),
        page("<ul></ul>", { ts: 6_990 }),
      ),
      usual(),
      usual(),
    );
  const usual = (...more: Events) =>
    run(
      ...counts(1_500),
      save({ ts: 4_000 }),
      ...add,
      ...more,
      passing(list),
      page("<ul><li>Filling</li></ul>", { ts: 6_990 }),
    );

  test("and that the page shows nothing of did not update it, whatever else it asks for by itself", () => {
    const TOLD =
      "answer_changed: POST /api/plan/items answered with “Filling” for “items.0.label”, and nothing was asked for since: the page was not updated by that answer and still has nothing there";
    expect(lost()).toBe(TOLD);
    expect(lost(...counts(6_000))).toBe(TOLD);
  });

  test("is told of otherwise where the page threw, or read the thing", () => {
    const threw = { kind: "console.error", source: "page", text: "TypeError: no items", ts: 4_200 };
    expect(lost(threw)).not.toContain("not updated");
    expect(lost(...json("/api/plan", { items: [] }, { ts: 4_200 }))).not.toContain("not updated");
  });
});

test("an operation about the same thing that was not asked again after a write is told", () => {
  const read = (ts: number) =>
    operation("query TaskDetail { task { notes { id } } }", {}, { task: { notes: [{ id: "n1" }] } }, { ts });
  const add = operation(
    "mutation AddTaskNote($text: String!) { addTaskNote { id } }",
    { text: "Hi" },
    { addTaskNote: { id: "n2" } },
    { ts: 4_100 },
  );
  const count = failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByTestId('note')",
    expected: "2",
    received: "1",
  });
  const cause = (...events: Parameters<typeof run>) =>
    told(run(...read(2_000), save({ ts: 4_000 }), ...events, count)).join("\n");
  expect(cause(...add)).toStartWith(
    "request_unsent: POST /graphql (TaskDetail) was not asked for again after POST /graphql (AddTaskNote), answered with 200",
  );
  expect(cause(...add, ...read(4_300))).not.toContain("not asked for again");
});
