import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileScenario } from "../../../../server/run/language/compile.ts";
import { starterScenario } from "../../../../server/run/language/starter.ts";

const compiled = (url: string, text: string) => {
  const { file, problem } = starterScenario(url, text);
  if (!file) throw new Error(problem);
  const { scenario, problems } = compileScenario(file, () => null);
  expect(problems).toEqual([]);
  return scenario!;
};

test("a starter opens the page and expects the text there", () => {
  expect(starterScenario("https://www.shop.example/cart?view=all", "Your cart").file).toEqual({
    name: "shop-example-cart.scenario.md",
    text: [
      "---",
      "slug: shop-example-cart",
      'title: "www.shop.example/cart"',
      'base_url: "https://www.shop.example"',
      "---",
      "Opens the page and sees that it shows what a visitor comes for.",
      "",
      '1. go to "/cart?view=all"',
      '2. expect text "Your cart" within 10s',
      "",
    ].join("\n"),
  });
});

test.each([
  "http://null/",
  "http://true",
  "http://1e/5",
  "http://localhost:3000",
  "http://[::1]:80/",
  "http://0x7f",
])("what YAML could take for something else is a slug too: %s", (url) => {
  expect(compiled(url, "x").slug).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
});

test("whatever address and text are given, what comes of them compiles and says the same", () => {
  const text = fc
    .string({ minLength: 1, maxLength: 150, unit: "binary" })
    .filter((one) => /[^\s\p{Cc}\p{Cs}]/u.test(one));
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), text, (url, given) => {
      const scenario = compiled(url, given);
      expect(scenario.base_url).toBe(new URL(url).origin);
      expect(scenario.steps).toHaveLength(2);
      const { action } = scenario.steps[1]!;
      const shown = JSON.stringify(given.replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim());
      expect(JSON.stringify(action)).toContain(shown);
    }),
    { numRuns: 40 },
  );
});

describe("what it cannot be made of is refused in words", () => {
  test.each([
    ["shop.example", "x", /https:\/\/shop\.example\/cart/],
    ["file:///etc/passwd", "x", /address of a page/],
    ["https://ada:secret@shop.example", "x", /without a name and password/],
    ["https://shop.example", " \n ", /text that the page must show/],
    ["https://shop.example", "x".repeat(201), /at most 200 characters/],
  ])("%s", (url, text, words) => {
    const { file, problem } = starterScenario(url, text);
    expect(file).toBeNull();
    expect(problem).toMatch(words);
    expect(problem).not.toContain("secret");
  });
});
