import { describe, expect, test } from "bun:test";
import { click, page, run } from "../run.ts";
import { json, missed, told } from "./scene.ts";

describe("a test id that is gone", () => {
  const inPlace = (html: string) =>
    told(run(missed("getByTestId('total')"), page(html))).find((one) => one.startsWith("element_renamed"));

  test("is told with the one that has it as words of its own, and not with another word that ends like it", () => {
    const html = '<b data-testid="subtotal">€50</b><b data-testid="grand-total">€50</b>';
    expect(inPlace(html)).toContain("(test id “grand-total”) in its place");
    expect(inPlace('<b data-testid="orderTotal">€50</b>')).toContain("(test id “orderTotal”)");
  });
});

describe("an empty list", () => {
  const target = "getByRole('button', { name: 'Book now' })";
  const lists = [
    ...json("/api/rooms/blue-room/comments", { comments: [] }),
    ...json("/api/notices", { notices: [] }),
  ];
  const of = (path: string, heading: string) =>
    told(
      run(
        click("Click Details", { ts: 4_000 }),
        ...lists,
        missed(target),
        page(`<h1>${heading}</h1><h2>Comments</h2>`, { url: `http://shop.example${path}` }),
      ),
    )[0];

  test("comes after what is missing, where the page is about something else", () => {
    expect(of("/rooms/blue-room", "Blue room")).toStartWith(`element_missing: ${target}`);
  });

  test("comes first where the page is about it", () => {
    expect(of("/rooms/blue-room/comments", "Blue room")).toContain(
      "answered with an empty list for “comments”",
    );
  });
});

describe("a control that the page does not offer", () => {
  const offered = (login: object, target: string) =>
    told(
      run(
        ...json("/api/login", login, { method: "POST", ts: 3_000 }),
        missed(target),
        page('<a href="/me">Ida</a>'),
      ),
    ).find((one) => one.startsWith("element_missing"));
  const link = "getByRole('link', { name: 'All bookings' })";
  const words = "had signed in one with";

  test("is told with the role of who signed in, where that has few rights", () => {
    expect(offered({ name: "Ida", role: "customer" }, link)).toEndWith(
      "POST /api/login had signed in one with “customer” for “role”, to whom the page may not offer it",
    );
  });

  test("is told alone where that role has all rights, is not known, or a text is looked for", () => {
    expect(offered({ name: "Ida", role: "admin" }, link)).not.toContain(words);
    expect(offered({ name: "Ida" }, link)).not.toContain(words);
    expect(offered({ name: "Ida", role: "customer" }, "getByText('All bookings')")).not.toContain(words);
  });
});
