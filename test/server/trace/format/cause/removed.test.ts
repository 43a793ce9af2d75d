import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, passing, run } from "./run.ts";

const headline = (failed: ReturnType<typeof run>, ...passes: ReturnType<typeof run>[]) =>
  causeOf(failed, ...passes).headline;
const remove = click("Click getByRole('button', { name: 'Delete' })", { ts: 3_000 });
const list = (...ids: string[]) =>
  exchange("/tables/items", {
    ts: 3_500,
    body: JSON.stringify({ items: ids.map((id) => ({ id, kind: "phone" })) }),
  });
const removed = (id: string) => exchange(`/tables/items/${id}`, { method: "DELETE", ts: 3_050, body: "{}" });
const check = {
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByText('d17')",
  message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByText('d17')",
  expected: "0",
  received: "1",
};

test("what was removed and is still in the list that is asked for afterwards is told", () => {
  const kept = run(remove, ...removed("d17"), ...list("a1", "d17"), failing(check));
  const said =
    "DELETE /tables/items/d17 was answered with 200, but GET /tables/items still had “d17” afterwards: it was not removed, or the answer is an older one";
  expect(headline(kept)).toBe(said);
  expect(headline(kept, run(remove, ...removed("d16"), ...list("a1"), passing(check)))).toBe(said);
});

test("a list that was asked for before as well is told where it still has the very item, and no pass says more of it", () => {
  const gone = (...ids: string[]) => [...list("a1", "d17"), remove, ...removed("d17"), ...list(...ids)];
  const at = (events: ReturnType<typeof gone>) =>
    run(...events.map((event, nth) => ({ ...event, ts: 2_000 + nth * 100 })), failing(check));
  expect(headline(at(gone("a1", "d17")))).toContain("but GET /tables/items still had “d17” afterwards");
  expect(headline(at(gone("a1")))).not.toContain("still had");
  const counted = (total: number) =>
    exchange("/tables/items", { body: JSON.stringify({ items: [], total }) });
  expect(headline(at([...counted(18), remove, ...removed("17"), ...counted(17)]))).not.toContain("still had");
});

test("a copy that still has what was removed is told as such", () => {
  const body = '[{"id":"d17"}]';
  const old = exchange("/tables/items", { ts: 3_500, body, headers: [{ name: "age", value: "600" }] });
  expect(headline(run(remove, ...removed("d17"), ...old, failing(check)))).toContain(
    "still had “d17” afterwards, from a cache, 600 s old",
  );
});

test("a thing that stays in the list in passes as well, or in another list, was not to go from it", () => {
  const usual = run(remove, ...removed("d16"), ...list("a1", "d16"), passing(check));
  expect(headline(run(remove, ...removed("d17"), ...list("a1", "d17"), failing(check)), usual)).not.toContain(
    "still had",
  );
  const elsewhere = exchange("/audit", { ts: 3_500, body: '[{"id":"d17"}]' });
  expect(headline(run(remove, ...removed("d17"), ...elsewhere, failing(check)))).not.toContain("still had");
});

test("a list that has as many items as the test met, and not as many as it counts, comes before what else differs", () => {
  const orders = (count: number, mode: string) =>
    exchange("/orders", {
      ts: 3_500,
      body: JSON.stringify({ mode, orders: Array.from({ length: count }, (_, at) => ({ total: at })) }),
    });
  const counted = { ...check, title: "Expect \"toHaveCount\" locator('tr')", expected: "2", received: "5" };
  expect(headline(run(...orders(5, "all"), failing(counted)), run(...orders(2, "2"), passing(counted)))).toBe(
    "GET /orders answered with 5 items for “orders” instead of 2 items",
  );
});

test("what stands around a link and says that it is disabled does not cover it", () => {
  const log = [
    "waiting for getByRole('link', { name: 'Next' })",
    '<li class="page-item page-item-next disabled">…</li> intercepts pointer events',
  ];
  const stopped = {
    name: "click",
    title: "Click getByRole('link', { name: 'Next' })",
    message: "Timeout 5000ms exceeded",
    log,
    expected: undefined,
    received: undefined,
  };
  expect(headline(run(failing(stopped)), run(passing(stopped)))).toBe(
    "getByRole('link', { name: 'Next' }) was disabled: <li class=\"page-item page-item-next disabled\">…</li> took the pointer",
  );
});

test("a button whose handler the page came without is told", () => {
  const page = (handler: string) =>
    exchange("/items/d17", {
      ts: 1_000,
      resource_type: "document",
      media_type: "text/html",
      body: `<h1>Item</h1><button class="danger"${handler} type="button">Delete</button>`,
    });
  const usual = run(...page(" onclick='remove(event)'"), remove, ...removed("d17"), passing(check));
  expect(headline(run(...page(""), remove, failing(check)), usual, usual)).toBe(
    'GET /items/d17 came without onclick in <button>, where the last pass had onclick="remove(event)"',
  );
});

test("a line far down in a script of the page that is another one is told", () => {
  const lines = Array.from({ length: 400 }, (_, at) => `const part${at % 7} = draw("row", ${at % 5});`).join(
    "\n",
  );
  const page = (last: string) =>
    exchange("/tables/items", {
      ts: 1_000,
      resource_type: "document",
      media_type: "text/html",
      body: `<h1>Items</h1><script>\n${lines}\n${last}\n</script>`,
    });
  const usual = run(...page("render(data.rows)"), passing());
  expect(headline(run(...page("render(data.columns)"), failing()), usual, usual)).toContain(
    "GET /tables/items came with another script in it",
  );
});

test("what the test met and still meets is not what an answer lacks", () => {
  const orders = (query: object, page: number) =>
    exchange("/orders?from=o2", { ts: 3_500, body: JSON.stringify({ ...query, page }) });
  const showing = {
    ...check,
    name: "toContainText",
    message: "expect(locator).toContainText(expected) failed",
    expected: '"showing 26 - 30 of page 2"',
    received: '"showing 1 - 25 of page 1"',
  };
  const failed = run(...orders({}, 1), failing(showing));
  expect(headline(failed, run(...orders({ size: 25 }, 2), passing(showing)))).toBe(
    "GET /orders?from=o2 answered “1” for “page”, where the last pass had “2”",
  );
});

test("the first page of a list in the place of its next one is told, though it was asked for in other words", () => {
  const first = exchange("/orders", { ts: 1_000, body: '{"page":1,"names":["Ida","Ben"]}' });
  const next = (body: string) => exchange("/orders?from=o2", { ts: 3_500, body });
  const showing = {
    ...check,
    name: "toContainText",
    message: "expect(locator).toContainText(expected) failed",
    expected: '"Zed"',
    received: '"Ida, Ben"',
  };
  const usual = run(...first, ...next('{"page":2,"names":["Zed"]}'), passing(showing));
  expect(
    headline(run(...first, ...next('{"page":1,"names":["Ida","Ben"]}'), failing(showing)), usual),
  ).toStartWith(
    "GET /orders?from=o2 answered the same as to the question before it, ignoring “o2” for “from”:",
  );
});

test("an address at the end of a browser's sentence is told without its full stop", () => {
  const line = {
    kind: "console.error",
    ts: 5_500,
    text: "Fetch API cannot load http://shop.example/graphql. Refused to connect because it violates the document's Content Security Policy.",
  };
  expect(headline(run(line, failing()), run(passing()))).toStartWith(
    "The page's Content-Security-Policy blocked shop.example/graphql:",
  );
});
