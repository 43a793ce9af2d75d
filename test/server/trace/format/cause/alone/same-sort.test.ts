import { expect, test } from "bun:test";
import { click, failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

const press = (ts: number, name = "Name") =>
  click(`Click getByRole('button', { name: '${name}' })`, { name: "page.click", ts });
const asked = (ts: number, query: string) =>
  json(`/api/people?${query}`, { items: [{ id: 1, name: "Ann" }] }, { ts });
const wants = failing({ expected: '"Zoe"', received: '"Ann"' });

test("an order that was pressed twice and asked for twice alike is told with the opposite one", () => {
  expect(
    first(
      run(
        press(1_000),
        ...asked(1_100, "sort=name&dir=asc"),
        press(4_000),
        ...asked(4_100, "sort=name&dir=asc"),
        wants,
      ),
    ),
  ).toBe(
    "page_changed: After “Click getByRole('button', { name: 'Name' })” for the second time the page asked GET /api/people in the same order again (“sort=name&dir=asc”), and not in the opposite one (“desc”)",
  );
});

test("nothing is told where it turned, something else was pressed, or nothing is asked in an order", () => {
  const silent = (...events: Parameters<typeof run>) =>
    expect(told(run(...events, wants)).join("\n")).not.toContain("in the same order again");
  const [asc, desc] = ["sort=name&dir=asc", "sort=name&dir=desc"];
  silent(press(1_000), ...asked(1_100, asc), press(4_000), ...asked(4_100, desc));
  silent(press(1_000, "Age"), ...asked(1_100, asc), press(4_000), ...asked(4_100, asc));
  silent(press(1_000), ...asked(1_100, "page=2"), press(4_000), ...asked(4_100, "page=2"));
});
