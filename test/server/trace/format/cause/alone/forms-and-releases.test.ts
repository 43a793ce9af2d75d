import { expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { document, told } from "./scene.ts";

const form = (field: string) =>
  document("/settings", `<form method="post" action="/settings">${field}<input name="company"></form>`, {
    ts: 1_000,
  });
const post = (status: number) =>
  exchange("/settings", {
    method: "POST",
    ts: 3_000,
    status,
    resource_type: "document",
    media_type: "text/html",
  });

test("a refused form is told with the hidden field of it that has a value and no name", () => {
  const said = (field: string, status = 403) =>
    told(run(...form(field), ...post(status), failing())).join("\n");
  expect(said('<input type="hidden" id="_csrf" value="12f6">')).toStartWith(
    "answer_changed: GET /settings came with a hidden field “_csrf” that has a value and no name, so that POST /settings was sent without it and answered with 403",
  );
  for (const other of [
    '<input type="hidden" name="_csrf" value="12f6">',
    '<input type="hidden" id="state">',
    '<input type="text" id="search" value="tea">',
    '</form><form action="/search"><input type="hidden" id="q" value="1">',
  ])
    expect(said(other)).not.toContain("no name");
  expect(said('<input type="hidden" id="_csrf" value="12f6">', 200)).not.toContain("no name");
});

const list = (query: string, ts: number) => document(`/invoices?${query}`, "<table></table>", { ts });
const next = click("Click Next", { ts: 2_900, name: "locator.click" });
const rows = failing({ name: "toHaveCount", expected: "2", received: "5" });

test("the next page of a list that lost what the page before was asked for is told", () => {
  expect(told(run(...list("status=overdue", 1_000), next, ...list("page=2", 3_000), rows))[0]).toBe(
    "page_changed: GET /invoices?page=2 was opened from /invoices?status=overdue without “status=overdue”: the list that follows is another one",
  );
  const silent = [
    run(...list("status=overdue", 1_000), next, ...list("status=overdue&page=2", 3_000), rows),
    run(...list("status=overdue", 1_000), next, ...list("status=paid", 3_000), rows),
    run(...list("page=1", 1_000), next, ...list("page=2", 3_000), rows),
    run(...list("utm_source=mail", 1_000), next, ...list("page=2", 3_000), rows),
    run(...list("status=overdue", 1_000), ...list("page=2", 3_000), rows),
  ];
  for (const one of silent) expect(told(one).join("\n")).not.toContain("was opened from");
});

const script = (url: string, ts: number) =>
  exchange(url, { ts, resource_type: "script", media_type: "text/javascript" });

test("a script that one run loaded in two versions is told, another site's and one that is named by a moment are not", () => {
  const said = (...urls: string[]) =>
    told(
      run(
        ...exchange("/", { ts: 500 }),
        ...urls.flatMap((url, at) => script(url, 1_000 + at * 500)),
        failing(),
        page(""),
      ),
    ).join("\n");
  expect(said("/assets/timer.js?v=42", "/assets/timer.js?v=41")).toStartWith(
    "script_failed: /assets/timer.js was loaded in two versions: “v=42” first and “v=41” later, so that pages of two releases are open",
  );
  for (const urls of [
    ["/assets/timer.js?v=42", "/assets/timer.js?v=42"],
    ["/assets/timer.js?v=42", "/assets/grid.js?v=41"],
    ["/assets/timer.js?v=1795941000000", "/assets/timer.js?v=1795941000500"],
    ["https://cdn.chat.example/w.js?v=1", "https://cdn.chat.example/w.js?v=2"],
  ])
    expect(said(...urls)).not.toContain("two versions");
});
