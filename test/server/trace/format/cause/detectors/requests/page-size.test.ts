import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";

const list = (query: string, count: number, more: Record<string, unknown> = {}) =>
  exchange(`/api/rooms${query}`, {
    ts: 1_000,
    media_type: "application/json",
    body: JSON.stringify({ rooms: Array.from({ length: count }, (_, at) => ({ code: `R-${at}` })) }),
    ...more,
  });
const look = { title: "Expect \"toHaveText\" getByTestId('shown')", expected: '"4 rooms shown"' };
const shows = (count: number) => page(`<p data-testid="shown">${count} rooms shown</p>`);
const failed = (events: Parameters<typeof run>, count = 6) =>
  run(...events, shows(count), failing({ ...look, received: `"${count} rooms shown"` }));
const usual = (query: string) => run(...list(query, 4), shows(4), passing(look));

test("a list that is asked for in parts of another size than in every pass is told with both", () => {
  const pass = usual("?limit=4");
  expect(first(failed(list("?limit=6", 6)), pass, pass)).toBe(
    "page_changed: GET /api/rooms?limit=6 asked for 6 at a time (“limit”), where the last pass asked for 4; it was answered with 6",
  );
});

test("it is not told where passes ask by several sizes or none, this run asks by theirs too, or nobody looks at the count", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join()
      .includes("at a time");
  const pass = usual("?limit=4");
  const asked = failed(list("?limit=6", 6));
  expect(isTold(asked, pass, usual("?limit=8"))).toBe(false);
  expect(isTold(asked, pass, usual(""))).toBe(false);
  expect(isTold(failed([...list("?limit=6", 6), ...list("?limit=4", 4)]), pass, pass)).toBe(false);
  expect(isTold(failed(list("?limit=6", 9), 9), pass, usual("?limit=4"))).toBe(false);
  expect(isTold(asked)).toBe(false);
});
