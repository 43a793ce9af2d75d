import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const rows = (query: string, ts: number, ...names: string[]) =>
  exchange(`/api/rows${query}`, { ts, body: JSON.stringify(names.map((name) => ({ name }))) });
const shown = (...names: string[]) => page(`<ul>${names.map((name) => `<li>${name}</li>`).join("")}</ul>`);
const looks = {
  title: "Expect \"toHaveText\" getByRole('listitem')",
  expected: '"Anvil"',
  received: '"Winch"',
};
const failed = (...events: Parameters<typeof run>) => run(...events, failing(looks), shown("Winch"));
const usual = (...events: Parameters<typeof run>) => run(...events, passing(looks), shown("Anvil"));
const isTold = (...given: Parameters<typeof told>) =>
  told(...given)
    .join()
    .includes("the answer to it");

test("a read with a parameter that no pass sends is told where the page shows its answer", () => {
  const pass = usual(...rows("", 4_000, "Anvil"));
  const asked = failed(...rows("?site=north", 4_000, "Winch"));
  expect(isTold(asked, pass, pass)).toBe(true);
  expect(first(asked, pass, pass)).toContain("with the parameter site “north”, which no pass sends");
  const other = usual(...rows("?site=south", 4_000, "Anvil"));
  expect(told(asked, other, other).join()).toContain(
    "GET /api/rows was sent with the parameter site “north” where the last pass sent “south”; the page shows the answer to it",
  );
});

test("a read of an address that no pass asks is told with its query", () => {
  const pass = usual(...exchange("/api/sites", { ts: 4_000, body: "[]" }));
  expect(first(failed(...rows("?site=north", 4_000, "Winch")), pass, pass)).toBe(
    "page_changed: GET /api/rows?site=north was sent, which no pass asks for; the page shows the answer to it",
  );
});

test("no read is told that pages on, is asked as passes do too, comes of the wait, or is not what the page shows", () => {
  const pass = usual(...rows("", 4_000, "Anvil"));
  const plain = rows("", 4_000, "Winch");
  expect(isTold(failed(...rows("?page=b", 4_000, "Winch")), pass, pass)).toBe(false);
  expect(isTold(failed(...rows("?visit=x8h2kq91", 4_000, "Winch")), pass, pass)).toBe(false);
  expect(isTold(failed(...plain, ...rows("?site=north", 4_100, "Winch")), pass, pass)).toBe(false);
  expect(isTold(failed(...rows("?site=north", 5_500, "Winch")), pass, pass)).toBe(false);
  expect(isTold(failed(...rows("?site=north", 4_000, "Hoist")), pass, pass)).toBe(false);
  expect(isTold(failed(...rows("?site=north", 4_000, "Winch", "Anvil")), pass, pass)).toBe(false);
  // Passes that differ tell of no usual parameter, and one pass does not tell what varies.
  const [north, south] = ["west", "south"].map((site) => usual(...rows(`?site=${site}`, 4_000, "Anvil")));
  expect(isTold(failed(...rows("?site=north", 4_000, "Winch")), north!, south!)).toBe(false);
  expect(isTold(failed(...rows("?site=north", 4_000, "Winch")), pass)).toBe(false);
});
