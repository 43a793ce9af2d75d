import { expect, test } from "bun:test";
import { failing, page, run } from "../run.ts";
import { first, json, textOf, told } from "./scene.ts";

const OTHER = "by another name";
const cause = (answer: unknown, expected: string, received: string, ...more: Parameters<typeof run>) =>
  told(run(...json("/api/bikes/7", answer), ...more, textOf("who", expected, received))).join("\n");

test("what an answer has as the test wants it is told where the page leaves it blank", () => {
  expect(cause({ id: 7, displayName: "Jonas Beck" }, "Jonas Beck", "")).toStartWith(
    "answer_changed: GET /api/bikes/7 answered “Jonas Beck” for “displayName”, as the test wants, but getByTestId('who') shows nothing: the page may look for it by another name",
  );
  const defect = (reporter: string) => ({ id: 7, defects: [{ part: "Brake", reporter }] });
  expect(cause(defect("Jonas Beck"), "Brake – unsafe (Jonas Beck)", "Brake – unsafe ()")).toStartWith(
    "answer_changed: GET /api/bikes/7 answered “Jonas Beck” for “defects.0.reporter”, as the test wants, but getByTestId('who') shows “Brake – unsafe ()” without it",
  );
  expect(cause(defect("Jonas Beck"), "Brake (Jonas Beck)", "Brake (undefined)")).toContain(OTHER);
});

test("so is a list of which the page shows nothing, with what it shows in its place", () => {
  const list = failing({
    title: "Expect \"toHaveText\" getByRole('option')",
    expected: 'Array [ "Harbor Grill", "Blue Inn", ]',
    received: "Array []",
  });
  const shops = [{ label: "Harbor Grill" }, { label: "Blue Inn" }];
  expect(first(run(...json("/api/shops", shops), page("<ul><li>undefined</li></ul>"), list))).toBe(
    "answer_changed: GET /api/shops answered “Harbor Grill” and “Blue Inn” for “*.label”, as the test wants, but getByRole('option') shows none of them, and the page has “undefined”: the page may look for them by another name",
  );
  expect(told(run(...json("/api/shops", shops.slice(1)), list)).join()).not.toContain(OTHER);
});

test("it is not where the value is of another thing, or nothing is what there is to show", () => {
  for (const said of [
    cause({ id: 7, staff: [{ name: "Jonas Beck" }] }, "Brake (Jonas Beck)", "Brake ()"),
    cause({ id: 7, who: null, owner: "Jonas Beck" }, "Jonas Beck", ""),
    cause({ id: 7, displayName: "Jonas Beck" }, "Jonas Beck", "Ada Pohl"),
    cause({ id: 7, texts: [{ author: "Ada Pohl", __typename: "Note" }] }, "Note (Ada Pohl)", "Note ()"),
  ])
    expect(said).not.toContain(OTHER);
});

test("a value that the page shows in another place is told, of one thing", () => {
  const shown = page("<h1>Ada Moss</h1>");
  expect(cause({ id: 7, guest: { name: "Ada Moss" } }, "Dear Ada Moss, hi", "Dear , hi", shown)).toContain(
    "for “guest.name”, as the test wants",
  );
});
