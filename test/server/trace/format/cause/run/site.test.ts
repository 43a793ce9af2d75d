import { expect, test } from "bun:test";
import { exchange, factsOf, failing, first, passing, run } from "../run.ts";

const led = (from: string, to: string) =>
  exchange(from, {
    resource_type: "document",
    status: 307,
    headers: [{ name: "Location", value: to }],
    ts: 100,
  });
const opened = (url: string) => exchange(url, { resource_type: "document", ts: 200 });

test("a site goes by the name that its first page was led to", () => {
  const open = () => [
    ...led("http://127.0.0.1:4800/dashboard", "http://localhost:4800/login"),
    ...opened("http://localhost:4800/login"),
  ];
  const roster = (status: number) => exchange("http://localhost:4800/api/roster", { ts: 4_900, status });
  expect(
    first(run(...open(), ...roster(403), failing()), run(...open(), ...roster(200), passing())),
  ).toStartWith("request_failed: GET /api/roster was answered with 403");
  const www = run(
    ...led("http://example.com/", "https://www.example.com/"),
    ...opened("https://www.example.com/"),
  );
  expect(factsOf(www).authority).toBe("www.example.com");
});

test("a page that is led elsewhere to sign in is of the site that it came from", () => {
  const away = run(
    ...led("http://shop.example/orders", "https://id.example.net/login"),
    ...opened("https://id.example.net/login"),
  );
  expect(factsOf(away).authority).toBe("shop.example");
  const later = run(
    ...opened("http://shop.example/"),
    ...led("http://shop.example/a", "http://my.shop.example/a"),
  );
  expect(factsOf(later).authority).toBe("shop.example");
});
