import { describe, expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "../run.ts";

const order = (ts: number, fields: object) =>
  exchange("/api/orders/7", { ts, body: JSON.stringify(fields), media_type: "application/json" });
const error = "TypeError: Cannot read properties of null (reading 'name')";
const thrown = (ts: number, text = error) => ({ kind: "console.error", source: "page", text, ts });
const open = { approver: null, total: 326 };
const usual = (fields: object = open, ...more: Parameters<typeof run>) =>
  run(...order(4_000, fields), ...more, passing());
const cause = (mine: Parameters<typeof run>, pass = usual()) =>
  told(run(...mine, failing()), pass, pass).find((one) => one.startsWith("page_error: ")) ?? "";
const said = `page_error: The page threw ${error}`;
const asUsual =
  "; GET /api/orders/7 had answered null for “approver”, as in the last pass, where nothing was thrown over it";

describe("a script that read something of nothing", () => {
  test("is told with the one value that is null in that answer and in every pass's", () => {
    expect(cause([...order(4_000, open), thrown(4_100)])).toBe(`${said}${asUsual}`);
  });

  test("is not told with one of several, with a value that passes have, or with an older answer", () => {
    const several = { ...open, supplier: null };
    expect(cause([...order(4_000, several), thrown(4_100)], usual(several))).toBe(said);
    expect(
      cause([...order(4_000, open), thrown(4_100)], usual({ ...open, approver: { name: "Max" } })),
    ).not.toContain("as in the last pass");
    expect(cause([...order(1_000, open), thrown(4_100)])).toBe(said);
  });

  test("is not told so of an element that was not there", () => {
    const click = "TypeError: Cannot read properties of null (reading 'addEventListener')";
    expect(cause([...order(4_000, open), thrown(4_100, click)])).not.toContain("had answered null");
  });
});
