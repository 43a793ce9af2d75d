import { expect, test } from "bun:test";
import fc from "fast-check";
import { failureSignature, normaliseFailure } from "../../../../server/trace/format/signature.ts";
import { growth, LINEAR } from "../../../helpers/cost.ts";

const of = (message: string, title = "Click button", kind = "agent.action") =>
  failureSignature({ kind, title, message });

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""))
    .filter((text) => length > 7 || /\d/.test(text));
const varying = fc.record({
  number: fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((n) => n.toFixed(2)),
  ),
  uuid: fc.uuid(),
  sha: fc.oneof(hex(7), hex(40), hex(64)),
  time: fc
    .date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  query: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[\w%.~-]{1,12}$/), {
    minKeys: 1,
    maxKeys: 4,
  }),
  port: fc.integer({ min: 1, max: 65535 }),
});
const message = (v: typeof varying extends fc.Arbitrary<infer T> ? T : never) =>
  `Error: expect(received).toBe(expected) for order ${v.uuid}, build ${v.sha}, at ${v.time}: got ${v.number} ` +
  `from http://localhost:${v.port}/orders/${v.uuid}/items/${v.port}?${new URLSearchParams(v.query)} (/cart?${new URLSearchParams(v.query)})`;

test("the signature stays when numbers, ids, hashes, times, variable path parts and queries change", () => {
  fc.assert(fc.property(varying, varying, (a, b) => of(message(a)) === of(message(b))));
});

test("different words have different signatures, in message, step and kind alike", () => {
  const words = fc.array(
    fc.constantFrom("cart", "order", "button", "missing", "hidden", "timeout", "email"),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(words, words, (a, b) => {
      const [one, other] = [a.join(" "), b.join(" ")];
      if (one === other) return of(one) === of(other);
      return (
        of(one) !== of(other) && of("x", one) !== of("x", other) && of("x", "t", one) !== of("x", "t", other)
      );
    }),
  );
});

test("it is written as sig_ and 16 hex digits", () => {
  expect(of("anything")).toMatch(/^sig_[0-9a-f]{16}$/);
});

test("terminal colours, the call log and the stack do not count", () => {
  const plain = 'expect(locator).toHaveText(expected) failed\nExpected: "Paid"\nReceived: "Open"';
  const noisy = `\u001b[31mexpect(locator).toHaveText(expected) failed\u001b[39m\nExpected: "Paid"\nReceived: "Open"\n\nCall log:\n  - waiting 5000ms\n    at /home/a/spec.ts:3:4`;
  expect(of(noisy)).toBe(of(plain));
  expect(of(`${plain}\n    at Object.<anonymous> (/home/ci/work/app/cart.spec.ts:12:8)`)).toBe(of(plain));
});

test("the same file on another machine is the same file", () => {
  const on = (path: string) => `ENOENT: no such file, open '${path}'`;
  expect(normaliseFailure(on("/home/runner/work/app/data/users.json"))).toBe(
    normaliseFailure(on("C:\\Users\\jo\\app\\data\\users.json")),
  );
  expect(normaliseFailure(on("/a/users.json"))).not.toBe(normaliseFailure(on("/a/orders.json")));
});

test("it takes time that grows with the text, whatever the text", async () => {
  for (const unit of ["a/", "/a", "?a=b&", "0", "1.", "[", "-0", "a0", "http://"]) {
    expect(await growth((length) => of(unit.repeat(length)), 20_000)).toBeLessThan(LINEAR);
  }
});

test("it takes no longer than the text is, where its beginning is one gap between lines", async () => {
  const gap = (length: number) => `x${"\n".repeat(length)}y`;
  expect(await growth((length) => of(gap(length)), 4_000)).toBeLessThan(LINEAR);
});
