import { describe, expect, test } from "bun:test";
import { json, told } from "../alone/scene.ts";
import { failing, run } from "../run.ts";

const asked = (body: object, answer: object, more: object = {}) =>
  json("/api/graphql", answer, { method: "POST", request: { body: JSON.stringify(body) }, ...more });
const tickets = (...states: string[]) => ({
  totalCount: states.length,
  nodes: states.map((status, at) => ({ id: `t${at}`, subject: `Ticket ${at}`, status })),
});
const query = (text: string, variables: object) => ({ operationName: "Tickets", query: text, variables });

describe("what is asked where one address answers everything", () => {
  const causeOf = (body: object, answer: object) => told(run(...asked(body, answer), failing())).join("\n");
  const filtered = { filter: { status: "OPEN" }, first: 10 };
  const mixed = { data: { tickets: tickets("OPEN", "PENDING", "OPEN") } };

  test("is a question by the text of its operation, and its variables are what it asks for", () => {
    expect(
      causeOf(query("query Tickets($filter: Filter) { tickets { nodes { id } } }", filtered), mixed),
    ).toContain(
      "(Tickets) asked for “OPEN” for “status”, and 1 of the 3 things that it was answered with are others (“pending”): the filter was ignored",
    );
  });

  test("is one by the name of its procedure", () => {
    const call = (method: string) => ({ jsonrpc: "2.0", id: 1, method, params: filtered });
    const answer = { jsonrpc: "2.0", id: 1, result: tickets("OPEN", "PENDING", "OPEN") };
    expect(causeOf(call("tickets.list"), answer)).toContain("the filter was ignored");
    for (const method of ["tickets.markAll", "tickets.listing"])
      expect(causeOf(call(method), answer), method).not.toContain("the filter was ignored");
  });

  test("is none where it changes something, wherever its text says so", () => {
    for (const text of [
      "mutation Tickets($filter: Filter) { close { nodes { id } } }",
      "fragment Part on Ticket { id } mutation Tickets { close { ...Part } }",
    ])
      expect(causeOf(query(text, filtered), mixed), text).not.toContain("the filter was ignored");
  });
});

describe("what an operation is given", () => {
  const update = (answered: object) =>
    told(
      run(
        ...asked(
          {
            operationName: "UpdateTeam",
            query: "mutation UpdateTeam($input: TeamInput!) { updateTeam(input: $input) { id } }",
            variables: { input: { name: "Night shift", members: ["u1", "u2"] } },
          },
          { data: { updateTeam: answered } },
          { ts: 4_100 },
        ),
        failing({ expected: '"2 members"', received: '"No members"' }),
      ),
    ).join("\n");

  test("is compared with the thing that it was answered with", () => {
    expect(update({ id: "g1", name: "Night shift", members: [] })).toContain(
      'POST /api/graphql (UpdateTeam) was sent with “["u1","u2"]” for “members” and answered with an empty one ([]): it was not stored',
    );
    expect(update({ id: "g1", name: "Night shift", members: ["u1", "u2"] })).not.toContain("not stored");
  });
});
