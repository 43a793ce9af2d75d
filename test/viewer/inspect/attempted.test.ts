import { expect, test } from "bun:test";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import { attemptedLocator } from "../../../viewer/trace/stage/inspect/attempted.ts";
import { parseLocator } from "../../../viewer/trace/stage/inspect/locator/parse.ts";

const event = (more: Record<string, unknown>) =>
  ({ seq: 1, ts: 1, kind: "agent.action", ...more }) as unknown as TraceEvent;

test.each([
  [
    { params: { selector: 'internal:role=button[name="Pay \\"now\\""i]' } },
    "getByRole('button', { name: 'Pay \"now\"' })",
  ],
  [
    { params: { selector: "internal:role=row[include-hidden=true]" } },
    "getByRole('row', { includeHidden: true })",
  ],
  [
    { params: { selector: '#count >> internal:has-text="1"i' } },
    "locator('#count').filter({ hasText: '1' })",
  ],
  [{ params: { selector: "ul > li" } }, "ul > li"],
  [
    { message: "expect(locator).toBeVisible() failed\n\nLocator: getByTestId('a')\nExpected: visible" },
    "getByTestId('a')",
  ],
  [{ log: ["waiting for getByText('x to be done') to be visible"] }, "getByText('x to be done')"],
])("the locator of %j is read so that it can be tried", (given, code) => {
  expect(attemptedLocator(event(given))).toBe(code);
  expect(parseLocator(code).isOk).toBe(true);
});

test("a step that looked for nothing has none", () => {
  expect(attemptedLocator(null)).toBeNull();
  expect(
    attemptedLocator(event({ params: { url: "/" }, log: [1, "navigating"], message: "Locator:\nx" })),
  ).toBeNull();
});
