import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../../run.ts";

const headers = [{ name: "content-type", value: "application/json" }];
const ask = (operationName: string, ts: number, variables: object = {}, kind = "query") =>
  exchange("/graphql", {
    ...{ ts, method: "POST", body: `{"data":{"at":"${operationName}"}}`, resource_type: "fetch" },
    request: {
      headers,
      body: JSON.stringify({ operationName, variables, query: `${kind} ${operationName} { at }` }),
    },
  });
const beacon = (ts: number) => exchange("/ping", { ts, method: "POST", status: 204 });
const send = click("Click Send", { ts: 3_000, name: "page.click" });

describe("a question of GraphQL", () => {
  const asked = ask("Thread", 1_000, { number: 1 });
  const sent = ask("ReplyToThread", 3_050, { text: "Hello" }, "mutation");

  test("is told as never sent again after what was sent of the same thing, whatever else is posted meanwhile", () => {
    const usual = run(...asked, send, ...sent, ...ask("Thread", 3_200, { number: 1 }), passing());
    const mine = run(...asked, send, ...sent, ...beacon(3_300), failing());
    expect(first(mine, usual, usual)).toBe(
      "request_unsent: POST /graphql (Thread) was never sent again: it was sent once, where the last pass sent it twice, again 200 ms after “Click Send”; POST /graphql (ReplyToThread) had been answered with 200, so the page may go on with what it knew before",
    );
    expect(
      told(run(...asked, send, ...sent, failing()), run(...asked, send, ...sent, passing())).join("\n"),
    ).not.toContain("never sent");
  });

  test("is told with what it asks for that the action before it gave", () => {
    const pick = click("Select option getByLabel('Status')", {
      ...{ ts: 3_000, name: "page.selectOption", params: { options: [{ valueOrLabel: "OPEN" }] } },
    });
    const all = ask("Tickets", 1_000, { filter: {} });
    const usual = run(...all, pick, ...ask("Tickets", 3_100, { filter: { status: "OPEN" } }), passing());
    expect(first(run(...all, pick, failing()), usual, usual)).toBe(
      "request_unsent: POST /graphql (Tickets) with “OPEN” for “status” was never sent: in the last pass it went out 100 ms after “Select option getByLabel('Status')”",
    );
  });

  test("is no write: that it was asked less often before a page was loaded anew changes nothing there", () => {
    const reload = [
      click("Reload", { ts: 4_000, name: "page.reload" }),
      ...exchange("/", { ts: 4_050, resource_type: "document" }),
    ];
    const usual = run(...asked, send, ...ask("Thread", 3_200, { number: 2 }), ...reload, passing());
    expect(told(run(...asked, send, ...reload, failing()), usual, usual).join("\n")).not.toContain(
      "never sent",
    );
  });
});

test("a page and its data alone are one question: either may be what a link leads to", () => {
  const follow = click("Click Items", { ts: 3_000, name: "page.click" });
  const list = (url: string, resource_type: string) =>
    exchange(url, { ts: 3_100, resource_type, body: "{}", media_type: "application/json" });
  const cause = (now: string, type: string, before: string, usually: string) => {
    const usual = run(follow, ...list(before, usually), passing());
    return told(run(follow, ...list(now, type), failing()), usual, usual).join("\n");
  };
  for (const data of ["/items.data?page=2", "/items/__data.json?page=2"]) {
    expect(cause(data, "fetch", "/items?page=2", "document")).not.toContain("never sent");
    expect(cause("/items?page=2", "document", data, "fetch")).not.toContain("never sent");
  }
  expect(cause("/items?page=1", "document", "/items.data?page=2", "fetch")).toContain("never sent");
});
