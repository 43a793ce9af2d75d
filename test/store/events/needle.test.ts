import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { looseNeedle, type Needle } from "../../../store/events/needle.ts";
import { growth, LINEAR } from "../../helpers/cost.ts";

function isFound(needle: Needle, line: string): boolean {
  const data = needle.prepare(Buffer.from(line));
  const hit = data.indexOf(needle.bytes);
  return hit !== -1 && needle.accepts(data, hit, data.length);
}

const EVENT = {
  seq: 1500,
  ts: 1_760_000_500_000,
  kind: "network.response",
  step_id: "step-url-1",
  url: "https://Shop.example/Cart",
  status: 500,
  headers: [{ name: "Retry-After", value: "12" }],
  body: '{"note":"say \\"hi\\", C:\\\\"}',
  sizes: [1, 77],
};

describe("a loose search", () => {
  test("tells a text that begins with a colon, and numbers in lists, from what names the event", () => {
    expect(isFound(looseNeedle("é"), '{"seq":":é"}')).toBe(false);
    expect(isFound(looseNeedle("é"), '{"text":":é"}')).toBe(true);
    expect(isFound(looseNeedle("1"), '{"seq":[100]}')).toBe(true);
    expect(isFound(looseNeedle("1"), '{"seq":100}')).toBe(false);
  });

  for (const line of [JSON.stringify(EVENT), JSON.stringify(EVENT).replace(/":/g, '": ')]) {
    const finds = (text: string) => isFound(looseNeedle(text), line);
    test("finds what stands in values, in either case", () => {
      const words = ["shop.example", "Shop.example", "/cart", "retry-after", "12", "note", '"note"', "C:\\"];
      expect(words.filter((word) => !finds(word))).toEqual([]);
      expect(finds("77")).toBe(true);
      expect(finds("shop.Example")).toBe(false);
    });
    test("finds no field names, and of what names the event only the whole", () => {
      const names = ["url", "headers", "status", "value", "network", "step-url", "176000", "150"];
      expect(names.filter(finds)).toEqual([]);
      const wholes = ["network.response", "step-url-1", "1500", "1760000500000", "500"];
      expect(wholes.filter((word) => !finds(word))).toEqual([]);
    });
  }

  test("finds every piece of every text, wherever it lies", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (text, before, after) => {
          const line = JSON.stringify({ seq: 1, text: before + text + after, more: { url: after } });
          expect(isFound(looseNeedle(text), line)).toBe(true);
        },
      ),
    );
  });

  test("takes time that grows with a line that is one long name or number after the other", async () => {
    const name = (length: number) => JSON.stringify({ ["a".repeat(length)]: 1 });
    const numbers = (length: number) => JSON.stringify({ seq: Array(length).fill(11) });
    expect(isFound(looseNeedle("a"), name(2_000_000))).toBe(false);
    expect(isFound(looseNeedle("1"), numbers(500_000))).toBe(true);
    expect(await growth((length) => isFound(looseNeedle("a"), name(length)), 2_000_000)).toBeLessThan(LINEAR);
    expect(await growth((length) => isFound(looseNeedle("1"), numbers(length)), 500_000)).toBeLessThan(
      LINEAR,
    );
  });

  test("takes time that grows with a line that has one field after the other", async () => {
    const fields = (length: number) => `[${'{"seq":15},'.repeat(length)}0]`;
    const spaced = (length: number) => `[${'{"seq" : 15},'.repeat(length)}0]`;
    const named = (length: number) => `{"list":[${'{"page":"p15"},'.repeat(length)}0]}`;
    const colons = (length: number) => `[${'{"seq":15},":5",'.repeat(length)}0]`;
    for (const line of [fields, spaced, named, colons]) {
      expect(isFound(looseNeedle("5"), line(10))).toBe(line === colons);
      expect(await growth((length) => isFound(looseNeedle("5"), line(length)), 40_000)).toBeLessThan(LINEAR);
    }
  });
});
