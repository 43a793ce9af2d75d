import { expect, test } from "bun:test";
import { exchange, page, run } from "../run.ts";
import { json, missed, told } from "./scene.ts";

const list = (answer: object, name = "Load more") =>
  told(
    run(
      ...json("/api/songs", { items: [{ id: "s1" }, { id: "s2" }], ...answer }),
      missed(`getByRole('button', { name: '${name}' })`),
      page("<ul><li>One</li><li>Two</li></ul>"),
    ),
  ).join("\n");

test("the answer by which the page leads on no further is told", () => {
  expect(list({ total: 9, hasMore: false })).toStartWith(
    "answer_changed: GET /api/songs answered “false” for “hasMore”, though it has 2 of 9: the page offers no “Load more”",
  );
});

test("it is not where there is more, or something else is missing", () => {
  expect(list({ total: 9, hasMore: true })).not.toContain("offers no");
  expect(list({ total: 9, hasMore: false }, "Delete song")).not.toContain("offers no");
});

test("a header that leads on and is not exposed to a page of another origin is told", () => {
  const header = (name: string, value: string) => ({ name, value });
  const led = (exposed: string, origin = "http://shop.example") =>
    told(
      run(
        ...exchange("http://api.shop.example/songs", {
          ts: 1_000,
          body: '[{"id":"s1"},{"id":"s2"}]',
          headers: [
            header("link", '</songs?page=2>; rel="next"'),
            header("access-control-expose-headers", exposed),
          ],
          request: { headers: [header("origin", origin)] },
        }),
        missed("getByRole('button', { name: 'Load more' })"),
        page("<ul><li>One</li><li>Two</li></ul>"),
      ),
    ).join("\n");
  expect(led("ETag")).toContain(
    "answer_changed: GET /songs leads to a next part by its header link, but does not expose that to scripts of another origin (Access-Control-Expose-Headers): the page offers no “Load more”",
  );
  for (const silent of [led("ETag, Link"), led("*"), led("ETag", "http://api.shop.example")])
    expect(silent).not.toContain("does not expose");
});
