import { describe, expect, test } from "bun:test";
import { failing, page, run } from "../run.ts";
import { document, json, missed, told } from "./scene.ts";

/** What is asked where one address answers everything. */
describe("where one address answers everything", () => {
  const asked = (operationName: string, data: object, more: Record<string, unknown> = {}) =>
    json(
      "/graphql",
      { data },
      { method: "POST", request: { body: JSON.stringify({ operationName }) }, ...more },
    );
  const payees = (ts: number, ...names: string[]) =>
    asked("Payees", { payees: names.map((nickname) => ({ nickname })) }, { ts });
  const add = asked(
    "AddPayee",
    { addPayee: { nickname: "Piano teacher" } },
    {
      ts: 4_200,
      request: {
        body: JSON.stringify({ operationName: "AddPayee", variables: { nickname: "Piano teacher" } }),
      },
    },
  );
  const look = missed("getByRole('listitem').filter({ hasText: 'Piano teacher' })");
  const list = page("<ul><li>Landlord</li></ul>");
  const cause = (...events: Parameters<typeof run>) => told(run(...events, look, list)).join("\n");
  const beat = asked("Ping", { ping: 1 }, { ts: 4_600 });

  test("a list that was not asked for again is told, and a heartbeat or another thing could never hold it", () => {
    expect(cause(...payees(3_000, "Landlord"), ...add, ...beat)).toStartWith(
      "request_unsent: POST /graphql (Payees) was not asked for again after POST /graphql (AddPayee) (answered with 200) had sent “Piano teacher”, and the answer has it, too: the page goes on with what it knew before and has not added it",
    );
    const flags = asked("Flags", { flags: [{ key: "dark" }] }, { ts: 4_500 });
    expect(cause(...payees(3_000, "Landlord"), ...add, ...flags)).not.toContain("answered without");
  });

  test("a list that was asked for again, and a write that was refused, are told otherwise", () => {
    expect(cause(...payees(3_000, "Landlord"), ...add, ...payees(4_500, "Landlord"))).toContain(
      "POST /graphql (Payees) answered without “Piano teacher”",
    );
    expect(
      cause(...payees(3_000, "Landlord"), ...add, ...payees(4_500, "Landlord", "Piano teacher")),
    ).not.toContain("not asked for again");
    const refused = [
      add[0]!,
      { ...add[1]!, body: '{"data":{"addPayee":null},"errors":[{"message":"No right"}]}' },
    ];
    expect(cause(...payees(3_000, "Landlord"), ...refused)).not.toContain("asked for again");
  });

  test("on another page other things stand", () => {
    const gone = document("/receipt", "<p>Done</p>", { ts: 4_400 });
    expect(cause(...payees(3_000, "Landlord"), ...add, ...gone)).not.toContain("(Payees) was not asked");
  });
});

describe("a variable that a query does not declare", () => {
  const query = "query Bookings($account: ID!, $after: String) { bookings { id } }";
  const part = (ts: number, variables: object, items = [{ id: "b1" }, { id: "b2" }]) =>
    json(
      "/graphql",
      { data: { bookings: items } },
      {
        ts,
        method: "POST",
        request: { body: JSON.stringify({ operationName: "Bookings", query, variables }) },
      },
    );
  const cause = (...events: Parameters<typeof run>) =>
    told(run(...events, failing({ expected: "30", received: "15" }))).join("\n");

  test("is told, and as the reason why a part of a list is the one before", () => {
    const first = part(4_000, { account: "a", cursor: null });
    expect(cause(...first, ...part(4_500, { account: "a", cursor: "b2" }))).toStartWith(
      "answer_changed: POST /graphql (Bookings) answered the same list as to a question before it: it was sent with the variable “cursor”, which its query does not declare, and without “after”, which it does",
    );
    expect(cause(...part(4_500, { account: "a", cursor: "b2" }, []))).toContain(
      "(Bookings) was sent with the variable “cursor”",
    );
  });

  test("is not told where nothing is missing for it, or a client sends more than each query needs", () => {
    for (const variables of [
      { account: "a", after: "b2" },
      { account: "a", after: null, at: 1 },
      { account: "a" },
      { account: "a", locale: "en", theme: "dark" },
    ])
      expect(cause(...part(4_500, variables))).not.toContain("does not declare");
  });
});
