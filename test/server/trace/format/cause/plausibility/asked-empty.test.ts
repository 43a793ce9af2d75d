import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, SITE } from "../run.ts";

const typed = (value: string) =>
  click(`Fill "${value}" getByLabel('Search')`, { ts: 4_000, name: "page.fill", params: { value } });
const json = (body: unknown) => ({ media_type: "application/json", body: JSON.stringify(body), ts: 4_100 });
const check = { title: "Expect \"toHaveCount\" getByTestId('row')", expected: "1", received: "0" };
const ADDRESS = "/api/members?q=Keller&sort=lastName&direction=asc&page=1";
const list = (...items: object[]) => ({ items, total: items.length });

describe("an answer that has nothing for what a test typed", () => {
  const found = list({ id: 7, name: "Wanda Keller" });
  const went = (value: string, answer: object, end: typeof passing, address = ADDRESS) =>
    run(typed(value), ...exchange(address, json(answer)), end(check));

  test("is told with that question, with and without a pass", () => {
    const usual = went("Keller", found, passing);
    const words = "; it was asked for “Keller” (q), which the test had typed";
    expect(first(went("Keller", list(), failing), usual, usual)).toEndWith(words);
    expect(first(went("Keller", list(), failing))).toEndWith(words);
  });

  test("is told so of a question that stands in what was sent", () => {
    const asked = (answer: object, end: typeof passing) =>
      run(
        typed("webhook"),
        ...exchange(`${SITE}/graphql`, {
          ...json({ data: { tickets: answer } }),
          method: "POST",
          request: {
            body: JSON.stringify({
              operationName: "Tickets",
              query: "query Tickets { tickets { total } }",
              variables: { filter: { search: "webhook" } },
            }),
          },
        }),
        end(check),
      );
    const usual = asked(found, passing);
    expect(first(asked(list(), failing), usual, usual)).toEndWith(
      "; it was asked for “webhook” (variables.filter.search), which the test had typed",
    );
  });

  test("is told by itself where it was asked for something else, or has something", () => {
    const usual = went("Keller", found, passing, "/api/members");
    expect(first(went("Keller", list(), failing, "/api/members"), usual, usual)).not.toContain("asked for");
    const two = list({ id: 7, name: "Wanda Keller" }, { id: 8, name: "Ida Keller" });
    const one = went("Keller", found, passing);
    expect(first(went("Keller", two, failing), one, one)).not.toContain("asked for");
  });
});
