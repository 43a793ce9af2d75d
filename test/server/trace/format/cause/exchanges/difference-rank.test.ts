import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, passing, run } from "../run.ts";

const list = (path: string, body: unknown) => exchange(path, { ts: 1_000, body: JSON.stringify(body) });
const shop = (heading: string) => page(`<main><h1>${heading}</h1></main>`);
const sureOf = (now: ReturnType<typeof run>, usual: ReturnType<typeof run>, words: string): number =>
  causeOf(now, usual, usual).suspects.find(({ title }) => title.includes(words))?.confidence ?? Number.NaN;

describe("a list with other things than in the passes", () => {
  const replies = (...titles: string[]) =>
    list("/api/replies", { replies: titles.map((title) => ({ title })) });
  const before = replies("Greeting", "Ask for logs", "Shipping delay");
  const now = replies("Greeting", "Ask for logs", "Refund policy");

  test("tells little where the step looks at none of them", () => {
    const failed = run(...now, failing(), shop("Checkout"));
    expect(sureOf(failed, run(...before, passing(), shop("Thank you")), "replies")).toBeLessThan(0.4);
  });

  test("tells little where the step counts other things, and there are as many of them as there were", () => {
    const counts = { name: "toHaveCount", title: "Expect \"toHaveCount\" getByTestId('row')", expected: "2" };
    const message = "expect(locator).toHaveCount(expected) failed";
    const failed = run(...now, failing({ ...counts, message, received: "1" }), shop("Checkout"));
    expect(sureOf(failed, run(...before, passing(counts), shop("Checkout")), "replies")).toBeLessThan(0.4);
  });

  test("tells where the step looks at one of them", () => {
    const title = "Expect \"toHaveText\" getByRole('listitem').last()";
    const rows = (last: string) => page(`<ul><li>Greeting</li><li>Ask for logs</li><li>${last}</li></ul>`);
    const failed = run(
      ...now,
      failing({ title, expected: '"Delayed"', received: '"Refunds"' }),
      rows("Refund policy"),
    );
    const usual = run(...before, passing({ title, expected: '"Delayed"' }), rows("Shipping delay"));
    expect(sureOf(failed, usual, "replies")).toBeGreaterThan(0.7);
  });

  test("tells where it is of what a person may do", () => {
    const may = (...permissions: string[]) => list("/api/account", { permissions });
    const failed = run(...may("read"), failing(), shop("Checkout"));
    const usual = run(...may("read", "write"), passing(), shop("Thank you"));
    expect(sureOf(failed, usual, "“permissions”")).toBeGreaterThan(0.7);
  });
});

describe("what is another one of one thing in a list", () => {
  const people = (...roles: string[]) =>
    list("/api/people", {
      people: ["Maja", "Tomas", "Priya", "Sofia"].map((name, at) => ({
        name,
        role: roles[at] ?? "agent",
      })),
    });
  const usual = run(...people(), passing(), shop("Thank you"));

  test("tells little where no step of the test names it", () => {
    const failed = run(...people("agent", "agent", "agent", "viewer"), failing(), shop("Checkout"));
    expect(sureOf(failed, usual, "role")).toBeLessThan(0.4);
  });

  test("tells where a step of the test names it", () => {
    const signIn = click("Fill \"Sofia\" getByLabel('Name')", { ts: 500 });
    const failed = run(signIn, ...people("agent", "agent", "agent", "viewer"), failing(), shop("Checkout"));
    expect(sureOf(failed, usual, "role")).toBeGreaterThan(0.55);
  });

  test("tells where most of them are others", () => {
    const failed = run(...people("viewer", "viewer", "viewer", "viewer"), failing(), shop("Checkout"));
    expect(sureOf(failed, usual, "role")).toBeGreaterThan(0.5);
  });
});

test("a role of a person alone tells, though the page shows it elsewhere", () => {
  const me = (role: string) => list("/api/me", { role });
  const shown = (role: string, heading: string) => page(`<main><p>${role}</p><h1>${heading}</h1></main>`);
  const failed = run(...me("agent"), failing(), shown("agent", "Checkout"));
  expect(
    sureOf(failed, run(...me("admin"), passing(), shown("admin", "Thank you")), "“role”"),
  ).toBeGreaterThan(0.55);
});
