import { expect, test } from "bun:test";
import { signal } from "@preact/signals";
import fc from "fast-check";
import { createClocks } from "../../viewer/trace/model/clock.ts";
import { fitsGlob } from "../../viewer/trace/model/glob.ts";
import type { Mark } from "../../viewer/trace/model/marks.ts";
import { growth, LINEAR } from "../helpers/cost.ts";

test("globs of injected faults fit as the routes of a runner do", () => {
  expect(fitsGlob("**/v1/charges", "http://payments.test/v1/charges")).toBe(true);
  expect(fitsGlob("**/v1/charges", "http://payments.test/v1/charges/7")).toBe(false);
  expect(fitsGlob("**/api/*", "http://shop.test/api/cart")).toBe(true);
  expect(fitsGlob("**/api/*", "http://shop.test/api/cart/7")).toBe(false);
  expect(fitsGlob("**/api/**", "http://shop.test/api/cart/7")).toBe(true);
  expect(fitsGlob("http://shop.test/?q=1", "http://shop.test/?q=1")).toBe(true);
  expect(fitsGlob("/api/cart", "http://shop.test/api/cart?page=2")).toBe(true);
  expect(fitsGlob("", "http://shop.test/")).toBe(false);
});

test("a glob fits every address made by filling its stars, and a hostile one is decided by bounded work", async () => {
  const piece = fc.stringMatching(/^[a-z0-9.:]{0,6}$/);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(piece, fc.constantFrom("*", "**"), piece), { minLength: 1, maxLength: 5 }),
      (parts) => {
        const glob = parts.map(([text, star]) => text + star).join("");
        const url = parts
          .map(([text, star, fill]) => text + (star === "**" ? `${fill}/${fill}` : fill))
          .join("");
        // Two stars side by side are one of the wider kind.
        expect(fitsGlob(glob, url)).toBe(true);
      },
    ),
  );
  expect(fitsGlob("*a".repeat(100), `${"a".repeat(600)}/`)).toBe(false);
  // The work is the product of both lengths at the most.
  const both = (length: number) => fitsGlob("*a".repeat(length / 8), `${"a".repeat(length)}/`);
  expect(await growth(both, 1600)).toBeLessThan(4 * LINEAR);
});

test("the page's clock is ahead by what it was moved, from the moment it was", () => {
  const mark = (ts: number, advance: number): Mark => ({
    seq: ts,
    ts,
    end: ts,
    lane: "clock",
    label: "",
    isBad: false,
    advance,
  });
  const world = signal<readonly Mark[]>([mark(300, 1000), mark(100, 50), mark(400, -20)]);
  const clocks = createClocks(world);
  expect([99, 100, 299, 300, 400, 9999].map((ts) => clocks.movedBy(ts))).toEqual([
    0, 50, 50, 1050, 1030, 1030,
  ]);
  expect(clocks.isVirtual.value).toBe(false);
  clocks.kind.value = "virtual";
  expect(clocks.isVirtual.value).toBe(true);
  world.value = [];
  expect(clocks.isVirtual.value).toBe(false);
});
