import { expect, test } from "bun:test";
import { click, run } from "../run.ts";
import { json, textOf, told } from "./scene.ts";

const message = { id: 7, from: "Lang", subject: "Holiday", read: false };
const cause = (answer: object, path = "/api/messages/7/read") =>
  told(
    run(
      ...json("/api/messages", { items: [message] }, { ts: 3_000 }),
      click("Click getByText('Holiday')", { ts: 3_400 }),
      ...json(path, answer, { method: "PUT", ts: 3_500, request: { body: "{}" } }),
      textOf("message", "Holiday", "● Holiday"),
    ),
  ).join("\n");

test("a write that is answered with the thing as it was before is told with its state", () => {
  expect(cause(message)).toStartWith(
    "answer_changed: PUT /api/messages/7/read was answered with 200 and the thing as GET /api/messages had had it before, “false” for “read”: it changed nothing",
  );
});

test("it is not where something changed, it is of another thing, or it was sent to the thing itself", () => {
  for (const said of [
    cause({ ...message, read: true }),
    cause({ ...message, id: 8 }),
    cause(message, "/api/messages/7"),
  ])
    expect(said).not.toContain("changed nothing");
});
