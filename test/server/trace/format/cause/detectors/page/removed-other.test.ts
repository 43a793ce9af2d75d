import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const press = (name: string) => click(`Click getByRole('button', { name: 'Remove ${name}' })`, { ts: 4_000 });
const removal = (...left: string[]) =>
  exchange("/api/files/1", {
    ts: 4_050,
    method: "DELETE",
    body: JSON.stringify({ files: left.map((name) => ({ name })) }),
  });
const met = {
  title: "Expect \"toHaveText\" getByTestId('files')",
  expected: '"plan.pdf"',
  received: '"map.pdf"',
};
const usual = run(press("map.pdf"), ...removal("plan.pdf"), passing(met));

describe("a page that took the wrong thing out of its list", () => {
  test("is told with what the server had left, with passes and without", () => {
    const failed = run(press("map.pdf"), ...removal("plan.pdf"), failing(met));
    const said =
      "page_changed: getByTestId('files') shows “map.pdf”, which “Click getByRole('button', { name: 'Remove map.pdf' })” removed: DELETE /api/files/1 answered with “plan.pdf”, and the page took the wrong one out of its own list";
    expect(first(failed, usual, usual)).toBe(said);
    expect(first(failed)).toBe(said);
  });

  test("did as the server where that has it still, and as the test where that removed the other", () => {
    for (const failed of [
      run(press("map.pdf"), ...removal("plan.pdf", "map.pdf"), failing(met)),
      run(press("map.pdf"), ...removal("map.pdf"), failing(met)),
      run(press("plan.pdf"), ...removal("plan.pdf"), failing(met)),
    ])
      expect(told(failed, usual).join()).not.toContain("took the wrong one");
  });
});
