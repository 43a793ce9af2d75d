import { expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "./run.ts";

const accounts = (ts: number, cents: number) =>
  exchange("/api/accounts", {
    ts,
    body: JSON.stringify({
      items: [
        { id: "a1", name: "Current", cents: 500 },
        { id: "a2", name: "Reserve", cents },
      ],
    }),
  });
const move = (more: object = {}) =>
  exchange("/api/transfers", { ts: 4_000, method: "POST", status: 201, body: "{}", ...more });
const shown = { expected: '"€7.50"', received: '"€6.00"' };
const usual = run(...accounts(3_000, 600), ...move(), ...accounts(4_100, 750), passing(shown));
const cause = (...events: Parameters<typeof run>) =>
  told(run(...events, failing(shown)), usual, usual).join("\n");

test("a value that every pass has changed by a write is told to be as before that write", () => {
  expect(cause(...accounts(3_000, 600), ...move(), ...accounts(4_100, 600))).toContain(
    "GET /api/accounts answered “600” for “items.Reserve.cents”, where the last pass had “750”; it is still as before POST /api/transfers, which was answered with 201",
  );
});

test("it is not where it is another one, the write was refused or sent by no pass, or a pass moves without it", () => {
  const silent = (told: string) => expect(told).not.toContain("still as before");
  silent(cause(...accounts(3_000, 600), ...move(), ...accounts(4_100, 650)));
  silent(cause(...accounts(3_000, 600), ...move({ status: 500 }), ...accounts(4_100, 600)));
  const other = exchange("/api/cards", { ts: 4_000, method: "POST", status: 201, body: "{}" });
  silent(cause(...accounts(3_000, 600), ...other, ...accounts(4_100, 600)));
  const failed = run(...accounts(3_000, 600), ...move(), ...accounts(4_100, 600), failing(shown));
  const early = run(...accounts(3_000, 750), ...move(), ...accounts(4_100, 750), passing(shown));
  silent(told(failed, usual, early).join());
});
