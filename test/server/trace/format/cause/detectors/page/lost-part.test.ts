import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const json = { media_type: "application/json" };
const part = (query: string, ts: number, codes: readonly string[]) =>
  exchange(`/api/rooms?size=2${query}`, {
    ts,
    ...json,
    body: JSON.stringify({ rooms: codes.map((code) => ({ code, floor: "First floor" })) }),
  });
const shows = (codes: readonly string[]) =>
  page(`<ul>${codes.map((code) => `<li><b>${code}</b><i>First floor</i></li>`).join("")}</ul>`);
const look = { name: "toHaveCount", title: "Expect \"toHaveCount\" getByRole('listitem')", expected: "4" };
/** On a shared server each run meets other rooms. */
const visit = (end: typeof failing, prefix: string, shown: readonly number[], beds = 1) => {
  const codes = [1, 2, 3, 4].map((number) => `${prefix}-${number}`);
  return run(
    ...exchange("/api/beds", { ts: 500, ...json, body: JSON.stringify({ beds }) }),
    ...part("", 1_000, codes.slice(0, 2)),
    ...part("&from=2", 2_000, codes.slice(2)),
    end({ ...look, received: String(shown.length) }),
    shows(shown.map((number) => `${prefix}-${number}`)),
  );
};
const both = [1, 2, 3, 4];
const usual = () => [visit(passing, "Oak", both), visit(passing, "Elm", both)] as const;

test("a list whose later part stands in the place of the one before it is told, whatever rooms each run meets", () => {
  expect(first(visit(failing, "Ash", [3, 4], 7), ...usual())).toBe(
    "page_changed: The page shows only the 2 that GET /api/rooms?size=2&from=2 brought, where the last pass shows those of the part before it as well: they replaced the list, of which “Ash-1”, “Ash-2” are gone, instead of being added to it",
  );
});

test("it is not told where some of the earlier part stands there, the later one is not whole, or passes show one as well", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("replaced the list");
  expect(isTold(visit(failing, "Ash", [2, 3, 4]), ...usual())).toBe(false);
  expect(isTold(visit(failing, "Ash", [3]), ...usual())).toBe(false);
  expect(
    isTold(visit(failing, "Ash", [3, 4]), visit(passing, "Oak", both), visit(passing, "Elm", [3, 4])),
  ).toBe(false);
  expect(isTold(visit(failing, "Ash", [3, 4]))).toBe(false);
});
