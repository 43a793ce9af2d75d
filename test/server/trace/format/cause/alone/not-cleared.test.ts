import { expect, test } from "bun:test";
import { failing, run, save } from "../run.ts";
import { fill, post, told } from "./scene.ts";

const holding = (expected: string, received: string, label = "Change") =>
  failing({
    title: `Expect "toHaveValue" getByLabel('${label}')`,
    message: `expect(locator).toHaveValue(expected) failed\n\nLocator: getByLabel('${label}')`,
    expected: JSON.stringify(expected),
    received: JSON.stringify(received),
  });
const filled = fill("Change", "-5", 2_000);
const cause = (...events: Parameters<typeof run>) => told(run(...events))[0];

test("a field that still holds what was sent with success is told", () => {
  expect(cause(filled, save(), ...post("/api/changes", 200, { ok: true }), holding("", "-5"))).toBe(
    "page_changed: getByLabel('Change') still holds “-5”, which the test had filled in, though POST /api/changes was answered with 200: the field was not cleared afterwards",
  );
});

test("nothing is told where nothing was done, it was refused, or the field should hold or holds something else", () => {
  const done = post("/api/changes", 200, { ok: true });
  for (const events of [
    [filled, save(), holding("", "-5")],
    [filled, save(), ...post("/api/changes", 422, { error: "Too few" }), holding("", "-5")],
    [filled, save(), ...done, holding("5", "-5")],
    [filled, save(), ...done, holding("", "0")],
    [filled, save(), ...done, holding("", "-5", "Note")],
  ])
    expect(cause(...events)).not.toContain("still holds");
});
