import { expect, test } from "bun:test";
import { click, exchange, failing, passing, run, told } from "./run.ts";

test("a read that went out before an action here and after it in passes is none that was never sent", () => {
  const open = click("Pick seat", { ts: 2_000 });
  const asked = (ts: number) => exchange("/api/shows/1", { ts });
  const after = run(open, ...asked(2_100), passing());
  const said = (...before: number[]) =>
    told(run(...before.flatMap(asked), open, failing()), after, after).join();
  expect(said(1_900)).not.toContain("was never sent");
  expect(said()).toContain("GET /api/shows/1 was never sent");
  const twice = run(...asked(1_900), open, ...asked(2_100), passing());
  expect(told(run(...asked(1_900), open, failing()), twice, twice).join()).toContain("was never sent");
});
