import { expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../../run.ts";

const SERVED = { resource_type: "document", media_type: "text/html" };
const removes = (more: Record<string, unknown> = {}) =>
  exchange("/members/7/delete", { ts: 3_000, method: "POST", status: 303, ...more });
const list = (rows: string) =>
  exchange("/members?q=Cory", { ...SERVED, ts: 4_000, body: `<h1>Members</h1><ul>${rows}</ul>` });
const ROW = '<li><a href="/members/7">Cory Vale</a></li>';
const look = { expected: '"0 members"', received: '"1 members"' };
const usual = run(...removes(), ...list(""), passing(look));

test("what a form removed and a page still links to is told with the form", () => {
  expect(first(run(...removes(), ...list(ROW), failing(look)), usual, usual)).toBe(
    "answer_changed: POST /members/7/delete was answered with 303, but GET /members?q=Cory still listed “Cory Vale” afterwards, which it does in no pass: it was not removed, or not from there",
  );
});

test("nothing is told of a refused form, of another thing, or where a pass links to it as well", () => {
  const isTold = (...given: Parameters<typeof told>) =>
    told(...given)
      .join("\n")
      .includes("still listed");
  const other = list('<li><a href="/members/8">Bo</a></li>');
  expect(isTold(run(...removes({ status: 403 }), ...list(ROW), failing(look)), usual, usual)).toBe(false);
  expect(isTold(run(...removes(), ...other, failing(look)), usual, usual)).toBe(false);
  expect(
    isTold(run(...removes(), ...list(ROW), failing(look)), run(...removes(), ...list(ROW), passing(look))),
  ).toBe(false);
});
