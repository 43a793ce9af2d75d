import { describe, expect, test } from "bun:test";
import { causeOf, exchange, failing, page, passing, run } from "../run.ts";

const counted = (open: number, latest = "Printer offline") =>
  exchange("/api/tickets", { ts: 1_000, body: JSON.stringify({ counts: { open }, latest }) });
const shop = (heading: string) => page(`<main><h1>${heading}</h1></main>`);
const sureOf = (now: ReturnType<typeof run>, usual: ReturnType<typeof run>): number =>
  causeOf(now, usual, usual).suspects.find(({ title }) => title.includes("“counts.open”"))?.confidence ??
  Number.NaN;
const usual = run(...counted(22), passing(), shop("Thank you"));

describe("how many there are of something", () => {
  test("tells little where the step speaks of no figures and looks at nothing of that answer", () => {
    expect(sureOf(run(...counted(21), failing(), shop("Checkout")), usual)).toBeLessThan(0.4);
  });

  test("tells where there are none any more", () => {
    expect(sureOf(run(...counted(0), failing(), shop("Checkout")), usual)).toBeGreaterThan(0.55);
  });

  test("tells where the step reads figures", () => {
    const sums = { expected: '"Load 57 %"', received: '"Load 56 %"' };
    const failed = run(...counted(21), failing(sums), shop("Load 56 %"));
    expect(sureOf(failed, run(...counted(22), passing(sums), shop("Load 57 %")))).toBeGreaterThan(0.55);
  });

  test("tells where the step looks at something of the same answer", () => {
    const last = { expected: '"Router down"', received: '"Printer offline"' };
    const failed = run(...counted(21), failing(last), shop("Printer offline"));
    expect(sureOf(failed, run(...counted(22), passing(last), shop("Router down")))).toBeGreaterThan(0.55);
  });
});
