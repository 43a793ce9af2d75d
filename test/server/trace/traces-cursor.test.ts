import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeCursor, encodeCursor } from "../../../server/trace/traces/cursor.ts";

test("a cursor leads back to its place", () => {
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.uuid({ version: 7 }), (createdAt, id) => {
      expect(decodeCursor(encodeCursor({ createdAt, id }))).toEqual({ createdAt, id });
    }),
  );
});

test("what is no cursor is none, and nothing but its own text leads to a place", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
      const place = decodeCursor(text);
      if (place !== null) expect(encodeCursor(place)).toBe(text);
    }),
    { numRuns: 1000 },
  );
  const good = encodeCursor({ createdAt: 5, id: "019ca945-0a00-7045-af54-0fe9595256ef" });
  for (const bad of ["", "a", `${good}=`, ` ${good}`, good.slice(1), good.toLowerCase()])
    expect(decodeCursor(bad)).toBeNull();
});
