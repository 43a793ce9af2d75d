import { expect, test } from "bun:test";
import { failing, passing, run, told } from "../../run.ts";

test("a date that is of another age than the one that the test wants is by no clock", () => {
  const said = (received: string) => {
    const check = { expected: '"14/03/1988"', received: `"${received}"` };
    return told(run(failing(check)), run(passing(check)), run(passing(check))).join("\n");
  };
  expect(said("Wren Castellan 01/12/2026")).not.toContain("by the clock");
  expect(said("Wren Castellan 13/03/1988")).toContain("Another day, by the clock");
  expect(said("Wren Castellan 01/01/1970")).toContain("Another day, by the clock");
});
