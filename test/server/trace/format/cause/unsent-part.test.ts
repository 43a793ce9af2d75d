import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run } from "./run.ts";

const counts = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByRole('row')",
  expected: "3",
  received: "9",
};
const query = "state=any&grade=any&search=&sort=number&page=1&size=20";
const asked = (ts: number, words: string, path = "/api/parcels") =>
  exchange(`${path}?${words}`, { ts, body: "[]" });
const pick = click("Click getByRole('option', { name: 'Fragile' })", {
  ts: 4_000,
  name: "page.click",
  step_id: "pick",
});
const usual = (words: string) => run(...asked(3_000, query), pick, ...asked(4_100, words), passing(counts));
const toldOf = (words: string) => first(run(...asked(3_000, query), pick, failing(counts)), usual(words));

test("a question with a long query that was never sent is told with what the one before it had not", () => {
  expect(toldOf(query.replace("grade=any", "grade=fragile"))).toStartWith(
    "request_unsent: GET /api/parcels?…grade=fragile… was never sent: in the last pass it went out 100 ms after",
  );
});

test("it is told by its address alone where it differs in much, or by a secret, or where nothing was asked there", () => {
  const bare = "request_unsent: GET /api/parcels was never sent: in the last pass";
  expect(toldOf(query.replaceAll("any", "lost").replace("page=1", "page=2"))).toStartWith(bare);
  expect(toldOf(`${query}&token=a1b2`)).toStartWith(bare);
  expect(first(run(pick, failing(counts)), run(pick, ...asked(4_100, query), passing(counts)))).toStartWith(
    bare,
  );
});

test("a short query is told as it is", () => {
  const short = (ts: number, grade: string) => asked(ts, `grade=${grade}`);
  const pass = run(...short(3_000, "any"), pick, ...short(4_100, "fragile"), passing(counts));
  expect(first(run(...short(3_000, "any"), pick, failing(counts)), pass)).toStartWith(
    "request_unsent: GET /api/parcels?grade=fragile was never sent",
  );
});
