import { expect, test } from "bun:test";
import { run, save } from "../run.ts";
import { json, post, textOf, told } from "./scene.ts";

const before = json("/api/trips/7", { id: "t7", labels: ["family", "sea"] }, { ts: 2_000 });
const remove = (sent: string, ...left: string[]) =>
  told(
    run(
      ...before,
      save(),
      ...post(
        "/api/trips/7/labels",
        200,
        { id: "t7", labels: left },
        { request: { body: JSON.stringify({ remove: sent }) } },
      ),
      textOf("labels", "sea", ""),
    ),
  ).join("\n");

test("a write that took away more than it was sent for is told with both", () => {
  expect(remove("family")).toStartWith(
    "answer_changed: POST /api/trips/7/labels was sent with “family” and answered with an empty list for “labels”, which had been “family”, “sea”: “sea” is gone, too",
  );
});

test("it is not where the other one is left, or is what was sent", () => {
  expect(remove("family", "sea")).not.toContain("gone, too");
  expect(remove("sea", "family")).not.toContain("gone, too");
  expect(remove("snow")).not.toContain("gone, too");
});
