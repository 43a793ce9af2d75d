import { describe, expect, test } from "bun:test";
import { causeWithSources, click, exchange, failing, run } from "../run.ts";
import { fill, first, json, textOf, told } from "./scene.ts";

type Events = Parameters<typeof run>;
const unequal = (expected: string, received: string, more: object = {}) =>
  failing({
    name: "toBe",
    title: 'Expect "toBe"',
    message: "expect(received).toBe(expected) // Object.is equality",
    expected,
    received,
    duration_ms: 1,
    ...more,
  });

describe("a value that the test read once", () => {
  const next = click("Click Next", { ts: 4_800 });
  const read = (returned: string, ts = 4_900) => ({
    kind: "agent.action",
    name: "page.innerText",
    title: "Get inner text getByTestId('row')",
    params: {},
    ts,
    duration_ms: 20,
    returned,
  });
  const [asked, answered] = json("/api/rows?page=2", [], { ts: 4_830 });
  const ONCE =
    "test_code: The test read “Get inner text getByTestId('row')” once and did not wait: right after";

  test("is told where the test wants it to be another one than before", () => {
    const same = unequal('not "A-1"', "", {
      message: "expect(received).not.toBe(expected) // Object.is equality",
      received: undefined,
    });
    expect(first(run(next, asked!, read("A-1"), same))).toStartWith(
      `${ONCE} “Click Next”, while GET /api/rows?page=2 was still under way`,
    );
    expect(told(run(next, asked!, answered!, read("A-1"), same)).join()).not.toContain("did not wait");
    expect(told(run(next, asked!, read("B-7"), same)).join()).not.toContain("did not wait");
  });

  test("is told of a page that was just opened and has nothing yet", () => {
    const open = click("Navigate /rows", { name: "page.goto", ts: 4_800 });
    const count = { ...read("0"), name: "page.count", title: "Query count getByTestId('row')" };
    expect(first(run(open, asked!, count, unequal("10", "0")))).toContain(
      "once and did not wait: right after “Navigate /rows”, while GET /api/rows?page=2 was still under way",
    );
    const three = { ...count, returned: "3" };
    expect(told(run(open, asked!, three, unequal("10", "3"))).join()).not.toContain("did not wait");
  });
});

describe("a text that no page is meant to show", () => {
  const read = (duration_ms: number) => ({
    kind: "agent.action",
    name: "page.innerText",
    title: "Get inner text getByTestId('inside')",
    params: {},
    ts: 4_000,
    duration_ms,
  });
  const code = fill("Code", "x", 4_010);

  test("is told to come of the test's own code, with the reading that it did not wait for", () => {
    expect(first(run(read(30), code, textOf("inside", "NaN", "16")))).toBe(
      "test_code: The test expects “NaN”, which its own code computed: “Get inner text getByTestId('inside')” was not awaited, “Fill \"x\" getByLabel('Code')” began before it was answered",
    );
    expect(first(run(read(5), code, textOf("inside", "NaN", "16")))).toBe(
      "test_code: The test expects “NaN”, which its own code computed, from a value that it did not have: no page is meant to show that",
    );
    expect(first(run(textOf("inside", "of [object Promise]", "16")))).toContain(
      "which its own code computed",
    );
  });

  test("is not told of what the page shows, of a name, nor of a value that is compared with nothing", () => {
    for (const failed of [
      textOf("inside", "16", "NaN"),
      textOf("inside", "Nandini", "Anna"),
      unequal("undefined", '"x"'),
    ])
      expect(told(run(read(30), code, failed)).join()).not.toContain("its own code computed");
  });
});

describe("the status of a request that the test itself sent", () => {
  const created = (status: number, ts = 4_900) =>
    exchange("/api/items", { method: "POST", status, ts, resource_type: "api", body: '{"id":7}' });

  test("is told with its answer", () => {
    expect(first(run(...created(200), unequal("201", "200")))).toBe(
      'answer_changed: POST /api/items, which the test itself sent, was answered with 200, where the test expects 201; it answered “{"id":7}”',
    );
  });

  test("is not told of a number that is no status, nor of another request's", () => {
    for (const events of [
      [...created(200), unequal("7", "200")],
      [...created(201), unequal("201", "200")],
      [...created(200, 1_000), unequal("201", "200")],
      [...exchange("/api/items", { status: 200, ts: 4_900 }), unequal("201", "200")],
    ] as Events[])
      expect(told(run(...events)).join()).not.toContain("which the test itself sent");
  });
});

describe("a date that is written out in the test", () => {
  const FILE = "/work/tests/orders.spec.ts";
  const NOON = Date.UTC(2026, 10, 30, 12) - 1_000_000;
  const check = (expected: string, received: string) => ({
    ...textOf("due", expected, received),
    ts: NOON,
    stack: [{ file: FILE, line: 1, column: 1 }],
  });
  const cause = (line: string, ...events: Events) =>
    causeWithSources({ [FILE]: line }, run(...events))
      .suspects.map(({ title }) => title)
      .join();
  const written = (date: string) => `await expect(page.getByTestId("due")).toHaveText("${date}");`;

  test("is told to have passed, where the page shows the day of the run", () => {
    expect(cause(written("12/10/2026"), check("12/10/2026", "30/11/2026"))).toStartWith(
      "The test expects the fixed date “12/10/2026”, written out in its code, and that has passed: the page shows “30/11/2026”, the day of this run",
    );
    const week = ["16.11.2026 – 20.11.2026", "30.11.2026 – 04.12.2026"] as const;
    expect(cause(written(week[0]), check(...week))).toStartWith(
      `The test expects the fixed date “${week[0]}”`,
    );
  });

  test("is not told where the page shows another day, the date is to come, is computed, or is of a thing of the run", () => {
    const given = fill("Due", "2026-10-12", 1_000);
    const known = json("/api/orders/7", { due: "2026-10-12" }, { ts: 1_000 });
    const shown = check("12/10/2026", "30/11/2026");
    for (const [line, ...events] of [
      [written("12/10/2026"), check("12/10/2026", "20/10/2026")],
      [written("12/12/2027"), check("12/12/2027", "30/11/2026")],
      ['await expect(page.getByTestId("due")).toHaveText(today());', shown],
      [written("12/10/2026"), given, shown],
      [written("12/10/2026"), ...known, shown],
    ] as [string, ...Events][])
      expect(cause(line, ...events)).not.toContain("fixed date");
  });
});

describe("a button that was pressed before its field was filled in", () => {
  const apply = click("Click getByRole('button', { name: 'Apply' })", { ts: 4_000 });
  const sent = (body: object, ts = 4_010) =>
    json(
      "/api/promo",
      { message: "No" },
      { ts, method: "POST", status: 404, request: { body: JSON.stringify(body) } },
    );
  const code = fill("Promo code", "winter20", 4_100);
  const check = textOf("discount", "€ 6.20", "€ 0.00");

  test("is told with what was sent empty", () => {
    expect(first(run(apply, ...sent({ code: "" }), code, check))).toBe(
      "test_code: “Click getByRole('button', { name: 'Apply' })” came before “Fill \"winter20\" getByLabel('Promo code')”: POST /api/promo was sent with an empty “code” (answered with 404), and what was typed afterwards was never sent",
    );
  });

  test("is not told where that was sent, another button was pressed since, or the empty field is another one", () => {
    for (const events of [
      [code, apply, ...sent({ code: "winter20" })],
      [apply, ...sent({ code: "" }), code, ...sent({ code: "winter20" }, 4_200)],
      [apply, ...sent({ code: "" }), code, click("Click Pay", { ts: 4_300 })],
      [apply, ...sent({ note: "" }), code],
    ] as Events[])
      expect(told(run(...events, check)).join()).not.toContain("was never sent");
  });
});
