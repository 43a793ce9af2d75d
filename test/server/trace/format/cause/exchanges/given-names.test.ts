import { describe, expect, test } from "bun:test";
import { exchange, failing, passing, run, told } from "../run.ts";

const made = (number: unknown, more: Record<string, unknown> = {}) =>
  exchange("/api/tickets", {
    ts: 1_000,
    method: "POST",
    request: { body: '{"subject":"Refund"}' },
    body: JSON.stringify({ number }),
    ...more,
  });
const opened = (number: unknown, priority = "low") =>
  exchange("/api/open", {
    ts: 2_000,
    method: "POST",
    request: { body: JSON.stringify({ number, priority }) },
    body: JSON.stringify({ opened: true }),
  });
const usual = run(...made(1036), ...opened(1036), passing());
const saysOf = (words: string, ...given: Parameters<typeof told>) =>
  told(...given).some((title) => title.includes(words));

describe("the name that a server gave to what was made", () => {
  const failed = run(...made(1035), ...opened(1035), failing());

  test("is no other answer, where the passes go on with what they were given", () => {
    expect(saysOf("for “number”", failed, usual, usual)).toBe(false);
  });

  test("is nothing that was sent otherwise", () => {
    expect(saysOf("was sent with", failed, usual, usual)).toBe(false);
  });

  test("is no excuse for what else was sent otherwise", () => {
    const other = run(...made(1035), ...opened(1035, "high"), failing());
    expect(saysOf("was sent with the field priority “high”", other, usual, usual)).toBe(true);
  });
});

test("it is no other answer where it comes back in small letters", () => {
  const searched = (code: string, end: typeof passing) =>
    run(
      ...exchange("/api/tickets", {
        ts: 1_000,
        method: "POST",
        request: { body: '{"subject":"Refund"}' },
        body: JSON.stringify({ code }),
      }),
      ...exchange(`/api/search?q=${code}`, {
        ts: 2_000,
        body: JSON.stringify({ q: code.toLowerCase(), all: [] }),
      }),
      end(),
    );
  const pass = searched("NK-JQVYMS", passing);
  expect(saysOf("for “q”", searched("NK-KSBQPB", failing), pass, pass)).toBe(false);
});

test("another thing than the one that was made is sent otherwise", () => {
  const failed = run(...made(1035), ...opened(1012), failing());
  expect(saysOf("was sent with the field number “1012”", failed, usual, usual)).toBe(true);
});

test("what no pass goes by afterwards is another answer", () => {
  const failed = run(...made(1035), failing());
  const pass = run(...made(1036), passing());
  expect(saysOf("answered “1035” for “number”", failed, pass, pass)).toBe(true);
});

test("what a read gives is another answer", () => {
  const next = (number: number) => exchange("/api/next", { ts: 500, body: JSON.stringify({ number }) });
  const failed = run(...next(1035), ...opened(1035), failing());
  const pass = run(...next(1036), ...opened(1036), passing());
  expect(saysOf("answered “1035” for “number”", failed, pass, pass)).toBe(true);
});
