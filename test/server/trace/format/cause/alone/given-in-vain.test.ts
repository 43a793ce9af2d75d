import { expect, test } from "bun:test";
import { click, run } from "../run.ts";
import { around, fill, json, textOf, told } from "./scene.ts";

const select = click("Select option getByLabel('State')", {
  name: "page.selectOption",
  ts: 4_100,
  params: { selector: 'internal:label="State"i', options: [{ valueOrLabel: "Open" }] },
});
const html = (count: number, note = "") =>
  `<label>State <select><option>All</option><option>Open</option></select></label>
   <label>Search <input type="search"></label><textarea>${note}</textarea><p data-testid="count">${count} reports</p>`;
const reports = json("/api/reports", [{ id: "r1" }], { ts: 2_000 });
const cause = (action: ReturnType<typeof click>, after: string, ...more: Parameters<typeof run>) =>
  told(
    run(...reports, ...around(action, html(30), after), ...more, textOf("count", "4 reports", "30 reports")),
  ).join("\n");

test("a choice and a search that the page asked for nothing after, and that changed nothing on it, lead", () => {
  expect(cause(select, html(30))).toStartWith(
    "request_unsent: No request was sent after “Select option getByLabel('State')”, and the page stayed as it was: nothing was done with what was picked, or not yet",
  );
  expect(cause(fill("Search", "attic", 4_100), html(30))).toContain("it did not search, or not yet");
});

test("what was asked, another page or field since, and a field that finds nothing say otherwise", () => {
  for (const said of [
    cause(select, html(30), ...json("/api/reports?state=open", [], { ts: 4_150 })),
    cause(select, html(7)),
    cause(select, html(30, "Dear reader")),
    cause(fill("Title", "attic", 4_100), html(30)),
  ])
    expect(said).not.toContain("stayed as it was: ");
});

test("a search of a page that the server renders is told as well, and a choice on one is not", () => {
  const on = (action: ReturnType<typeof click>) =>
    told(run(...around(action, html(30), html(30)), textOf("count", "4 reports", "30 reports"))).join("\n");
  expect(on(fill("Search", "attic", 4_100))).toContain("it did not search, or not yet");
  expect(on(select)).not.toContain("nothing was done with what was picked");
});
