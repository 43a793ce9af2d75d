import { describe, expect, test } from "bun:test";
import { causeOf, exchange, failing, page, passing, run } from "../run.ts";

type Customer = Record<string, unknown>;

const customer = (body: Customer) => exchange("/api/customer", { ts: 1_000, body: JSON.stringify(body) });
const shop = (more: string, heading = "Checkout") => page(`<main><h1>${heading}</h1><p>${more}</p></main>`);
const sureOf = (now: ReturnType<typeof run>, usual: ReturnType<typeof run>, words: string): number =>
  causeOf(now, usual, usual).suspects.find(({ title }) => title.includes(words))?.confidence ?? Number.NaN;

describe("a value that is another one in an answer", () => {
  const before = { company: "Atelier Dubois" };
  const now = { company: "Kestrel Logistics" };

  test("tells little where the page shows it elsewhere than where the step looks", () => {
    const failed = run(...customer(now), failing(), shop("Kestrel Logistics"));
    const usual = run(...customer(before), passing(), shop("Atelier Dubois", "Thank you"));
    expect(sureOf(failed, usual, "“company”")).toBeLessThan(0.4);
  });

  test("tells where it stands in what the step looks at", () => {
    const failed = run(
      ...customer(now),
      failing({ received: '"Checkout of Kestrel Logistics"' }),
      shop("", "Checkout of Kestrel Logistics"),
    );
    const usual = run(...customer(before), passing(), shop("", "Thank you"));
    expect(sureOf(failed, usual, "“company”")).toBeGreaterThan(0.7);
  });

  test("tells where it stands in the row of what the step looks at", () => {
    const button = { title: "Expect \"toBeEnabled\" getByRole('button', { name: 'Pay' })" };
    const given = { ...button, name: "toBeEnabled", expected: "enabled" };
    const rows = (company: string) => page(`<main><ul><li>${company} <button>Pay</button></li></ul></main>`);
    const failed = run(...customer(now), failing({ ...given, received: "disabled" }), rows(now.company));
    const usual = run(...customer(before), passing(given), rows(before.company));
    expect(sureOf(failed, usual, "“company”")).toBeGreaterThan(0.7);
  });

  test("tells where it is not known where the step looks", () => {
    const other = { title: "Poll the mailbox", expected: "3", name: "toPass" };
    const failed = run(...customer(now), failing({ ...other, received: "2" }), shop(now.company));
    const usual = run(...customer(before), passing(other), shop(before.company));
    expect(sureOf(failed, usual, "“company”")).toBeGreaterThan(0.7);
  });

  test("tells where it is one word by which a product may tell kinds apart", () => {
    const failed = run(...customer({ kind: "guest" }), failing(), shop("guest"));
    const usual = run(...customer({ kind: "member" }), passing(), shop("member", "Thank you"));
    expect(sureOf(failed, usual, "“kind”")).toBeGreaterThan(0.55);
  });
});

describe("a value that is gone from an answer", () => {
  test("tells little where the page shows it elsewhere than where the step looks", () => {
    const owned = (owner: unknown) => customer({ name: "Order 7", owner });
    const failed = run(...owned(null), failing(), shop("nobody"));
    const usual = run(...owned({ name: "Jonas Weber" }), passing(), shop("Jonas Weber", "Thank you"));
    expect(sureOf(failed, usual, "“owner”")).toBeLessThan(0.4);
  });
});
