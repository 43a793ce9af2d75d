import { describe, expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { first, json, told } from "./scene.ts";

/** Amounts that a page writes otherwise than the test wants them. */
test("a currency or a language is told only of the characters that it explains", () => {
  const config = json("/api/config", { currency: "EUR", lang: "de-DE", account: { locale: "en" } });
  for (const [expected, received] of [
    ["28 Feb 2026", "14 Feb 2026Book shop #31-€73.00"],
    ["28.02.2026", "14.02.2026"],
    ["3 items", "€12.50"],
    ["12 left", "11,50 left"],
    ["12.50", "11,50"],
    ["v1.20", "v1,30"],
  ])
    expect(
      told(run(...config, failing({ expected: `"${expected}"`, received: `"${received}"` }))).join(),
      expected,
    ).not.toContain("by which");
});

describe("a wrong sum", () => {
  const accounts = (...amounts: unknown[]) =>
    json("/accounts", { items: amounts.map((amount) => ({ amount })) });
  const shown = (expected: string, received: string) =>
    failing({ expected: `"${expected}"`, received: `"${received}"` });
  const cause = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");

  test("is told with the one number that an answer has nothing for", () => {
    expect(cause(...accounts(1840.5, null, 760.25), shown("€15,000.75", "€2,600.75"))).toStartWith(
      "answer_changed: GET /accounts answered “null” for “items.1.amount”, where its other items have numbers: the page shows the sum of those, “€2,600.75”; the test wants “€15,000.75”",
    );
    expect(cause(...accounts(184_050, null, 76_025), shown("€15,000.75", "€2,600.75"))).toContain(
      "the sum of",
    );
  });

  test("is told with the numbers that a script joined as text", () => {
    expect(cause(...accounts(37, 35, 44, 12), shown("128", "37354412"))).toStartWith(
      "answer_changed: GET /accounts answered “37” for “items.0.amount”, and the page joined it and those of the other items as text to “37354412”; the test wants “128”",
    );
    expect(cause(...accounts(37, 35, 44, 12), shown("129", "37354412"))).not.toContain("joined");
  });

  test("is told with the texts that a script joined instead of adding them up", () => {
    expect(cause(...accounts("120", "160"), shown("280 EUR", "0120160 EUR"))).toStartWith(
      "answer_changed: GET /accounts answered “120” for “items.0.amount” as a text, not as a number: the page joined these texts to “0120160 EUR”; the test wants “280 EUR”",
    );
    expect(cause(...accounts("120", "160"), shown("224 EUR", "96128 EUR"))).toContain("joined these texts");
  });

  test("is told with texts that make no number when a script joins them, where their sum is wanted", () => {
    expect(cause(...accounts("48.50", "12.25"), shown("€60.75", "€NaN"))).toStartWith(
      "answer_changed: GET /accounts answered “48.50” for “items.0.amount” as text, not as a number: joined, such texts are no number, and the page shows “€NaN”; the test wants “€60.75”",
    );
    for (const events of [accounts("48.50", "12.20"), accounts(48.5, 12.25)])
      expect(cause(...events, shown("€60.75", "€NaN"))).not.toContain("joined");
  });

  test("is not told of what is no sum of that list", () => {
    for (const events of [
      accounts(1840.5, null, 700),
      accounts(2600.75, null),
      accounts(1840.5, null, null, 760.25),
      accounts("1840.5", "760.25"),
      accounts("a", "b"),
    ])
      expect(cause(...events, shown("€15,000.75", "€2,600.75"))).not.toMatch(/the sum of|joined/);
  });
});

test("what a page writes an amount by is told: the currency, or the language", () => {
  const shown = (expected: string, received: string) =>
    failing({ expected: `"${expected}"`, received: `"${received}"` });
  const config = (body: object) => json("/api/config", body, { ts: 1_000 });
  expect(first(run(...config({ currency: "USD" }), shown("€8.33", "US$8.33")))).toBe(
    "answer_changed: GET /api/config answered “USD” for “currency”, by which the page writes “US$8.33”; the test wants “€8.33”",
  );
  expect(first(run(...config({ lang: "de-DE" }), shown("1,234.50 EUR", "1.234,50 EUR")))).toStartWith(
    "answer_changed: GET /api/config answered “de-DE” for “lang”, by which",
  );
  expect(first(run(...config({ format: "fr-FR", money: "EUR" }), shown("€135.00", "135,00 €")))).toContain(
    "answered “fr-FR” for “format”, by which",
  );
  expect(
    told(run(...config({ currencies: ["EUR", "USD"] }), shown("€8.33", "US$8.33"))).join(),
  ).not.toContain("by which");
  expect(told(run(...config({ state: "NEW" }), shown("OLD 12", "NEW 12"))).join()).not.toContain("by which");
  expect(told(run(...config({ currency: "EUR" }), shown("€8.33", "€7.63"))).join()).not.toContain("by which");
  expect(first(run(...config({ lang: "de-DE" }), shown("-1,234.50", "-1.234,50")))).toContain("“de-DE”");
});

test("a page that made no number of what it got is told with the answer that scripts read none from", () => {
  const nan = failing({ expected: '"€387.00"', received: '"€NaN"' });
  expect(told(run(...json("/api/price", { total: "1.387,00", note: "a, b" }), nan))[0]).toEndWith(
    "; GET /api/price answered “1.387,00” for “total”, which scripts read as no number",
  );
  const rows = (body: string) =>
    told(run(...json("/rows.csv", "", { body, media_type: "text/csv" }), nan))[0];
  expect(rows("region,amount\nNorth;120\n")).toEndWith(
    "; GET /rows.csv has “;” between the values of its lines",
  );
  expect(rows("region,amount\nNorth,120\n")).not.toContain("between the values");
  expect(told(run(...json("/api/price", { total: "112.00", of: "1,2,3" }), nan))[0]).toEndWith(
    "has the fields total, of",
  );
});

test("a list that a page sorted by numbers that came as texts is told with how texts are sorted", () => {
  const rows = (...amounts: unknown[]) => json("/api/rows", { rows: amounts.map((amount) => ({ amount })) });
  const values = failing({ expected: '"87.00"', received: '"105.00"' });
  expect(told(run(...rows("414.00", "87.00", "105.00"), values))[0]).toEndWith(
    "in another order; its numbers are texts, and as a text “105.00” comes before “87.00”",
  );
  expect(told(run(...rows("414.00", "87.00", "105.00", "n/a"), values))[0]).toEndWith("in another order");
});

describe("a number that the page had no value for", () => {
  const nan = failing({ expected: '"$310,500"', received: '"$NaN"' });
  const summary = (body: object, more: object = {}) => json("/api/summary", body, { ts: 3_000, ...more });
  const settings = (...moments: number[]) =>
    moments.flatMap((ts) => json("/api/settings", { name: "North", currency: "USD" }, { ts }));

  test("is told with the name that those beside it have", () => {
    const order = (total: object) => ({ partsCents: 7_265, labourCents: 2_000, ...total });
    const cause = (body: object) =>
      first(run(...json("/api/orders/7", body), failing({ expected: '"€92.65"', received: '"€NaN"' })));
    expect(cause(order({ total: 9_265 }))).toContain(
      "answered “9265” for “total”, which the page may look for by another name, “totalCents” as what stands beside it",
    );
    expect(cause({ partsCents: 7_265, total: 9_265 })).not.toContain("stands beside it");
  });

  test("is told with the one field of an answer that has it, and whether the test gave that answer", () => {
    const named = "GET /api/summary answered “310500” for “won”, which the page may look for by another name";
    expect(first(run(...summary({ open: 12, won: 310_500 }), ...settings(4_500), nan))).toEndWith(
      `; ${named}`,
    );
    expect(
      first(run(...summary({ open: 12, won: 310_500 }, { handled: "fulfilled" }), ...settings(4_500), nan)),
    ).toContain("; the test's own route answered GET /api/summary with “310500” for “won”");
    for (const body of [{ won: 310_400 }, { won: 310_500, all: 310_500 }])
      expect(first(run(...summary(body), nan))).not.toContain("by another name");
  });

  test("is told with the answer that the test gave, and not with one that is asked for again and again", () => {
    const polled = settings(3_500, 4_000, 4_500);
    const given = summary({ open: 12 }, { handled: "fulfilled" });
    expect(first(run(...given, ...settings(4_500), nan))).toEndWith(
      "; the answer that the test's own route gave, to GET /api/summary, has the fields open",
    );
    expect(first(run(...summary({ open: 12 }), ...polled, nan))).toEndWith(
      "; the last answer, to GET /api/summary, has the fields open",
    );
    expect(first(run(...polled, nan))).toContain("; the last answer, to GET /api/settings, has the fields");
  });
});
