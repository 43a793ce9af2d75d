import { expect, test } from "bun:test";
import { run, save } from "../run.ts";
import { post, textOf, told } from "./scene.ts";

const sent = (flags: object, answer: object, received = "Hello") =>
  told(
    run(
      save(),
      ...post("/api/posts", 201, answer, { request: { body: JSON.stringify({ text: "Hello", ...flags }) } }),
      textOf("post", "Pinned post", received),
    ),
  ).join("\n");

test("a switch that goes by what the test looks for leads where it was sent off, or not stored", () => {
  expect(sent({ pinned: false }, { id: "p1" })).toStartWith(
    "page_changed: POST /api/posts was sent with “false” for “pinned”, where the test wants “Pinned post”",
  );
  expect(sent({ pinned: true }, { id: "p1", kind: "NORMAL" })).toStartWith(
    "answer_changed: POST /api/posts was sent with “true” for “pinned” and answered with “NORMAL” for “kind”: it was not stored as that",
  );
});

test("it tells nothing where it was stored, the page shows it, or it is of something else", () => {
  for (const said of [
    sent({ pinned: true }, { id: "p1", kind: "PINNED" }),
    sent({ pinned: true }, { id: "p1", kind: "NORMAL", pinned: true }),
    sent({ pinned: false }, { id: "p1" }, "Pinned"),
    sent({ urgent: false }, { id: "p1" }),
  ])
    expect(said).not.toMatch(/where the test wants “Pinned post”\n|not stored as that/);
});
