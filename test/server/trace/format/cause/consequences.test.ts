import { expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, passing, run, SITE } from "./run.ts";

/** What only follows from another finding stands behind it. */
const first = (...args: Parameters<typeof causeOf>) => causeOf(...args).suspects[0]?.title;

test("an empty answer that leads to the sign-in stands behind the sign-in", () => {
  const send = (more: object) => exchange("/notes", { method: "POST", ts: 4_900, ...more });
  const sent = click("Save", { ts: 4_890 });
  const usual = run(sent, ...send({ body: "<li>milk</li>" }), passing(), page("<h1>Notes</h1>"));
  const empty = { body: "", headers: [{ name: "content-length", value: "0" }] };
  const away = run(sent, ...send(empty), failing(), page("<h1>Sign in</h1>", { url: `${SITE}/login` }));
  expect(first(away, usual)).toBe("The page was at /login instead of /checkout");
  const stayed = run(sent, ...send(empty), failing(), page("<h1>Notes</h1>"));
  expect(first(stayed, usual)).toBe("POST /notes was answered with 200 and an empty body, without any data");
});

test("a hidden element stands behind the answer that another role came with", () => {
  const me = (role: string) => exchange("/api/me", { ts: 300, body: JSON.stringify({ name: "Mina", role }) });
  const step = {
    name: "click",
    title: "Click getByRole('button', { name: 'Delete all' })",
    expected: undefined,
    received: undefined,
    message:
      "TimeoutError: locator.click: Timeout 4000ms exceeded.\nCall log:\n- waiting for getByRole('button', { name: 'Delete all' })",
  };
  const usual = run(...me("editor"), passing(step), page("<button>Delete all</button>"));
  const shut = page("<button hidden>Delete all</button>");
  const told = first(run(...me("viewer"), failing(step), shut), usual);
  expect(told).toStartWith("GET /api/me answered “viewer” for “role”, where the last pass had “editor”");
  expect(first(run(...me("editor"), failing(step), shut), usual)).toContain("hidden");
});
