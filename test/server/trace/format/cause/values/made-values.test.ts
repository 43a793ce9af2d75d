import { expect, test } from "bun:test";
import { isAnotherId } from "../../../../../../server/trace/format/cause/values/made-values.ts";
import { causeOf, click, exchange, failing, page, passing, run, told } from "../run.ts";

test("a token of a kind is another id of that kind, whatever letters chance gave it", () => {
  expect(isAnotherId("q_<id>", "q_sndolbn9yd")).toBe(true);
  expect(isAnotherId("q_sndolbn9yd", "q_<id>")).toBe(true);
  expect(isAnotherId("<id>", "k3v9dlbn")).toBe(true);
  expect(isAnotherId("<id>", "les_<id>")).toBe(true);
  for (const [one, other] of [
    ["q_<id>", "q_expired"],
    ["q_<id>", "r_sndolbn9yd"],
    ["q_<id>", ""],
    ["q_<id>", null],
    ["sold out", "k3v9dlbn"],
  ])
    expect([one, other, isAnotherId(one, other)]).toEqual([one, other, false]);
});

test("an answer with such an id is told of nothing, and one without it is", () => {
  const quote = (id: string) => exchange("/api/quote", { ts: 4_000, body: `{"quote":"${id}","days":2}` });
  const passes = ["q_81hd7sk2m4", "q_3k9s7d2p1x"].map((id) => run(...quote(id), passing()));
  const other = told(run(...quote("q_sndolbn9yd"), failing()), ...passes).join("\n");
  expect(other).not.toContain("quote");
  expect(told(run(...quote("expired"), failing()), ...passes).join("\n")).toContain("“expired”");
});

test("how many there are of something takes no element away, and is told where the test counts", () => {
  const list = (total: number) => exchange("/api/courses", { ts: 4_000, body: JSON.stringify({ total }) });
  const missing = {
    name: "toBeVisible",
    title: "Expect \"toBeVisible\" getByLabel('Seek')",
    message:
      "expect(locator).toBeVisible() failed\n\nLocator: getByLabel('Seek')\nExpected: visible\nError: element(s) not found",
    expected: "visible",
    received: undefined,
  };
  const html = page("<h1>Lesson</h1><label>Note <input></label>");
  const pass = run(...list(24), passing(missing), html);
  expect(told(run(...list(25), failing(missing), html), pass, pass)[0]).toStartWith("element_missing: ");
  const counted = { expected: '"24 courses"', received: '"25 courses"' };
  const usual = run(...list(24), passing({ ...counted, received: '"24 courses"' }));
  expect(told(run(...list(25), failing(counted)), usual, usual)[0]).toStartWith(
    "answer_changed: GET /api/courses answered “25” for “total”",
  );
});

test("a time that is gone from an answer is told with the error of the page over one that is none", () => {
  const row = (more: object) =>
    exchange("/api/row", { ts: 4_000, body: JSON.stringify({ ref: "one", ...more }) });
  const thrown = {
    kind: "console.error",
    source: "page",
    text: "RangeError: Invalid time value",
    stack: "RangeError: Invalid time value\n    at show (http://shop.example/app.js:9:1)",
    ts: 4_020,
  };
  const pass = run(...row({ pickupAt: "2026-12-11T09:00:00Z" }), passing());
  expect(told(run(...row({}), thrown, failing()), pass, pass)[0]).toBe(
    "answer_changed: GET /api/row answered nothing for “pickupAt”, where the last pass had a value; then the page threw RangeError: Invalid time value",
  );
  expect(told(run(...row({}), failing()), pass, pass).join("\n")).not.toContain("pickupAt");
});

test("a control that is held back is not told with a time that another thing of a list has", () => {
  const floor = (at: string) =>
    exchange("/api/floor", { ts: 4_000, body: JSON.stringify({ next: at, price: 5 }) });
  const apply = (more: object) =>
    click("Click getByRole('button', { name: 'Apply' })", { ts: 5_000, step_id: "check", ...more });
  const pass = run(...floor("2026-12-02T20:00:00.000Z"), apply({}), page("<button>Apply</button>"));
  const failed = run(
    ...floor("2026-12-02T12:30:00.000Z"),
    apply({
      duration_ms: 2_000,
      ok: false,
      log: ["locator resolved to <button disabled>Apply</button>", "element is not enabled"],
      error: { message: "TimeoutError: locator.click: Timeout 2000ms exceeded." },
    }),
    page("<button disabled>Apply</button>"),
  );
  expect(told(failed, pass, pass)[0]).toBe(
    "element_disabled: getByRole('button', { name: 'Apply' }) was disabled, where the last pass has it enabled",
  );
});

test("what the assertion wants with other figures is no message of the page, and a refusal in its place is one", () => {
  const said = (text: string) => page(`<p role="status">${text}</p>`);
  const wanted = (received: string) =>
    failing({ expected: '"4 added, 1 rejected"', received: `"${received}"` });
  const pass = run(passing({ expected: '"4 added, 1 rejected"' }), said("4 added, 1 rejected"));
  const confidence = (text: string) =>
    causeOf(run(wanted(text), said(text)), pass, pass).suspects[0]!.confidence;
  expect(confidence("3 added, 2 rejected")).toBeLessThan(0.45);
  expect(confidence("Import failed")).toBeGreaterThan(0.7);
});

test("what the test made for one run names the same thing in every run, in its steps as in what came of them", () => {
  const fill = (name: string) =>
    click(`Fill "${name}" getByLabel('Title')`, { name: "page.fill", ts: 3_000, params: { value: name } });
  const kept = (name: string, position: number) => [
    fill(name),
    ...exchange("/api/tasks", { ts: 4_000, body: JSON.stringify({ title: name, position }) }),
  ];
  const pass = (name: string) => run(...kept(name, 0), passing());
  const failed = run(...kept("Team lunch mx1zxd", 2), failing());
  const suspects = told(failed, pass("Team lunch mx1zrr"), pass("Team lunch mx1zpg")).join("\n");
  expect(suspects).toContain("answered “2” for “position”");
  expect(suspects).not.toContain("Team lunch");
});

test("what the test gave otherwise than in passes that gave one thing is no name that it made", () => {
  const order = (code: string, total: number) => [
    click(`Fill "${code}" getByLabel('Code')`, { name: "page.fill", ts: 3_000, params: { value: code } }),
    ...exchange("/api/cart", { ts: 4_000, body: JSON.stringify({ code, total }) }),
  ];
  const pass = run(...order("SAVE10", 90), passing());
  for (const passes of [[pass], [pass, pass]])
    expect(told(run(...order("SAVE20", 80), failing()), ...passes).join("\n")).toContain("SAVE20");
});
