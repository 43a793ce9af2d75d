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

describe("an answer that stays the same", () => {
  const seats = (ts: number, day: string, isTaken: boolean) =>
    exchange(`/api/seats?day=${day}`, { ts, body: JSON.stringify({ seats: [{ isTaken }] }) });
  const pass = run(
    ...seats(1_000, "2030-05-06", false),
    press(1_100),
    ...seats(1_200, "2030-05-07", false),
    press(1_300),
    ...seats(1_400, "2030-05-08", true),
    passing(),
  );
  const inARow = (...events: Parameters<typeof run>) =>
    told(run(...events, failing()), pass, pass).some((title) => title.includes("times in a row"));

  test("did not stand still where other things were asked for, one by one", () => {
    expect(
      inARow(
        ...seats(1_000, "2030-05-06", false),
        press(1_100),
        ...seats(1_200, "2030-05-07", false),
        press(1_300),
        ...seats(1_400, "2030-05-08", false),
      ),
    ).toBeFalse();
  });

  test("did where the same was asked for, by whomever", () => {
    const [one, two, three] = [1_000, 1_200, 1_400].map((ts) => seats(ts, "2030-05-08", false));
    expect(inARow(...one!, ...two!, ...three!)).toBeTrue();
    expect(inARow(...one!, press(1_100), ...two!, press(1_300), ...three!)).toBeTrue();
  });

  test("did not where it moves by a write that was never sent, and did where that was sent", () => {
    const balance = (ts: number, amount: number) =>
      exchange("/api/balance", { ts, body: JSON.stringify({ amount }) });
    const pay = (ts: number) =>
      exchange("/api/payments", { ts, method: "POST", request: { body: '{"amount":5}' }, body: "{}" });
    const beat = (ts: number) => exchange("/api/presence", { ts, method: "POST", body: "{}" });
    const early = [balance(1_000, 50), balance(1_200, 50), balance(1_400, 50)].flat();
    const usual = run(...early, ...beat(1_450), ...pay(1_500), ...balance(1_600, 45), passing());
    const inARow = (...events: Parameters<typeof run>) =>
      told(run(...early, ...events, failing()), usual, usual).some((title) => title.includes("in a row"));
    expect(inARow()).toBeFalse();
    expect(inARow(...beat(1_450))).toBeFalse();
    expect(inARow(...beat(1_450), ...pay(1_500), ...balance(1_600, 50))).toBeTrue();
  });
});
