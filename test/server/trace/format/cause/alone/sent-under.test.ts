import { expect, test } from "bun:test";
import { exchange, failing, run, save } from "../run.ts";
import { fill, first, json, told } from "./scene.ts";

const sent = (method: string, url: string, body: object) =>
  exchange(url, { ts: 4_100, method, request: { body: JSON.stringify(body) }, body: JSON.stringify(body) });
const wants = failing({ expected: '"10:30–11:30"', received: '"11:30–10:30"' });

test("two texts that were sent in each other's place are told with their fields", () => {
  const cause = (body: object) =>
    run(
      fill("From", "10:30", 2_000),
      fill("To", "11:30", 2_500),
      save(),
      ...sent("POST", "/api/slots", body),
      wants,
    );
  expect(first(cause({ from: "11:30", to: "10:30" }))).toBe(
    "page_changed: POST /api/slots was sent with “11:30” for “from” and “10:30” for “to”, where the test had filled in “10:30” for “From” and “11:30” for “To”: the two went in each other's place",
  );
  for (const body of [
    { from: "10:30", to: "11:30" },
    { from: "11:30", to: "12:30" },
    { begin: "11:30", end: "10:30" },
  ])
    expect(told(cause(body)).join("\n")).not.toContain("in each other's place");
});

test("a text that was sent under a name that the thing has not is told with the field that stayed", () => {
  const stays = failing({ expected: '"555 22"', received: '"555 11"' });
  const cause = (body: object, thing: object = { id: 7, phone: "555 11" }) =>
    run(
      ...json("/api/people/7", thing, { ts: 1_000 }),
      fill("Phone", "555 22", 2_000),
      save(),
      ...sent("PUT", "/api/people/7", body),
      stays,
    );
  expect(first(cause({ tel: "555 22" }))).toBe(
    "page_changed: PUT /api/people/7 was sent with “555 22” for “tel”, a field that GET /api/people/7 had not: it has “phone”, which stayed “555 11”",
  );
  expect(told(cause({ phone: "555 22" })).join("\n")).not.toContain("had not:");
  expect(told(cause({ tel: "555 22", phone: "555 22" })).join("\n")).not.toContain("had not:");
  expect(told(cause({ tel: "555 22" }, { id: 7, phone: "555 11", tel: "" })).join("\n")).not.toContain(
    "had not:",
  );
});
