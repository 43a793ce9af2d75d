import { expect, test } from "bun:test";
import fc from "fast-check";
import { clausesOf } from "../../../../../server/trace/format/cause/one-suspect.ts";
import { causeOf, click, exchange, failing, page, passing, run } from "./run.ts";

const suspects = (...args: Parameters<typeof causeOf>) =>
  causeOf(...args)
    .suspects.filter(({ kind }) => kind !== "assertion")
    .map(({ title, detail }) => ({ title, detail }));

test("requests that found no server are one suspect, with the others beside the first", () => {
  const ask = (more: object) => [
    ...exchange("/api/reports", { ts: 4_900, ...more }),
    ...exchange("/api/teams", { ts: 4_910, ...more }),
  ];
  const dead = { status: null, error: "net::ERR_CONNECTION_REFUSED" };
  const [first, ...others] = suspects(run(...ask(dead), failing()), run(...ask({}), passing()));
  expect(first?.title).toStartWith("GET /api/reports failed: ");
  expect(first?.detail).toBe("The last pass got 200.\nThe same with GET /api/teams.");
  expect(others.filter(({ title }) => title.startsWith("GET /api/teams"))).toEqual([]);
});

test("requests that failed each in its own way are two suspects", () => {
  const ask = (one: object, other: object) => [
    ...exchange("/api/reports", { ts: 4_900, ...one }),
    ...exchange("/api/teams", { ts: 4_910, ...other }),
  ];
  const now = ask(
    { status: null, error: "net::ERR_CONNECTION_REFUSED" },
    { status: null, error: "net::ERR_CONNECTION_RESET" },
  );
  const titles = suspects(run(...now, failing()), run(...ask({}, {}), passing())).map(({ title }) => title);
  expect(titles.filter((title) => title.includes("failed:"))).toHaveLength(2);
});

test("what one action no longer asks for is one suspect", () => {
  const clicked = click("Click Save", { ts: 4_800 });
  const usual = run(
    clicked,
    ...exchange("/api/report", { method: "PUT", ts: 4_850 }),
    ...exchange("/api/reports", { ts: 4_900 }),
    passing(),
  );
  const unsent = suspects(run(clicked, failing()), usual).filter(({ title }) => title.includes("never sent"));
  expect(unsent).toHaveLength(1);
  expect(`${unsent[0]?.title} ${unsent[0]?.detail}`).toContain("PUT /api/report ");
  expect(`${unsent[0]?.title} ${unsent[0]?.detail}`).toContain("GET /api/reports");
});

test("what was sent otherwise and how that was answered are one suspect", () => {
  const put = (price: number) =>
    exchange("/api/dishes/5", {
      method: "PUT",
      ts: 4_900,
      request: { body: JSON.stringify({ price }) },
      media_type: "application/json",
      body: JSON.stringify({ price }),
    });
  const about = suspects(run(...put(1900), failing()), run(...put(1950), passing())).filter(({ title }) =>
    title.includes("/api/dishes/5"),
  );
  expect(about).toHaveLength(1);
  expect(about[0]?.title).toContain("sent with the field price “1900” where the last pass sent “1950”");
  expect(`${about[0]?.title} ${about[0]?.detail}`).toContain("nswered “1900” for “price”");
});

test("an element that stands there without its role is not told as missing besides", () => {
  const looked = failing({
    name: "toBeVisible",
    title: "Expect \"toBeVisible\" getByRole('heading', { name: 'Expenses' })",
    params: { selector: 'internal:role=heading[name="Expenses"i]' },
    expected: "visible",
    received: undefined,
    message: "expect(locator).toBeVisible() failed\n\nError: element(s) not found",
  });
  const found = suspects(
    run(looked, page("<div>Expenses</div>")),
    run({ ...looked, ok: true }, page("<h1>Expenses</h1>")),
  );
  expect(found.filter(({ title }) => title.includes("name: 'Expenses'"))).toHaveLength(1);
});

test("the words of a refusal that the page shows, and an error that it logs again, are no suspects of their own", () => {
  const error = "TypeError: order is undefined";
  const told = suspects(
    run(
      ...exchange("/api/voucher", {
        method: "POST",
        ts: 4_900,
        status: 422,
        media_type: "application/json",
        body: '{"error":"Below the minimum"}',
      }),
      { kind: "console.error", source: "page", text: error, ts: 4_950 },
      { kind: "console.error", text: `Unhandled: ${error}`, ts: 4_960 },
      { kind: "console.error", text: "RangeError: too far", ts: 4_970 },
      { kind: "console.error", text: "Unhandled in page: RangeError: too far", ts: 4_980 },
      failing(),
      page('<p role="alert">Below the minimum</p><p role="alert">Try again</p>'),
    ),
    run(...exchange("/api/voucher", { method: "POST", ts: 4_900 }), passing()),
  ).map(({ title }) => title);
  expect(told.filter((title) => title.includes("Below the minimum"))).toEqual([
    "POST /api/voucher was answered with 422: Below the minimum",
  ]);
  expect(told.filter((title) => title.includes(error))).toHaveLength(1);
  expect(told).toContain("The page said “Try again”");
  expect(told.filter((title) => title.includes("too far"))).toEqual([
    "The page logged the error: RangeError: too far",
  ]);
});

test("the clauses of a title make it up again, and no quotation is taken apart", () => {
  expect(clausesOf("The page said “no; never”; it said so; “twice")).toEqual([
    "The page said “no; never”",
    "it said so",
    "“twice",
  ]);
  const text = fc.array(fc.constantFrom("“", "”", "; ", "a", " ")).map((parts) => parts.join(""));
  fc.assert(fc.property(text, (title) => expect(clausesOf(title).join("; ")).toBe(title)));
});
