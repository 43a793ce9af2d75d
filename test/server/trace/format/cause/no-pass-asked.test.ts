import { expect, test } from "bun:test";
import { click, exchange, failing, page, passing, run, told } from "./run.ts";

test("what no pass asked for is no news where passes have it in another answer, or a page asks for it only while a step waits", () => {
  const price = failing({
    title: "Expect \"toHaveText\" locator('.price')",
    expected: '"€44.50"',
    received: '"€42.00"',
  });
  const poncho = (cents: number) =>
    exchange("/api/products/poncho", { ts: 3_000, body: JSON.stringify({ priceCents: cents }) });
  const search = exchange("/api/products?q=poncho", { ts: 2_000, body: '{"items":[{"priceCents":4200}]}' });
  const cause = (usual: number) =>
    told(run(...search, ...poncho(4200), price), run(...poncho(usual), passing())).join("\n");
  expect(cause(4200)).not.toContain("GET /api/products?q=poncho answered");
  expect(cause(4450)).toContain("GET /api/products?q=poncho answered");
  const missing = failing({ received: undefined, expected: "visible", name: "toBeVisible" });
  const notices = (ts: number) => exchange("/api/notices", { ts, body: '{"notices":[]}' });
  const listed = (ts: number) => told(run(...notices(ts), missing), run(passing())).join("\n");
  expect(listed(6_000)).not.toContain("an empty list");
  expect(listed(4_000)).toContain("an empty list");
});

test("a page that says that there is none says it of the address where the browser was led", () => {
  const open = click("Click Order 7", { ts: 4_000, step_id: "open" });
  const at = (path: string, html: string) => page(html, { url: `http://shop.example${path}` });
  const usual = run(open, passing(), at("/orders/7", "<h1>Order 7</h1>"));
  const lost = told(
    run(
      open,
      failing({ received: undefined }),
      at("/order-details/7", '<div role="alert">Page not found</div>'),
    ),
    usual,
  );
  expect(lost[0]).toStartWith(
    "redirected: The page was at shop.example/order-details/7 instead of shop.example/orders/7",
  );
  expect(lost[1]).toStartWith("page_message: ");
});
