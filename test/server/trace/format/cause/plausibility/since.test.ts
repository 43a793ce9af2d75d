import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../run.ts";

type Events = ReturnType<typeof exchange>;
const served = (url: string, ts: number, body: string): Events =>
  exchange(url, { ts, resource_type: "document", media_type: "text/html", body: `<h1>Library</h1>${body}` });
const post = (url: string, ts: number, more: object = {}): Events =>
  exchange(url, { method: "POST", ts, resource_type: "document", status: 303, ...more });
const login = post("/login", 1_500);
const loans = (ts: number, renewals: string, said = "") =>
  served(
    "/loans",
    ts,
    `${said}<table><tr><th>Title</th><th>Renewals</th></tr><tr><td>Paris</td><td>${renewals}</td></tr><tr><td>Salt</td><td>0 of 3</td></tr></table>`,
  );
const OFTEN = "<p>Paris cannot be renewed again</p>";
const check = { expected: '"was renewed"', received: '"Paris cannot be renewed again"' };
const renewed = (before: Events, after: Events, end = failing(check)) =>
  run(...login, ...before, ...post("/loans/7/renew", 3_000), ...after, end);
const usual = renewed(
  loans(2_000, "1 of 3"),
  loans(3_200, "2 of 3", "<p>Paris was renewed</p>"),
  passing(check),
);
const refused =
  "GET /loans came with “Paris cannot be renewed again”, where the last pass had “Paris was renewed”";

describe("what a page says otherwise is told with the first page that said otherwise", () => {
  test("of the same thing, and that it was so before the test had written anything", () => {
    expect(first(renewed(loans(2_000, "3 of 3"), loans(3_200, "3 of 3", OFTEN)), usual, usual)).toStartWith(
      `answer_changed: GET /loans came with “3 of 3” for “Paris”, where the last pass had “1 of 3”, before the test had written anything; ${refused}`,
    );
  });

  test("and with no page where the first was as ever, was of another thing, or differs between the passes", () => {
    const cause = (before: Events, ...passes: Events[]) =>
      first(
        renewed(before, loans(3_200, "3 of 3", OFTEN)),
        ...(passes.length === 0
          ? [usual, usual]
          : passes.map((one) =>
              renewed(one, loans(3_200, "2 of 3", "<p>Paris was renewed</p>"), passing(check)),
            )),
      );
    expect(cause(loans(2_000, "1 of 3"))).toStartWith(`answer_changed: ${refused}`);
    const other = served("/hours", 2_000, "<p>Open 9–19</p>");
    expect(cause(served("/hours", 2_000, "<p>Open 10–14</p>"), other, other)).toStartWith(
      `answer_changed: ${refused}`,
    );
    expect(cause(loans(2_000, "3 of 3"), loans(2_000, "1 of 3"), loans(2_000, "0 of 3"))).toStartWith(
      `answer_changed: ${refused}`,
    );
  });

  test("in the same words on both: the first of them leads", () => {
    const profile = (ts: number, plan: string) =>
      served(`/profile`, ts, `<dl><dt>Plan</dt><dd>${plan}</dd></dl>`);
    const invoice = (plan: string) => served("/invoice", 4_000, `<p>Invoice</p><p>${plan}</p>`);
    const went = (plan: string, end: ReturnType<typeof failing>) =>
      run(
        ...profile(1_000, "Gold"),
        ...post("/profile", 2_000),
        ...profile(2_200, plan),
        ...post("/seats", 3_000),
        ...invoice(plan),
        end,
      );
    const plan = { expected: '"Gold"', received: '"Basic"' };
    const causes = told(
      went("Basic", failing(plan)),
      went("Gold", passing(plan)),
      went("Gold", passing(plan)),
    );
    expect(causes[0]).toStartWith(
      "answer_changed: GET /profile came with “Basic”, where the last pass had “Gold”",
    );
  });
});

describe("what a page has no longer", () => {
  const basket = (url: string, ts: number, count: number, html = "") =>
    served(url, ts, `<a href="/basket">Basket (<span>${count}</span>)</a>${html}`);
  const ITEM = "<ul><li>Lighthouse</li></ul>";
  const went = (count: number, item: string, end: ReturnType<typeof failing>, signIn = login) =>
    run(
      ...post("/basket/add", 1_000),
      ...basket("/basket", 1_200, 1, ITEM),
      ...signIn,
      ...basket("/branch", 2_000, count),
      ...post("/branch", 3_000),
      ...basket("/check", 4_000, count, item),
      end,
    );
  const list = { expected: '["Lighthouse"]', received: "[]" };
  const full = went(1, ITEM, passing(list));

  test("is told with the write since which there are fewer", () => {
    expect(first(went(0, "", failing(list)), full, full)).toBe(
      "answer_changed: GET /branch came with “Basket (0)”, where the last pass had “Basket (1)”, first after POST /login; GET /check came without “Lighthouse”, which it has in the last pass",
    );
  });

  test("is told alone where several writes came in between, or no number is another one", () => {
    const both = [...login, ...post("/lang", 1_600)];
    const full2 = went(1, ITEM, passing(list), both);
    for (const cause of [
      first(went(0, "", failing(list), both), full2, full2),
      first(went(1, "", failing(list)), full, full),
    ])
      expect(cause).toStartWith("answer_changed: GET /check came without “Lighthouse”");
  });
});

test("a list that has more before the test had written anything had it from the beginning", () => {
  const reviews = (...texts: string[]) =>
    served("/t1", 2_000, texts.map((text) => `<li>${text}</li>`).join(""));
  const count = { name: "toHaveCount", title: 'Expect "toHaveCount"', expected: "1", received: "2" };
  const mine = reviews("Too much soup", "Lovely book");
  const usually = run(...login, ...reviews("Lovely book"), passing(count));
  expect(first(run(...login, ...mine, failing(count)), usually, usually)).toEndWith(
    "it lists more things; it was so before the test had written anything",
  );
  const written = post("/t1/reviews", 1_800);
  expect(told(run(...login, ...written, ...mine, failing(count)), usually, usually).join()).not.toContain(
    "before the test had written",
  );
});
