import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, first, page, passing, run, told } from "../../run.ts";

const MORE = click("Click getByRole('button', { name: 'Show more' })", { ts: 4_000, name: "page.click" });
const answer = (ts: number, ...names: string[]) =>
  exchange("/api/rooms", { ts, body: JSON.stringify({ rooms: names.map((name) => ({ name, left: 4 })) }) });
const list = (...names: string[]) => `<ul>${names.map((name) => `<li><h3>${name}</h3></li>`).join("")}</ul>`;
const written = (names: string[]) => `[ ${names.map((name) => JSON.stringify(name)).join(", ")} ]`;

const ALL = ["Single", "Double", "Garden", "Lake"];
const visit = (end: typeof failing, shown: string[], more = ALL.slice(2), before = ALL.slice(0, 2)) =>
  run(
    ...answer(1_000, ...ALL.slice(0, 2)),
    page(list(...before), { ts: 4_000, step_id: MORE.step_id, phase: "action" }),
    MORE,
    ...answer(4_050, ...more),
    ...exchange("/api/notices", { ts: 4_500, body: '{"notices":[{"text":"Open till nine"}]}' }),
    end({ expected: written(ALL), received: written(shown) }),
    page(list(...shown)),
  );
const usual = visit(passing, ALL);

describe("a page that shows more of a list in the place of what it showed", () => {
  test("is told with what is gone, and what took its place", () => {
    expect(first(visit(failing, ["Garden", "Lake"]), usual, usual)).toBe(
      "page_changed: After “Click getByRole('button', { name: 'Show more' })” the page shows only what GET /api/rooms brought then: it replaced the list, of which “Single”, “Double” are gone, instead of adding to it, as in the last pass",
    );
  });

  test("has not done so where it kept a part, where the answer had all of it, or where passes lose it too", () => {
    const others = visit(passing, ["Garden", "Lake"]);
    for (const [failed, pass] of [
      [visit(failing, ["Double", "Garden", "Lake"]), usual],
      [visit(failing, ["Garden", "Lake"], ALL), usual],
      [visit(failing, ["Garden", "Lake"]), others],
      [visit(failing, ["Garden", "Lake"], ALL.slice(2), []), usual],
    ] as const)
      expect(told(failed, pass, pass).join()).not.toContain("it replaced the list");
  });
});

test("how much there is of one thing explains that it is missing, and not that several are; nor does a count of lines", () => {
  const rooms = (left: number) =>
    exchange("/api/rooms", { ts: 1_000, body: JSON.stringify({ rooms: [{ name: "Single", left }] }) });
  const trust = (expected: string[], message: string) => {
    const texts = { expected: written(expected), received: written(["Lake"]) };
    const usual = run(...rooms(4), passing(texts));
    const { suspects } = causeOf(run(...rooms(5), failing({ ...texts, message })), usual, usual);
    return suspects.find(({ title }) => title.includes("“rooms.Single.left”"))!.confidence;
  };
  const failed = "expect(locator).toHaveText(expected) failed";
  const ofOne = trust(["Single", "Lake"], failed);
  const ofSeveral = trust(["Single", "Double", "Lake"], failed);
  expect(ofOne - ofSeveral).toBeGreaterThan(0.2);
  expect(trust(["Single", "Double", "Lake"], `${failed}\n\n- Expected  - 4\n+ Received  + 0`)).toBe(
    ofSeveral,
  );
});
