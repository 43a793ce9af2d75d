import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../run.ts";

const post = (path: string, ts: number, id = "n_1a2b3c4d") =>
  exchange(`/api/notes/${id}/${path}`, { method: "POST", ts });
const list = (ts: number, ...notes: string[]) =>
  exchange("/api/notes", { ts, body: JSON.stringify({ notes: notes.map((name) => ({ name })) }) });
const undo = click("Click getByRole('button', { name: 'Undo' })", { name: "page.click", ts: 4_000 });
const seen = { name: "toBeVisible", title: "Expect \"toBeVisible\" getByText('Groceries')" };
const missing = failing({
  ...seen,
  ...{ message: "Error: element(s) not found", expected: undefined, received: undefined },
});
const passed = (id: string) =>
  run(
    ...post("archive", 3_000, id),
    ...list(3_050, "Rent"),
    undo,
    ...post("restore", 4_050, id),
    ...list(4_100, "Rent", "Groceries"),
    passing(seen),
  );
const usual = ["n_9f8e7d6c", "n_5a4b3c2d"].map(passed);

describe("a write that went out once more in the place of its counterpart", () => {
  test("is told with that, before the list that is read afterwards", () => {
    const now = run(
      ...post("archive", 3_000),
      ...list(3_050, "Rent"),
      undo,
      ...post("archive", 4_050),
      ...list(4_100, "Rent"),
      missing,
    );
    expect(first(now, ...usual)).toMatch(
      /^request_repeated: POST \S+\/archive was sent twice.*; POST \S+\/restore was never sent: in the last pass it went out .* after “Click getByRole\('button', \{ name: 'Undo' \}\)”/,
    );
  });

  test("is told by itself where it had gone out before that action", () => {
    const now = run(
      ...post("archive", 3_000),
      ...post("archive", 3_020),
      ...list(3_050, "Rent"),
      undo,
      ...list(4_100, "Rent"),
      missing,
    );
    expect(told(now, ...usual).join("\n")).not.toMatch(/twice[^\n]*; POST \S+\/restore was never sent/);
  });
});
