import { describe, expect, test } from "bun:test";
import { holdsInTurn, resolvedReferences } from "../../../../server/gate/diagnosis/references.ts";

const ref = { ref: "vars.id" };
/** An expression that tries each way takes hours for it, or gives up. */
const HOSTILE = "a".repeat(20_000);

describe("parts with references between them", () => {
  test("stand in a text in turn, each reference for a letter or more", () => {
    expect(holdsInTurn("Order42ready", ["Order", ref, "ready"])).toBe(true);
    expect(holdsInTurn("Orderready", ["Order", ref, "ready"])).toBe(false);
    expect(holdsInTurn("Order42", ["Order", ref])).toBe(true);
    expect(holdsInTurn("Order", ["Order", ref])).toBe(false);
    expect(holdsInTurn("Order", [ref, "Order"])).toBe(false);
    expect(holdsInTurn("12", [ref, ref])).toBe(true);
    expect(holdsInTurn("1", [ref, ref])).toBe(false);
  });

  test("are looked for in one pass", () => {
    const parts = Array.from({ length: 8 }, () => ["a", ref]).flat();
    expect(holdsInTurn(HOSTILE, [...parts, "b"])).toBe(false);
    expect(holdsInTurn(`${HOSTILE}b`, [...parts, "b"])).toBe(true);
  });

  test("tell what their references stand for", () => {
    expect(resolvedReferences("Your order A-17 of Ann", ["order ", ref, " of ", ref])).toEqual({
      text: "order A-17 of Ann",
      values: ["A-17", "Ann"],
    });
    expect(resolvedReferences("x-y-z", [ref, "-", ref])?.values).toEqual(["x-y", "z"]);
    expect(resolvedReferences("order A 17 done", ["order ", ref, " done"])).toBeNull();
    expect(resolvedReferences("order", ["order", ref])).toBeNull();
  });

  test("are read once from each place", () => {
    const parts = Array.from({ length: 8 }, () => [ref, "a"]).flat();
    expect(resolvedReferences(HOSTILE, [...parts, "b"])).toBeNull();
    expect(resolvedReferences(`${HOSTILE.slice(0, 400)}b`, [...parts, "b"])?.values).toHaveLength(8);
  });
});
