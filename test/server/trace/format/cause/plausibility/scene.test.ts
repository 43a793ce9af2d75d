import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run } from "../run.ts";

const wants = {
  message: "Locator: getByTestId('figures')\nError: element(s) not found",
  received: undefined,
};
const board = (lessons: unknown) =>
  exchange("/api/board", {
    ...{ ts: 4_000, media_type: "application/json" },
    body: JSON.stringify({ pupils: 33, lessons }),
  });
const logged = (text: string) => ({ kind: "console.error", text, ts: 4_020 });
const usual = run(...board([{ id: 1 }]), passing(wants));
const of = (text: string) => first(run(...board(null), logged(text), failing(wants)), usual, usual);

test("what a framework caught of the page's own scripts, and logged, is told with the answer that it was thrown over", () => {
  const error = "[app] unhandled TypeError: Cannot read properties of null (reading 'slice')";
  const cause = of(error);
  expect(cause).toStartWith("answer_changed: GET /api/board answered “null” for “lessons”");
  expect(cause).toEndWith(`; then the page logged the error: ${error}`);
});

test("what is logged and names no error of a script is not", () => {
  expect(of("[app] board failed: no layout")).not.toContain("; then");
});
