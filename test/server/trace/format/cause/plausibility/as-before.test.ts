import { expect, test } from "bun:test";
import { exchange, failing, page, passing, run, save, savedInVain, told } from "../run.ts";

const accounts = (ts: number, cents: number) =>
  exchange("/api/accounts", {
    ts,
    body: JSON.stringify({
      items: [
        { id: "a1", name: "Current", cents: 500 },
        { id: "a2", name: "Reserve", cents },
      ],
    }),
  });
const move = (more: object = {}) =>
  exchange("/api/transfers", { ts: 4_000, method: "POST", status: 201, body: "{}", ...more });
const shown = { expected: '"€7.50"', received: '"€6.00"' };
const usual = run(...accounts(3_000, 600), ...move(), ...accounts(4_100, 750), passing(shown));
const cause = (...events: Parameters<typeof run>) =>
  told(run(...events, failing(shown)), usual, usual).join("\n");

test("a value that every pass has changed by a write is told to be as before that write", () => {
  expect(cause(...accounts(3_000, 600), ...move(), ...accounts(4_100, 600))).toContain(
    "GET /api/accounts answered “600” for “items.Reserve.cents”, where the last pass had “750”; it is still as before POST /api/transfers, which was answered with 201",
  );
});

test("it is not where it is another one, the write was refused or sent by no pass, or a pass moves without it", () => {
  const silent = (told: string) => expect(told).not.toContain("still as before");
  silent(cause(...accounts(3_000, 600), ...move(), ...accounts(4_100, 650)));
  silent(cause(...accounts(3_000, 600), ...move({ status: 500 }), ...accounts(4_100, 600)));
  const other = exchange("/api/cards", { ts: 4_000, method: "POST", status: 201, body: "{}" });
  silent(cause(...accounts(3_000, 600), ...other, ...accounts(4_100, 600)));
  const failed = run(...accounts(3_000, 600), ...move(), ...accounts(4_100, 600), failing(shown));
  const early = run(...accounts(3_000, 750), ...move(), ...accounts(4_100, 750), passing(shown));
  silent(told(failed, usual, early).join());
});

/** An operation of a stored query: nothing says whether it writes. */
const operation = (operationName: string, ts: number, data: object) =>
  exchange("/graphql", {
    ts,
    method: "POST",
    request: { body: JSON.stringify({ id: `${operationName}@1`, operationName, variables: {} }) },
    body: JSON.stringify({ data }),
    media_type: "application/json",
  });
const course = (ts: number, state: string) => operation("Course", ts, { state });
const enrol = operation("Enrol", 3_500, { enrol: { slug: "chemistry" } });

test("the one operation between two answers that say the same is told with the second, where the passes changed by it", () => {
  const moved = run(...course(3_000, "guest"), ...enrol, ...course(4_000, "member"), passing());
  const now = (...between: Parameters<typeof run>) =>
    told(run(...course(3_000, "guest"), ...between, ...course(4_000, "guest"), failing()), moved, moved).join(
      "\n",
    );
  expect(now(...enrol)).toContain(
    "POST /graphql (Course) answered still the same as before POST /graphql (Enrol), which was answered with 200: “guest” for “data.state”, where the last pass had “member”",
  );
  // Of two any may be it.
  const two = now(...enrol, ...operation("Members", 3_600, { members: [] }));
  expect(two).toContain("answered still the same as when it was asked before: “guest”");
});

const settings = (ts: number, currency: string) =>
  exchange("/api/settings", { ts, media_type: "application/json", body: JSON.stringify({ currency }) });

test("what passes changed by the step that gave up here, or after it, is not told to be still the same", () => {
  const put = exchange("/api/settings", { ts: 3_100, method: "PUT", body: "{}" });
  const before = [...settings(1_000, "USD"), ...settings(2_000, "USD")];
  const asked = [...settings(1_000, "USD"), ...settings(4_000, "USD")];
  const saved = run(...settings(1_000, "USD"), save(), ...put, ...settings(3_500, "EUR"), passing());
  const early = run(...settings(1_000, "USD"), ...put, ...settings(3_500, "EUR"), save({ ts: 3_600 }));
  const still = "GET /api/settings answered still the same as when it was asked before";
  expect(
    told(run(...asked.slice(0, 2), savedInVain(), ...asked.slice(2)), saved, saved).join(),
  ).not.toContain(still);
  expect(told(run(...before, savedInVain({ ts: 3_600 })), early, early).join()).toContain(still);
});

test("a list that still has what was removed leads, however little of it the test names", () => {
  const list = (ts: number, ...ids: string[]) =>
    exchange("/api/people", {
      ts,
      media_type: "application/json",
      body: JSON.stringify({ items: ids.map((id) => ({ id, name: `P${id}` })), total: ids.length }),
    });
  const remove = exchange("/api/people/5988", { ts: 3_000, method: "DELETE", status: 204 });
  const missing = { name: "toBeVisible", title: "Expect \"toBeVisible\" getByText('None found')" };
  const gone = run(...list(2_000, "5988"), ...remove, ...list(4_000), passing(missing));
  const kept = (id: string) =>
    told(
      run(
        ...list(2_000, id),
        ...remove,
        ...list(4_000, id),
        failing({
          ...missing,
          message: "Error: element(s) not found",
          expected: "visible",
          received: undefined,
        }),
        page("<p>None here</p><p>1 person</p>"),
      ),
      gone,
      gone,
    )[0];
  expect(kept("5988")).toContain(
    "GET /api/people answered still the same as before DELETE /api/people/5988, which was answered with 204",
  );
});

const notes = (ts: number, ...texts: string[]) =>
  exchange("/api/notes", {
    ts,
    media_type: "application/json",
    body: JSON.stringify({ items: texts.map((text) => ({ text })) }),
  });
const note = (text: string, status = 201) =>
  exchange("/api/notes", { ts: 3_500, method: "POST", status, request: { body: JSON.stringify({ text }) } });
const counted = {
  title: "Expect \"toHaveText\" getByRole('heading')",
  expected: '"Notes (3)"',
  received: '"Notes (2)"',
};

test("a list that lacks what was written since is told, however little of it the test names", () => {
  const still = "GET /api/notes answered still the same as";
  const later = run(
    ...[...notes(3_000, "Oats", "Rye"), ...note("Barley"), ...notes(4_000, "Oats", "Rye", "Barley")],
    passing(counted),
  );
  const now = (write: Parameters<typeof run>) =>
    told(
      run(...notes(3_000, "Oats", "Rye"), ...write, ...notes(4_000, "Oats", "Rye"), failing(counted)),
      later,
      later,
    );
  const [one] = now(note("Barley"));
  expect(one).toContain(still);
  expect(one).toContain("with 2 items for “items” instead of 3 items, without “Barley”");
  // What was written is not what the passes have more.
  expect(now(note("Millet")).join()).not.toContain(still);
});

test("what stood there before it was asked for at all is of no answer that the page waited for meanwhile", () => {
  const target = "getByRole('heading')";
  const many = { ...counted, expected: '"Notes (413)"', received: '"Notes (412)"' };
  const shown = (ts: number, step_id: string, phase: string) =>
    page("<h1>Notes (412)</h1>", { ts, step_id, phase });
  const add = save({ ts: 3_000 });
  const unread = (ts: number) =>
    exchange("/api/news", { ts, body: '{"unread":412}', media_type: "application/json" });
  const failed = (ts: number) =>
    told(
      run(
        shown(3_005, "save", "action"),
        add,
        ...unread(ts),
        failing({ ...many, message: `expect(locator).toHaveText(expected) failed\n\nLocator: ${target}` }),
        shown(6_990, "check", "after"),
      ),
      run(shown(3_005, "save", "action"), add, passing(many)),
    ).join();
  const said = "answered “412” for “unread”: that is what the page shows";
  expect(failed(5_500)).not.toContain(said);
  expect(failed(4_000)).toContain(said);
});
