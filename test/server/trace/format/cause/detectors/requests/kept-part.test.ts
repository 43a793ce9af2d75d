import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const counts = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByRole('row')",
  expected: "8",
  received: "0",
};
const list = (ts: number, query: string, count: number) =>
  exchange(`/api/parcels?${query}`, {
    ts,
    body: JSON.stringify({ items: Array.from({ length: count }, (_, at) => ({ label: `Parcel ${at}` })) }),
  });
const third = list(3_000, "state=any&page=3", 5);
const failed = (...events: Parameters<typeof run>) => run(...events, failing(counts));
const pass = (...events: Parameters<typeof run>) => run(...events, passing(counts));
const usual = pass(...third, ...list(4_000, "state=lost&page=1", 8));
const isTold = (...given: Parameters<typeof told>) =>
  told(...given)
    .join()
    .includes("it was kept from");

describe("a part of a question that the one before it had", () => {
  const kept = failed(...third, ...list(4_000, "state=lost&page=3", 0));

  test("is told where every pass gives it up when it asks for something else, before the answer to it", () => {
    expect(first(kept, usual, usual)).toBe(
      "page_changed: GET /api/parcels was asked with “page=3”, where the last pass asks with “page=1”: it was kept from the question before, though “state=lost” was new",
    );
  });

  test("is told where the passes leave it out then", () => {
    expect(first(kept, pass(...third, ...list(4_000, "state=lost", 8)))).toContain(
      "was asked with “page=3”, where the last pass asks without it: it was kept",
    );
  });

  test("is as usual where a pass keeps it too, or asks so at another time", () => {
    const keeping = pass(...third, ...list(4_000, "state=lost&page=3", 8));
    const later = pass(
      ...third,
      ...list(4_000, "state=lost&page=1", 8),
      ...list(4_500, "state=lost&page=3", 8),
    );
    expect(isTold(kept, usual, keeping)).toBe(false);
    expect(isTold(kept, usual, later)).toBe(false);
  });

  test("is not what another question had, nor what is asked for besides something else that is another one", () => {
    expect(isTold(failed(...third, ...list(4_000, "state=lost&page=2", 0)), usual)).toBe(false);
    expect(isTold(failed(...third, ...list(4_000, "state=held&page=3", 0)), usual)).toBe(false);
    expect(isTold(failed(...third, ...third), usual)).toBe(false);
    expect(isTold(kept)).toBe(false);
  });
});
