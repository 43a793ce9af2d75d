import { expect, test } from "bun:test";
import fc from "fast-check";
import { addressPattern } from "../../../server/run/globs.ts";

/** The same by its definition, one character at a time. */
function fits(glob: string, address: string): boolean {
  const tokens = glob.match(/\*\*|./g) ?? [];
  let ends = new Set([0]);
  for (const token of tokens) {
    const next = new Set<number>();
    for (const from of ends) {
      if (!token.startsWith("*")) {
        if (address[from] === token) next.add(from + 1);
        continue;
      }
      for (let to = from; to <= address.length; to++) {
        next.add(to);
        if (token === "*" && address[to] === "/") break;
      }
    }
    ends = next;
  }
  return ends.has(address.length);
}

test("an address with stars is a glob of the whole address, one without is a part of it", () => {
  expect(addressPattern("/api/orders").test("http://shop.example/api/orders/7?x=1")).toBe(true);
  expect(addressPattern("**/api/*").test("http://shop.example/api/orders")).toBe(true);
  expect(addressPattern("**/api/*").test("http://shop.example/api/orders/7")).toBe(false);
  expect(addressPattern("**/api/**").test("http://shop.example/api/orders/7")).toBe(true);
  expect(addressPattern("*.json").test("http://shop.example/a.json")).toBe(false);
  expect(addressPattern("**.json").test("http://shop.example/axjson")).toBe(false);
});

test("a glob matches what its characters say, whatever its stars and the address are", () => {
  const glob = fc.array(fc.constantFrom("a", "b", "/", "*", "**", "."), { maxLength: 9 });
  const address = fc.array(fc.constantFrom("a", "b", "/", "."), { maxLength: 14 });
  fc.assert(
    fc.property(glob, address, (parts, letters) => {
      const [text, url] = [parts.join(""), letters.join("")];
      fc.pre(text.includes("*"));
      expect(addressPattern(text).test(url)).toBe(fits(text, url));
    }),
    { numRuns: 5_000 },
  );
});

test("a glob of many stars is done with a long address", () => {
  const address = `http://shop.example/${"a".repeat(2_000)}`;
  for (const stars of ["**a", "*a", "**a*a"]) {
    expect(addressPattern(`**${stars.repeat(40)}b`).test(address)).toBe(false);
    expect(addressPattern(`**${stars.repeat(40)}`).test(address)).toBe(true);
  }
});
