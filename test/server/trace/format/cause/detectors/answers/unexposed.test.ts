import { describe, expect, test } from "bun:test";
import { causeOf, exchange, failing, passing, run, told } from "../../run.ts";

const API = "http://api.shop.example:8080/orders";
const header = (name: string, value: string) => ({ name, value });
/** A page of orders, with what leads to the next one. */
const orders = (exposed: string | null, more: { origin?: string; headers?: object[]; items?: number } = {}) =>
  exchange(API, {
    ts: 3_000,
    body: JSON.stringify({ items: more.items ?? 1 }),
    headers: [
      ...(more.headers ?? [header("Link", '</orders?page=2>; rel="next"'), header("X-Request-Id", "a1")]),
      ...(exposed === null ? [] : [header("Access-Control-Expose-Headers", exposed)]),
    ],
    request: { headers: [header("origin", more.origin ?? "http://shop.example")] },
  });
const notices = (count: number) =>
  exchange("/notices", { ts: 3_100, body: JSON.stringify({ items: Array(count).fill({ id: 1 }) }) });
const failed = (...events: ReturnType<typeof exchange>) => run(...events, failing());
const passed = (...events: ReturnType<typeof exchange>) => run(...events, passing());

describe("a header that an answer of another origin exposes no longer", () => {
  test("is told before what else another answer says", () => {
    const cause = causeOf(
      failed(...orders("ETag"), ...notices(1)),
      passed(...orders("ETag, Link"), ...notices(0)),
      passed(...orders("etag,link"), ...notices(0)),
    );
    expect(cause.suspects[0]!.title).toBe(
      "GET /orders came with the header link, but no longer exposes it to scripts of another origin (Access-Control-Expose-Headers), as the last pass does: the page cannot read it",
    );
    expect(told(failed(...orders(null)), passed(...orders("Link"))).join()).toContain("no longer exposes it");
  });

  test("is told with a write that was refused without it", () => {
    const etag = { headers: [header("ETag", "v1")] };
    const put = (status: number, ...headers: object[]) =>
      exchange(API, { ts: 4_000, method: "PUT", status, request: { headers } });
    const refused = (exposed: string) => failed(...orders(exposed, etag), ...put(428));
    const pass = passed(...orders("ETag", etag), ...put(200, header("if-match", "v1")));
    expect(causeOf(refused("Link"), pass).suspects[0]!.title).toContain(
      "was answered with 428; GET /orders came with the header etag, but no longer exposes it",
    );
    expect(causeOf(refused("ETag"), pass).suspects[0]!.title).toEndWith("was answered with 428");
  });

  test("is nothing where it is exposed, did not come, only follows a request or is of the page's own origin", () => {
    for (const [now, before] of [
      [orders("Link"), orders("ETag, Link")],
      [orders("*"), orders("Link")],
      [orders("ETag", { headers: [] }), orders("Link", { headers: [] })],
      [orders("Link"), orders("Link, X-Request-Id")],
      [
        orders("ETag", { origin: "http://api.shop.example:8080" }),
        orders("Link", { origin: "http://api.shop.example:8080" }),
      ],
    ])
      expect(told(failed(...now!), passed(...before!)).join()).not.toContain("no longer exposes");
    const [now, often, once] = [orders("ETag"), orders("Link"), orders("ETag")];
    expect(told(failed(...now), passed(...often), passed(...once)).join()).not.toContain("no longer exposes");
  });
});
