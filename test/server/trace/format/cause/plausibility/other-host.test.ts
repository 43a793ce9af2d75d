import { expect, test } from "bun:test";
import { click, exchange, failing, first, passing, run, told } from "../run.ts";

const pick = click("Click getByRole('button', { name: 'Convert' })", { ts: 3_000, name: "page.click" });
const rates = (host: string, more: Record<string, unknown> = {}) =>
  exchange(`http://${host}/rates?to=EUR`, { ts: 3_050, body: '{"rate":0.92}', ...more });
const looks = { expected: '"≈ €92.00"', received: '""' };
const pass = run(
  ...exchange("/", { resource_type: "document" }),
  pick,
  ...rates("api.shop.example"),
  passing(looks),
);
const failed = (...asked: Parameters<typeof run>) =>
  run(...exchange("/", { resource_type: "document" }), pick, ...asked, failing(looks));
const lost = { status: null, error: "net::ERR_NAME_NOT_RESOLVED", body: undefined };

test("what was asked of another host than in the passes and failed there is told with the host that they ask", () => {
  expect(first(failed(...rates("rates.partner.example", lost)), pass, pass)).toBe(
    "request_failed: GET rates.partner.example/rates?to=EUR failed: the host's name is not known (net::ERR_NAME_NOT_RESOLVED); the last pass asked api.shop.example/rates?to=EUR in its place",
  );
});

test("another question that failed, or one that was answered there, is not told so", () => {
  const isTold = (...asked: Parameters<typeof run>) =>
    told(failed(...asked), pass, pass)
      .join()
      .includes("in its place");
  expect(isTold(...exchange("http://other.example/tariffs", { ts: 3_050, ...lost }))).toBe(false);
  expect(isTold(...rates("rates.partner.example"))).toBe(false);
});
