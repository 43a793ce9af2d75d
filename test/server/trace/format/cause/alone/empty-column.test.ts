import { expect, test } from "bun:test";
import { page, run } from "../run.ts";
import { first, json, missed, post } from "./scene.ts";

const head = "<tr><th>Number</th><th>Supplier</th></tr>";
const rows = (...suppliers: string[]) =>
  suppliers.map((supplier, at) => `<tr><td>PO-${at}</td><td>${supplier}</td></tr>`).join("");
const orders = json("/api/orders", [
  { number: "PO-0", vendorName: "Nordwerk" },
  { number: "PO-1", vendorName: "Baltic" },
]);
const look = missed("getByRole('row').filter({ hasText: 'Nordwerk' })");
const cause = (html: string) => first(run(...orders, look, page(`<table>${html}</table>`)));
const words = "is empty in every row, so that it may look for the value by another name";

test("what an answer has and the page does not show is told with the one column that is empty in every row", () => {
  expect(cause(`${head}${rows("", "")}`)).toBe(
    `answer_changed: GET /api/orders answered with “Nordwerk” for “0.vendorName”, but the page does not show it: its column “Supplier” ${words}`,
  );
  for (const html of [
    `${head}${rows("", "Baltic")}`,
    `${head}${rows("<img>", "<img>")}`,
    `${head}<tr><td></td><td></td></tr>`,
    head,
    "<tr><td>PO-0</td><td></td></tr>",
  ])
    expect(cause(html)).not.toContain(words);
});

test("a list that was not asked for again after a write is told with the answer of that, which has the new thing", () => {
  const cause = (answer: object) =>
    first(
      run(
        ...json("/api/users", [{ name: "Ada" }], { ts: 3_000 }),
        ...post("/api/users", 201, answer, { request: { body: JSON.stringify({ name: "Nina Novak" }) } }),
        missed("getByRole('row').filter({ hasText: 'Nina Novak' })"),
        page("<table><tr><td>Ada</td></tr></table>"),
      ),
    );
  const plain =
    "request_unsent: GET /api/users was not asked for again after POST /api/users (answered with 201) had sent “Nina Novak”";
  expect(cause({ id: 7, name: "Nina Novak" })).toBe(
    `${plain}, and the answer has it, too: the page goes on with what it knew before and has not added it`,
  );
  expect(cause({ id: 7 })).toBe(`${plain}: the page goes on with what it knew before`);
});
