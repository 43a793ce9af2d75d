import { expect, test } from "bun:test";
import { page, run } from "../run.ts";
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
