import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run } from "../run.ts";
import { told } from "./scene.ts";

const bulk = (boxes: string, status = 303) =>
  run(
    click("Check getByLabel('All')", { name: "page.check", ts: 3_000, step_id: "all" }),
    page(
      `<form method="post" action="/bulk"><input type="checkbox" aria-label="All" __playwright_target__="">${boxes}<input name="kind" value="book"></form>`,
      { ts: 3_010, step_id: "all", phase: "action" },
    ),
    ...exchange("/bulk", {
      ...{ method: "POST", ts: 4_000, resource_type: "document", status },
      request: {
        body: "kind=book",
        headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
      },
    }),
    failing(),
  );
const ticked = (boxes: string) => told(bulk(boxes)).join("\n");

test("a box without a name that ticks several others is left out of no form, and one by itself is", () => {
  expect(
    ticked('<input type="checkbox" name="ids" value="1"><input type="checkbox" name="ids" value="2">'),
  ).not.toContain("that has no name");
  expect(ticked("")).toContain("that has no name");
});

test("a box without a name that the page alone may read is surely missed only where the form was refused", () => {
  const sureness = (status: number) =>
    causeOf(bulk("", status)).suspects.find(({ title }) => title.includes("that has no name"))!.confidence;
  expect(sureness(422)).toBeGreaterThan(0.8);
  expect(sureness(303)).toBeLessThan(0.65);
});
