import { expect, test } from "bun:test";
import { click, exchange, failing, passing, run, told } from "./run.ts";

const SAID =
  "page_changed: Nothing was asked for “Basel”, which the test typed to find something by: the last GET /api/shows was sent with “Bas” for “q”";
const typed = click("Type \"Basel\" getByLabel('Search shows')", {
  ...{ name: "page.type", ts: 3_000, duration_ms: 400, params: { selector: "#q", text: "Basel" } },
});
const asked = (text: string, ts: number) =>
  exchange(`/api/shows?q=${text}`, {
    ...{ ts, media_type: "application/json" },
    body: JSON.stringify([{ title: "Cello Night", city: "Basel" }]),
  });
const address = failing({
  ...{ name: "toHaveURL", title: 'Expect "toHaveURL"', message: "expect(page).toHaveURL(expected) failed" },
  ...{ expected: "/q=Basel/", received: '"http://shop.example/?q=Bas"' },
});
const found = failing({ expected: '"1 show"', received: '"2 shows"' });
const part = [...asked("B", 3_100), ...asked("Bas", 3_300)];

test("a search whose last letters were never asked for is told where every pass asked for all of them", () => {
  const usual = run(typed, ...asked("B", 3_100), ...asked("Basel", 3_600), passing());
  expect(told(run(typed, ...part, found), usual, usual)[0]).toBe(SAID);
  const partly = run(typed, ...part, passing());
  for (const passes of [[partly], [usual, partly]])
    expect(told(run(typed, ...part, found), ...passes).join()).not.toContain("Nothing was asked for “Basel”");
  const whole = run(typed, ...part, ...asked("Basel", 3_600), found);
  expect(told(whole, usual, usual).join()).not.toContain("Nothing was asked for “Basel”");
});

test("without a pass it is told where the test met the part in the address that it wants the whole in", () => {
  expect(told(run(typed, ...part, address))).toContain(SAID);
  expect(told(run(typed, ...part, found)).join()).not.toContain("Nothing was asked for “Basel”");
  const other = { ...address, expected: "/sort=price/" };
  expect(told(run(typed, ...part, other)).join()).not.toContain("Nothing was asked for “Basel”");
});
