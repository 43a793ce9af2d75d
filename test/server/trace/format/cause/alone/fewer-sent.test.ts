import { expect, test } from "bun:test";
import { click, run, save } from "../run.ts";
import { post, textOf, told } from "./scene.ts";

const tick = (nth: number, name = "check") =>
  click(`Check getByLabel('Select ${nth}')`, { name: `page.${name}`, ts: 2_000 + nth * 100 });
const sent = (ids: string[], ...ticks: ReturnType<typeof tick>[]) =>
  told(
    run(
      ...ticks,
      save(),
      ...post("/api/archive", 200, {}, { request: { body: JSON.stringify({ ids }) } }),
      textOf("row", "Archived", "Open"),
    ),
  ).join("\n");

test("a write with fewer things than were ticked is told with both numbers", () => {
  expect(sent(["a"], tick(1), tick(2), tick(3))).toStartWith(
    "page_changed: POST /api/archive was sent with 1 item for “ids”, though the test had ticked 3 of them: the others were left out",
  );
});

test("it is not where all were sent, one was ticked alone, or a tick was taken back", () => {
  expect(sent(["a", "b"], tick(1), tick(2))).not.toContain("left out");
  expect(sent(["a"], tick(1))).not.toContain("left out");
  expect(sent(["a"], tick(1), tick(2), tick(2, "uncheck"))).not.toContain("left out");
});
