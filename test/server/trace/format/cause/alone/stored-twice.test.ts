import { expect, test } from "bun:test";
import { failing, run, save } from "../run.ts";
import { json, operation, textOf, told } from "./scene.ts";

const notes = (ts: number, ...texts: string[]) =>
  operation(
    "query Notes { notes { id text } }",
    {},
    { notes: texts.map((text, at) => ({ id: `n${at}`, text })) },
    { ts },
  );
const add = (ts: number) =>
  operation(
    "mutation AddNote($text: String!) { addNote { id } }",
    { text: "Buy milk" },
    { addNote: { id: "n9" } },
    { ts },
  );
const count = failing({
  name: "toHaveCount",
  title: "Expect \"toHaveCount\" getByTestId('note')",
  message: "expect(locator).toHaveCount(expected) failed",
  expected: "2",
  received: "3",
});
const cause = (...events: Parameters<typeof run>) => told(run(save(), ...events, count)).join("\n");

test("what was sent once and is listed twice since was stored twice", () => {
  expect(
    cause(...notes(2_000, "Call Ada"), ...add(4_100), ...notes(4_300, "Call Ada", "Buy milk", "Buy milk")),
  ).toStartWith(
    "answer_changed: POST /graphql (Notes) answered with “Buy milk” twice (“data.notes.1.text”, “data.notes.2.text”), though POST /graphql (AddNote) had sent it once: it was stored twice",
  );
});

test("it was not where it was sent twice, was there before, or is listed once", () => {
  for (const said of [
    cause(...add(4_100), ...add(4_200), ...notes(4_300, "Call Ada", "Buy milk", "Buy milk")),
    cause(...notes(2_000, "Buy milk"), ...add(4_100), ...notes(4_300, "Call Ada", "Buy milk", "Buy milk")),
    cause(...add(4_100), ...notes(4_300, "Call Ada", "Call Ivo", "Buy milk")),
  ])
    expect(said).not.toContain("stored twice");
});

test("what a page asks for by itself since, and a count that is told in words, hide it no more", () => {
  const said = told(
    run(
      save(),
      ...notes(2_000, "Call Ada"),
      ...add(4_100),
      ...notes(4_300, "Call Ada", "Buy milk", "Buy milk"),
      ...json("/api/news", { items: [] }, { ts: 4_600 }),
      textOf("count", "2 notes", "3 notes"),
    ),
  ).join("\n");
  expect(said).toContain("had sent it once: it was stored twice");
});
