import { expect, test } from "bun:test";
import { click, failing, run } from "../run.ts";
import { fill, header, post, told } from "./scene.ts";

const pick = click("Select option getByLabel('Location')", {
  name: "page.selectOption",
  ts: 2_000,
  params: { selector: 'internal:label="Location"i', options: [{ valueOrLabel: "B-12 Rack" }] },
});
const apply = click("Click getByRole('button', { name: 'Apply' })", { ts: 4_000 });
const cause = (body: string, error = "Only 0 left at null.", status = 422) =>
  told(
    run(
      pick,
      fill("Change", "-5", 3_000),
      apply,
      ...post(
        "/items/7",
        status,
        { error },
        {
          request: { body, headers: header("content-type", "application/x-www-form-urlencoded") },
        },
      ),
      failing({ received: '""' }),
    ),
  ).join("\n");

test("a field that a refused write came without is told with what the test had given it", () => {
  expect(cause("intent=adjust&delta=-5")).toStartWith(
    "page_changed: POST /items/7 was sent without what the test had given “Location” (“B-12 Rack”), and was answered with 422: Only 0 left at null.",
  );
});

test("it is not where it was sent, by its name or its value, or something else was refused", () => {
  for (const said of [
    cause("location=12&delta=-5"),
    cause("place=B-12+Rack&delta=-5"),
    cause("intent=adjust&delta=-5", "Only 0 left."),
    cause("intent=adjust&delta=-5", "Only 0 left at null.", 500),
    cause("intent=adjust"),
  ])
    expect(said).not.toContain("was sent without what");
});
