import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "./run.ts";

/** An operation of a stored query, whose name alone says what it does. */
const operation = (operationName: string, ts: number, answer: object, sent: object = { id: "a" }) =>
  exchange("/graphql", {
    ts,
    method: "POST",
    request: { body: JSON.stringify({ id: `${operationName}@1`, operationName, variables: sent }) },
    body: JSON.stringify(answer),
    media_type: "application/json",
  });
const press = click("Click Hand in", { ts: 2_900 });
const done = { data: { submit: { points: 3 } } };
const refused = { data: { submit: null }, errors: [{ message: "This attempt is closed" }] };
const usual = run(press, ...operation("Submit", 3_000, done), passing());
const again = (ts: number) => operation("Submit", ts, refused);

test("what a page sends again by itself when it is done already leads before its refusal", () => {
  const failed = run(press, ...operation("Submit", 3_000, done), ...again(4_100), ...again(5_200), failing());
  expect(first(failed, usual, usual)).toBe(
    "request_repeated: POST /graphql (Submit) was sent 3 times, within 2.2 s; in the last pass once; the last one was refused: “This attempt is closed”",
  );
});

test("a person may send it again, and what failed is tried again", () => {
  const twice = run(
    press,
    ...operation("Submit", 3_000, done),
    click("Click again", { ts: 4_000 }),
    ...again(4_100),
    failing(),
  );
  const late = run(press, ...operation("Submit", 3_000, done), ...again(9_100), failing({ ts: 9_000 }));
  const retried = run(press, ...again(3_000), ...again(4_100), failing());
  for (const failed of [twice, late, retried])
    expect(told(failed, usual, usual).join("\n")).not.toContain("was sent twice");
});

test("an operation that changes what it answers and was sent once too often leads, with its second answer", () => {
  const attempt = (nth: number) => ({ data: { submit: { attempt: nth } } });
  const one = run(press, ...operation("Submit", 3_000, attempt(1)), passing({ expected: '"1"' }));
  const cause = (...events: Parameters<typeof run>) =>
    told(run(press, ...events, failing({ expected: '"1"', received: '"2"' })), one, one);
  expect(cause(...operation("Submit", 3_000, attempt(1)), ...operation("Submit", 3_010, attempt(2)))[0]).toBe(
    "request_repeated: POST /graphql (Submit) was sent twice, within 10 ms; in the last pass once; POST /graphql (Submit) answered “2” for “data.submit.attempt”, where the last pass had “1”",
  );
  // What is read twice says the same, or something else for what was written meanwhile.
  const same = cause(...operation("Submit", 3_000, attempt(2)), ...operation("Submit", 3_010, attempt(2)));
  const written = cause(
    ...operation("Submit", 3_000, attempt(1)),
    ...exchange("/api/notes", { ts: 3_005, method: "POST" }),
    ...operation("Submit", 3_010, attempt(2)),
  );
  for (const suspects of [same, written]) expect(suspects.join("\n")).not.toContain("was sent twice");
});
