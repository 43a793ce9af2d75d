import { describe, expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { json, post, told } from "./scene.ts";

const sending = (url: string, sent: object, answer: object) =>
  post(url, 200, answer, { request: { body: JSON.stringify(sent) } });
const shown = (expected: string, received: string, target = "getByTestId('expected')") =>
  failing({
    title: `Expect "toHaveText" ${target}`,
    expected: `"${expected}"`,
    received: `"${received}"`,
  });

test("a day that a write was answered with in the place of the one that it was sent with comes before any clock", () => {
  const cause = (answer: string, want = "14 Dec 2026", got = "13 Dec 2026") =>
    told(run(...sending("/api/orders", { due: "2026-12-14" }, { due: answer }), shown(want, got)))[0];
  expect(cause("2026-12-13")).toBe(
    "answer_changed: POST /api/orders was sent with “2026-12-14” for “due” and answered with “2026-12-13”",
  );
  expect(cause("2026-12-14")).toStartWith("time: Another day, by the clock");
  expect(cause("2026-12-13", "3 Jan 2027", "2 Jan 2027")).toStartWith("time: Another day, by the clock");
});

test("a number that the answer has by another name is no other one", () => {
  const cause = (line: object) =>
    told(
      run(
        ...sending("/api/orders/7/receipts", { lines: [{ quantity: 6 }] }, { lines: [line] }),
        shown("50", "30", "getByTestId('quantity')"),
      ),
    ).join("\n");
  expect(cause({ quantity: 10, received: 0 })).toContain("was sent with “6” for “lines.0.quantity”");
  expect(cause({ quantity: 10, received: 6 })).not.toContain("was sent with");
});

describe("a number that was added where it was to be taken away", () => {
  const read = (count: number, ts: number) =>
    json("/api/articles/7", { levels: [{ stock: 75 }, { stock: count }] }, { ts });
  const adjust = (delta: number, answer: object = { ok: true }) =>
    sending("/api/articles/7/adjustments", { delta }, answer);
  const cause = (...events: Parameters<typeof run>) =>
    told(run(...events, shown("26", "34", "getByTestId('on-hand')"))).join("\n");

  test("is told by what was there before, and by the answer that has the sum", () => {
    expect(cause(...read(30, 3_000), ...adjust(-4, { levels: [{ stock: 75 }, { stock: 34 }] }))).toStartWith(
      "answer_changed: POST /api/articles/7/adjustments was sent with “-4” for “delta”, and answered with “34” for “levels.1.stock”, which had been “30”: it was added instead of taken away",
    );
    expect(cause(...read(30, 3_000), ...adjust(-4), ...read(34, 4_500))).toContain(
      "with “-4” for “delta”, and GET /api/articles/7 then answered with “34” for “levels.1.stock”",
    );
  });

  test("is not told of another number, nor where nothing is known of before", () => {
    for (const events of [
      [...read(30, 3_000), ...adjust(4), ...read(34, 4_500)],
      [...read(31, 3_000), ...adjust(-4), ...read(34, 4_500)],
      [...adjust(-4), ...read(34, 4_500)],
      [...json("/api/tax", { percent: 30 }, { ts: 3_000 }), ...adjust(-4), ...read(34, 4_500)],
      [...read(30, 3_000), ...adjust(-4)],
    ])
      expect(cause(...events)).not.toContain("instead of taken away");
  });
});
