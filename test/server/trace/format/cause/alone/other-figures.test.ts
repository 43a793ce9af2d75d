import { expect, test } from "bun:test";
import { click, page, run } from "../run.ts";
import { first, missed } from "./scene.ts";

const enrol = click("Click getByRole('button', { name: 'Enrol' })", { ts: 4_000, step_id: "enrol" });
const TARGET = "getByText('12 courses')";
const cause = (before: string, after: string) =>
  first(
    run(page(before, { ts: 4_000, step_id: "enrol", phase: "action" }), enrol, missed(TARGET), page(after)),
  );

test("a text that differs from the wanted one in its number alone stands in its place, whatever has come since", () => {
  const stood = "<h1>Courses</h1><p>11 courses</p>";
  expect(cause(stood, `${stood}<h2>My courses</h2>`)).toBe(
    `page_changed: ${TARGET} was not found; the page has <p> “11 courses” in its place`,
  );
  // A list of such texts has none that stands for another.
  const list = "<p>1 courses</p><p>2 courses</p><p>3 courses</p>";
  expect(cause(list, `${list}<h2>My courses</h2>`)).not.toContain("<p>");
});
