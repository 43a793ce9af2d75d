import { expect, test } from "bun:test";
import fc from "fast-check";
import { sameStep } from "../../viewer/trace/history/same-step.ts";

const steps = (...titles: string[]) => titles.map((title, index) => ({ step_id: `call@${index}`, title }));

test("the same step of another attempt has the same title, as many times after its like", () => {
  const here = steps("open", "click", "click", "expect");
  const there = [{ step_id: "x", title: "hook" }, ...steps("open", "click", "wait", "click")].map(
    (step, index) => ({
      ...step,
      step_id: `other@${index}`,
    }),
  );
  expect(sameStep(here[2]!, here, there)?.step_id).toBe("other@4");
  expect(sameStep(here[1]!, here, there)?.step_id).toBe("other@2");
  expect(sameStep(here[3]!, here, there)).toBeNull();
  expect(sameStep(here[3]!, here, steps("a", "b", "c", "renamed"))?.title).toBe("renamed");
});

test("in a trace with the same steps every step is itself", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1 }), (titles) => {
      const here = steps(...titles);
      for (const step of here) expect(sameStep(step, here, here)).toEqual(step);
    }),
  );
});
