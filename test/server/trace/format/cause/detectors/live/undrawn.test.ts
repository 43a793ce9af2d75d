import { expect, test } from "bun:test";
import { exchange, failing, first, page, passing, run, told } from "../../run.ts";
import { message, socket } from "../../socket.ts";

const target = "locator('tr').filter({ hasText: 'Print queue is stuck' })";
const wants = (more: object = {}) => ({
  title: `Expect "toContainText" ${target}`,
  name: "toContainText",
  expected: '"Nora Weiss"',
  received: '"41Print queue is stuckAda Brookopen–"',
  message: `expect(locator).toContainText(expected) failed\n\nLocator: ${target}`,
  ...more,
});
const row = (assignee: string) =>
  page(
    `<table><tr><td>41</td><td>Print queue is stuck</td><td>Ada Brook</td><td>open</td><td>${assignee}</td></tr></table>`,
  );
const update = (assignee: string | null, subject = "Print queue is stuck", ts = 4_500) =>
  message(
    "received",
    { type: "ticket.updated", ticket: { id: 41, subject, assignee: assignee && { name: assignee } } },
    ts,
  );
const list = exchange("/api/tickets", {
  ts: 3_000,
  media_type: "application/json",
  body: JSON.stringify([{ id: 41, subject: "Print queue is stuck", requester: "Ada Brook" }]),
});
const failed = (...messages: ReturnType<typeof message>[]) =>
  run(...socket, ...list, ...messages, row("–"), failing(wants()));

test("what a message brought of the thing that the test looks at and the page does not show", () => {
  const said =
    "answer_changed: The WebSocket /live brought “Nora Weiss” for “ticket.assignee.name” of “Print queue is stuck” (type “ticket.updated”), and the page does not show it: it did not take the message over";
  const passed = run(...socket, ...list, update("Nora Weiss"), row("Nora Weiss"), passing(wants()));
  expect(first(failed(update("Nora Weiss")))).toBe(said);
  expect(first(failed(update("Nora Weiss")), passed)).toBe(said);
});

test("a message of another thing, of another value since, or that came too late says nothing", () => {
  const cause = (...messages: ReturnType<typeof message>[]) => told(failed(...messages)).join();
  const words = "did not take the message over";
  expect(cause(update("Nora Weiss", "Login fails"))).not.toContain(words);
  expect(cause(update("Nora Weiss"), update(null, undefined, 4_600))).not.toContain(words);
  expect(cause(update("Nora Weiss", undefined, 6_950))).not.toContain(words);
  expect(
    cause(message("sent", { subject: "Print queue is stuck", assignee: "Nora Weiss" }, 4_500)),
  ).not.toContain(words);
});

test("what an element is looked for by stands in it rightly, whatever else it lacks", () => {
  const passed = run(...socket, ...list, row("Nora Weiss"), passing(wants()));
  for (const passes of [[], [passed]])
    expect(told(failed(), ...passes).join()).not.toContain(
      "answered “Print queue is stuck” for “0.subject”: that is what the page shows",
    );
});
