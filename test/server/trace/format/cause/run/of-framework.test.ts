import { expect, test } from "bun:test";
import {
  pageAsked,
  withoutOwnParameters,
} from "../../../../../../server/trace/format/cause/run/of-framework.ts";
import { click, exchange, factsOf, failing, passing, run, told } from "../run.ts";

test("an address is told without what a framework puts to it", () => {
  for (const [url, told] of [
    ["/a/__data.json?x-sveltekit-invalidated=01", "/a/__data.json"],
    ["/a/__data.json?q=x&x-sveltekit-trailing-slash=1&x-sveltekit-invalidated=01", "/a/__data.json?q=x"],
    ["/a?_rsc=1x2y#top", "/a#top"],
    ["/a.data?_routes=root&page=2", "/a.data?page=2"],
    ["/a?my_rsc=1&_rscs=2&?", "/a?my_rsc=1&_rscs=2&?"],
    ["/a?", "/a?"],
  ] as const)
    expect(withoutOwnParameters(url)).toBe(told);
  const [one] = factsOf(
    run(...exchange("/a?x-sveltekit-invalidated=11&q=1", { ts: 3_000 }), passing()),
  ).exchanges;
  expect(one!.url).toEndWith("/a?q=1");
});

test("what asks for the data of a page asks for the page", () => {
  for (const [url, page] of [
    ["/a/__data.json?q=1", "/a?q=1"],
    ["http://shop.example/__data.json", "http://shop.example"],
    ["/a/b.data", "/a/b"],
    ["http://shop.example/_root.data?a=1", "http://shop.example?a=1"],
    ["/a.database", "/a.database"],
  ] as const)
    expect(pageAsked(url)).toBe(page);
});

test("a router that asks which routes links lead to is no news, unless it is refused", () => {
  const asks = (more: object = {}) =>
    exchange("/__manifest?paths=%2Fa&version=1", { ts: 3_100, body: "{}", ...more });
  const follow = click("Click Items", { ts: 3_000, name: "page.click" });
  const usual = run(follow, ...asks(), passing());
  expect(told(run(follow, failing()), usual, usual).join()).not.toContain("__manifest");
  expect(told(run(follow, ...asks({ body: '{"a":1}' }), failing()), usual, usual).join()).not.toContain(
    "__manifest",
  );
  expect(told(run(follow, ...asks({ status: 500 }), failing()), usual, usual)[0]).toStartWith(
    "request_failed: GET /__manifest",
  );
});
