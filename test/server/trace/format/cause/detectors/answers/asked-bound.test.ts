import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../../run.ts";

const ROOMS = [
  { name: "Classic Double", max: 2 },
  { name: "Junior Suite", max: 2 },
  { name: "Family Garden", max: 4 },
  { name: "Lake Suite", max: 3 },
];
const met = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByRole('article')",
  expected: "2",
  received: "4",
};
const search = (rooms: object[], end: typeof failing, query = "adults=2&guests=3") =>
  run(...exchange(`/api/rooms?${query}`, { ts: 4_000, body: JSON.stringify({ rooms }) }), end(met));
const told = (rooms: object[], usual = ROOMS.slice(2), query?: string) => {
  const pass = search(usual, passing, query);
  return first(search(rooms, failing, query), pass, pass);
};

test("a list with more than it was asked for is told with the number that the answer ignored", () => {
  expect(told(ROOMS)).toEndWith(
    "answered with 4 items for “rooms” instead of 2 items, with “Classic Double”, which that had not; it was asked with guests=3 and ignored that: what is new in it has less for “max” (“Classic Double”: 2)",
  );
});

test("no number was ignored where something else is new too, passes have it as well, or none was asked for", () => {
  expect(told([...ROOMS, { name: "Garden Hall", max: 9 }])).not.toContain("ignored");
  expect(told(ROOMS, [ROOMS[1]!, ROOMS[2]!])).not.toContain("ignored");
  expect(told(ROOMS, ROOMS.slice(2), "adults=2")).not.toContain("ignored");
  expect(told(ROOMS.slice(3))).not.toContain("ignored");
});
