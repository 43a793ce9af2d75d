import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { around, fill, first, json, missed, post, told } from "./scene.ts";

const all = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");
const save = click("Click Save", { ts: 4_000, name: "page.click" });

test("what could not be read as JSON is told with the status that has no body", () => {
  const cause = (status: number) =>
    first(
      run(
        save,
        ...exchange("/api/jobs/7", { method: "DELETE", status, ts: 4_100 }),
        {
          kind: "console.error",
          source: "page",
          text: "SyntaxError: Unexpected end of JSON input",
          ts: 4_150,
        },
        failing(),
      ),
    );
  expect(cause(204)).toContain(
    "DELETE /api/jobs/7 had been answered right before with 204, which has no body to be read",
  );
  expect(cause(201)).not.toContain("which has no body to be read");
});

test("a field that a refused write lacked is told with what it was sent with", () => {
  const cause = (sent: object, message = "body is required") =>
    all(
      save,
      ...post("/api/notes", 400, { message }, { request: { body: JSON.stringify(sent) } }),
      failing(),
    );
  expect(cause({ text: "Hello" })).toContain("body is required; it was sent without “body”, and with “text”");
  for (const silent of [cause({ body: "" }), cause({ text: "Hello" }, "Too long")])
    expect(silent).not.toContain("it was sent without");
});

test("what an answer says in words of its value is told with it, and not what it had said before or was given", () => {
  const quote = (note: string, ts: number, request: object = {}) =>
    post("/api/quote", 200, { discount: 12.5, note }, { ts, request: { body: JSON.stringify(request) } });
  const cause = (note: string, request: object = {}, before = "") =>
    all(
      ...quote(before, 3_000),
      save,
      ...quote(note, 4_100, request),
      failing({ expected: '"€40.00"', received: '"€12.50"' }),
    );
  expect(cause("This voucher has expired")).toContain("it said “This voucher has expired” for “note”");
  for (const silent of [
    cause("This voucher has expired", {}, "This voucher has expired"),
    cause("Call me first", { note: "Call me first" }),
    cause(""),
  ])
    expect(silent).not.toContain("it said");
});

describe("a dialog that stands open", () => {
  const dialog = '<div role="dialog" aria-label="Confirm"><button>Yes</button></div>';
  const hidden = (target: string) =>
    failing({
      name: "toBeHidden",
      title: `Expect "toBeHidden" ${target}`,
      message: "expect(locator).toBeHidden() failed",
      expected: "hidden",
      received: "visible",
    });

  test("is told with the write that was taken, and not where that was refused or nothing was sent", () => {
    const cause = (html: string, ...sent: ReturnType<typeof exchange>) =>
      all(save, ...sent, page(html), hidden("getByRole('dialog')"));
    expect(cause(dialog, ...post("/api/bookings", 201, { id: 1 }))).toContain(
      "The dialog “Confirm” is still open, though POST /api/bookings was answered with 201: nothing closed it",
    );
    for (const silent of [cause(dialog, ...post("/api/bookings", 409, {})), cause(dialog)])
      expect(silent).not.toContain("is still open");
  });

  test("is told with what no role sees behind it", () => {
    const cause = (...sent: ReturnType<typeof exchange>) =>
      all(
        save,
        ...sent,
        page(`<main aria-hidden="true"><button>Everything</button></main>${dialog}`),
        missed("getByRole('button', { name: 'Everything' })"),
      );
    expect(cause(...post("/api/views", 201, { id: 1 }))).toContain(
      "the dialog “Confirm” is still open, though POST /api/views was answered with 201",
    );
    expect(cause()).not.toContain("is still open");
  });

  test("is told to wait for its answer where the page shows what was before", () => {
    const cause = (...sent: ReturnType<typeof exchange>) =>
      all(
        ...json("/api/jobs/7", { state: "open now" }, { ts: 3_000 }),
        ...around(
          { ...save, step_id: "save" },
          "<p>open now</p>",
          '<p>open now</p><div role="dialog"><p>Close this job?</p><button>Yes</button></div>',
        ),
        ...sent,
        failing({ expected: '"closed"', received: '"open now"' }),
      );
    expect(cause()).toContain("that dialog is still open: nobody answered it, and nothing was sent");
    expect(cause(...post("/api/jobs/7/close", 200, {}))).not.toContain("nobody answered it");
  });
});

test("one too many for a write that was sent twice at once is told by that, before what a list has", () => {
  const create = (ts: number) =>
    post("/api/jobs/7/replies", 201, { id: ts, text: "Hi" }, { ts, request: { body: '{"text":"Hi"}' } });
  const cause = (second: number) =>
    first(
      run(
        ...json("/api/jobs/7", { id: 7, replies: [{ id: "r1" }] }, { ts: 3_000 }),
        save,
        ...create(4_010),
        ...create(second),
        ...json("/api/jobs/7", { id: 7, replies: [{ id: "r1" }, { id: "r2" }, { id: "r3" }] }, { ts: 4_500 }),
        failing({
          name: "toHaveCount",
          title: 'Expect "toHaveCount" getByTestId("reply")',
          message: "expect(locator).toHaveCount(expected) failed",
          expected: "2",
          received: "3",
        }),
      ),
    );
  expect(cause(4_011)).toStartWith("request_repeated: POST /api/jobs/7/replies was sent twice");
  expect(cause(4_300)).not.toStartWith("request_repeated:");
});

test("what says again how the page is headed reads it out, and does not come first", () => {
  const cause = (said: string) =>
    first(
      run(
        save,
        page(`<h1>Catalogue</h1><div role="alert">${said}</div>`),
        failing({ expected: '"1"', received: '"2"' }),
      ),
    );
  expect(cause("Catalogue")).toStartWith("assertion:");
  expect(cause("Your basket is full")).toStartWith("page_message:");
});

test("a text that an earlier page's field had no room for is told, where the page has its beginning alone", () => {
  const text = "Scanner does not connect";
  const typed = (limit: number) => [
    page(`<label>Subject <input maxlength="${limit}"></label>`, {
      ts: 2_990,
      step_id: "fill",
      phase: "action",
    }),
    { ...fill("Subject", text, 3_000), step_id: "fill" },
    page(
      `<label>Subject <input maxlength="${limit}" __playwright_value_="${text.slice(0, limit)}"></label>`,
      {
        ts: 3_050,
        step_id: "fill",
        phase: "after",
      },
    ),
  ];
  const cause = (limit: number, heading: string) =>
    all(
      ...typed(limit),
      { ...save, step_id: "save" },
      page(`<h1>${heading}</h1>`),
      missed(`getByRole('heading', { name: '${text}' })`),
    );
  expect(cause(12, "Scanner does")).toContain(
    'The field “Subject” took only “Scanner does” of “Scanner does not connect”, which the test gave it: it has maxlength="12"',
  );
  for (const silent of [cause(120, "Scanner"), cause(12, "Tickets")])
    expect(silent).not.toContain("took only");
});

test("a grade that another thing has since is told with that thing", () => {
  const roster = (maya: number | null, others: object[], ts: number) =>
    json("/api/roster", [{ id: "e1", learner: "Maya Lind", grade: maya }, ...others], { ts });
  const tom = (grade: number) => [{ id: "e2", learner: "Tom Okafor", grade }];
  const cause = (grade: number, before = tom(70)) =>
    all(
      ...roster(null, before, 3_000),
      save,
      ...json(
        "/api/grades/e1",
        { id: "e1", grade: 92 },
        { method: "PUT", ts: 4_100, request: { body: '{"grade":92}' } },
      ),
      ...roster(null, tom(grade), 4_300),
      failing({ expected: '"92"', received: '"–"' }),
    );
  expect(cause(92)).toContain("“Tom Okafor” has it now, which had “70” before");
  expect(cause(70)).toContain("what was written is not stored, or not yet");
  // What the list of before had not may have had it all along.
  expect(cause(92, [])).toContain("what was written is not stored, or not yet");
});

test("a switch that goes by almost the word of a button is why that is not there", () => {
  const cause = (name: string, isOn: boolean) =>
    all(
      ...json("/config.json", { features: { [name]: isOn } }, { ts: 1_000 }),
      save,
      page("<button>Open</button>"),
      missed("getByRole('button', { name: 'Save view' })"),
    );
  expect(cause("savedViews", false)).toContain("GET /config.json answered “false” for “features.savedViews”");
  for (const silent of [cause("savedViews", true), cause("newReports", false)])
    expect(silent).not.toContain("for “features.");
});

test("a sum that the page makes of what was typed is not put down to an answer of before", () => {
  const cause = (typed: number) =>
    all(
      fill("Price", "12.50", typed),
      ...json("/api/customers", [{ id: 1, name: "Ada", phone: "1" }], { ts: 3_000 }),
      failing({ expected: '"€124.45"', received: '"€NaN"' }),
    );
  expect(cause(4_000)).toContain(
    "no answer came since the test wrote into its fields: the page works it out by itself",
  );
  expect(cause(2_000)).toContain("the last answer, to GET /api/customers, has the fields id, name, phone");
});
