import { expect, test } from "bun:test";
import { page, run } from "../run.ts";
import { message, socket } from "../socket.ts";
import { json, textOf, told } from "./scene.ts";

const target = "getByRole('article', { name: 'Old Mill' }).getByTestId('count')";
const cause = (content: object, ts = 4_000) =>
  told(
    run(
      ...socket,
      ...json("/api/stations", { items: [{ id: "s9", name: "Old Mill", bikes: 16 }] }, { ts: 2_000 }),
      message("received", content, ts),
      page("<article>Old Mill 16</article>"),
      textOf("count", "19", "16", {
        title: `Expect "toHaveText" ${target}`,
        message: `expect(locator).toHaveText(expected) failed\n\nLocator: ${target}`,
      }),
    ),
  ).join("\n");

test("a number that a message brought for the thing that the test looks at is told where the page keeps the old one", () => {
  expect(cause({ type: "station.count", id: "s9", available: 19 })).toStartWith(
    "answer_changed: The WebSocket /live brought “19” for “available” of “Old Mill” (type “station.count”), as the test wants, and the page still shows “16”: it did not take the message over, or looks for another name in it",
  );
});

test("it is not of another thing, another number, or too late", () => {
  for (const said of [
    cause({ type: "station.count", id: "s8", available: 19 }),
    cause({ type: "station.count", id: "s9", available: 18 }),
    cause({ type: "station.count", id: "s9", available: 19 }, 6_980),
  ])
    expect(said).not.toContain("did not take the message over, or");
});
