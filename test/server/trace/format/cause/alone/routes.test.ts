import { describe, expect, test } from "bun:test";
import { click, page, run } from "../run.ts";
import { missed, told } from "./scene.ts";

describe("a route of the test's own", () => {
  const routes = (...globs: string[]) =>
    click("Route requests", {
      name: "page.setNetworkInterceptionPatterns",
      ts: 1_000,
      params: { patterns: globs.map((glob) => ({ glob })) },
    });
  const handles = (name: string, ts: number, params = {}) =>
    click(name, { name: `route.${name}`, ts, params });
  const passes = (ts: number) => handles("continue", ts, { isFallback: true });
  const cause = (...events: Parameters<typeof run>) =>
    told(run(...events, missed("getByText('Expired')"), page("<p>Cards</p>"))).join("\n");

  test("that answered none of the requests that it met is told", () => {
    expect(cause(routes("**/graphql"), passes(2_000), passes(3_000))).toStartWith(
      "test_code: The test's own route for “**/graphql” answered none of the requests that it met: it passed all 2 on to the server",
    );
    expect(cause(routes("**/cards"), passes(2_000))).toContain("it passed the one on to the server");
  });

  test("that answered one, blocks or changes some, or looks at everything is not told", () => {
    for (const events of [
      [routes("**/graphql"), passes(2_000), handles("fulfill", 3_000)],
      [routes("**/graphql"), passes(2_000), handles("abort", 3_000)],
      [routes("**/graphql"), handles("continue", 2_000)],
      [routes("**/*"), passes(2_000)],
      [routes("**/graphql", "**/cards"), passes(2_000)],
      [routes("**/graphql")],
    ])
      expect(cause(...events)).not.toContain("own route");
  });
});
