import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

const inbox = (ts: number, ...mails: string[]) =>
  exchange("http://mail.example/inbox?to=ana", {
    ts,
    resource_type: "api",
    media_type: "application/json",
    body: JSON.stringify({ mails: mails.map((subject) => ({ subject })) }),
  });
const usual = run(...inbox(1_000, "Your code"), passing());
const press = (ts: number) => click("Click getByRole('button', { name: 'Next' })", { ts });

describe("what a test asks for until it is there", () => {
  test("is no cause where it came in the end", () => {
    const failed = run(...inbox(1_000), ...inbox(1_200), ...inbox(1_400, "Your code"), failing());
    expect(told(failed, usual, usual).join()).not.toContain("/inbox");
  });

  test("is told where it never came, or came otherwise than in the passes", () => {
    expect(first(run(...inbox(1_000), ...inbox(1_200), failing()), usual, usual)).toContain("/inbox");
    const other = run(...inbox(1_000), ...inbox(1_200, "Welcome"), failing());
    expect(first(other, usual, usual)).toContain("/inbox");
  });

  test("is another question after something was done", () => {
    const failed = run(...inbox(1_000), press(1_100), ...inbox(1_200, "Your code"), failing());
    expect(first(failed, usual, usual)).toContain("/inbox");
  });
});
