import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, save, told } from "../../run.ts";

const json = (url: string, body: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, { media_type: "application/json", body: JSON.stringify(body), ...more });
const check = { expected: '"07700 955857"', received: '"07700 900398"' };
const other = { expected: '"07700 955213"' };
const change = (answer: object, sent = "07700 955857") => [
  ...json("/api/people/7", { id: 7, phone: "07700 900398" }, { ts: 1_000 }),
  click(`Fill "${sent}" getByLabel('Phone')`, {
    name: "page.fill",
    ts: 2_900,
    params: { selector: 'internal:label="Phone"i', value: sent },
  }),
  save(),
  ...json("/api/people/7", answer, {
    ts: 3_050,
    method: "PATCH",
    request: { body: JSON.stringify({ phone: sent }) },
  }),
];

describe("a write that was answered with the value that the step met", () => {
  const now = run(...change({ id: 7, phone: "07700 900398" }), failing(check));

  test("is told with what it was sent with, and that the value is the old one", () => {
    const pass = run(...change({ id: 7, phone: "07700 955213" }, "07700 955213"), passing(other));
    expect(first(now, pass, pass)).toBe(
      "answer_changed: PATCH /api/people/7 was sent with “07700 955857” for “phone” and answered with “07700 900398”, the old value: it was not kept",
    );
  });

  test("is no news where passes are answered otherwise than they ask, too", () => {
    const pass = run(...change({ id: 7, phone: "07700 900398" }, "07700 955213"), passing(other));
    expect(told(now, pass, pass).join("\n")).not.toContain("and answered with");
  });
});
