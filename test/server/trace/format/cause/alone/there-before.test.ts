import { describe, expect, test } from "bun:test";
import { failing, run } from "../run.ts";
import { fill, json, post, told } from "./scene.ts";

type Events = Parameters<typeof run>;
const count = (expected: number, received: number) =>
  failing({
    name: "toHaveCount",
    title: "Expect \"toHaveCount\" getByTestId('message')",
    message: "expect(locator).toHaveCount(expected) failed\n\nLocator: getByTestId('message')",
    expected: String(expected),
    received: String(received),
  });
const messages = (texts: string[], ts = 4_000) =>
  json("/api/tickets/7", { ticket: { id: 7, messages: texts.map((body, id) => ({ id, body })) } }, { ts });
const cause = (...events: Events) => told(run(...events)).join("\n");

describe("things that are more than the test expects", () => {
  test("are told by their names, where an answer had them before anything was written", () => {
    expect(cause(...messages(["Hello", "Test reply 1"]), count(1, 2))).toStartWith(
      "answer_changed: GET /api/tickets/7 had 2 already for “ticket.messages”, before this run had changed anything, where the test expects 1 in all: “Hello”, “Test reply 1”",
    );
  });

  test("are told with what this run added to them", () => {
    const reply = post(
      "/api/tickets/7/replies",
      201,
      { ok: true },
      { request: { body: '{"text":"Thanks"}' } },
    );
    expect(
      cause(
        ...messages(["Hello", "Old"]),
        ...reply,
        ...messages(["Hello", "Old", "Thanks"], 4_300),
        count(2, 3),
      ),
    ).toContain(
      "GET /api/tickets/7 had 2 already for “ticket.messages”, before this run had changed anything, and one came by POST /api/tickets/7/replies, where the test expects 2 in all",
    );
    // One write that made two is another fault.
    expect(
      cause(...messages(["Hello"]), ...reply, ...messages(["Hello", "Thanks", "Thanks"], 4_300), count(2, 3)),
    ).not.toContain("already for");
  });

  test("are not told so where the test chose among them, there are far too many, or the list is of something else", () => {
    for (const events of [
      [...messages(["Hello", "Old"]), fill("Search", "Hello", 4_200), count(1, 2)],
      [...messages(["a", "b", "c", "d", "e", "f"]), count(1, 6)],
      [...messages(["Hello"]), count(2, 1)],
      [...json("/api/notices", { items: [{ text: "One" }, { text: "Two" }] }), count(1, 2)],
    ] as Events[])
      expect(cause(...events)).not.toContain("already for");
  });
});

test("a text beside all that are wanted is told, where an answer had it before anything was written", () => {
  const list = failing({
    message: "expect(locator).toHaveText(expected) failed\n\nLocator: getByRole('listitem')",
    expected: '[ "Ann", "Ben" ]',
    received: '[ "Ann", "Ben", "Klara" ]',
  });
  const names = () => json("/api/course", { waiting: [{ name: "Ann" }, { name: "Ben" }, { name: "Klara" }] });
  expect(cause(...names(), list)).toStartWith(
    "answer_changed: GET /api/course had “Klara” already for “waiting.2.name”, before this run had changed anything, and the test does not expect it",
  );
  expect(cause(...post("/api/course", 200, {}), ...names(), list)).not.toContain("already for");
});
