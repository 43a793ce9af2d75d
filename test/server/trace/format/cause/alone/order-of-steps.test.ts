import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run } from "../run.ts";
import { document, fill, json, missed, post, textOf, told } from "./scene.ts";

type Events = Parameters<typeof run>;
const cause = (...events: Events) => told(run(...events)).join("\n");

describe("a text that was typed last", () => {
  const typed = fill("New tag", "VIP", 4_000);
  const check = textOf("tags", "VIP", "billing");
  const TOLD =
    "The test pressed no key and no button after “Fill \"VIP\" getByLabel('New tag')”, and nothing was sent";

  test("and that is looked for elsewhere is told to have never been entered", () => {
    expect(cause(typed, check)).toStartWith(
      `test_code: ${TOLD}: what it typed was never entered, and the test looks for it in getByTestId('tags')`,
    );
  });

  test("is not told so where a key was pressed, it was sent, a list is searched, or another text is looked for", () => {
    const enter = click("Press Enter", { name: "page.press", ts: 4_100 });
    for (const events of [
      [typed, enter, check],
      [typed, ...post("/api/tags", 201, {}, { request: { body: '{"tag":"VIP"}' } }), check],
      [fill("Search tags", "VIP", 4_000), check],
      [typed, textOf("tags", "gold", "billing")],
      [click("Click Add", { ts: 3_900 }), check],
    ] as Events[])
      expect(cause(...events)).not.toContain("pressed no key");
  });
});

describe("what the test itself sent for an open page to hear of", () => {
  const open = click("Navigate /receive", { name: "page.goto", ts: 4_000 });
  const scan = (ts: number) =>
    exchange("/api/scan", {
      ts,
      method: "POST",
      resource_type: "api",
      body: '{"delivered":0}',
      request: { body: "{}" },
    });
  const socket = (ts: number) => exchange("/ws/scanner", { ts, resource_type: "websocket", status: 101 });
  const check = textOf("received", "3", "0");
  const shop = document("/receive", "<h1>Receive</h1>");

  test("is told to have been sent before the page was connected", () => {
    expect(cause(...shop, open, ...scan(4_100), ...socket(5_200), check)).toStartWith(
      'test_code: POST /api/scan, which the test itself sent, was answered (“{"delivered":0}”) 1.1 s before the page connected to /ws/scanner: it was sent too early, and the page was not told of it',
    );
  });

  test("is not told so where the page was connected, the page was opened since, or it connects to nothing", () => {
    for (const events of [
      [open, ...socket(4_050), ...scan(4_100), ...socket(5_200)],
      [...scan(3_500), open, ...socket(5_200)],
      [open, ...scan(4_100)],
    ] as Events[])
      expect(cause(...shop, ...events, check)).not.toContain("sent too early");
  });
});

test("a disabled button is told with the field that the last action had emptied", () => {
  const form = (value: string, state: string) =>
    `<form><label>Message <textarea>${value}</textarea></label><button ${state}>Add note</button></form>`;
  const typed = fill("Message", "On the legacy plan", 4_000);
  const tab = click("Click getByRole('tab', { name: 'Note' })", { ts: 4_200, step_id: "tab" });
  const add = missed("getByRole('button', { name: 'Add note' })", {
    log: ["waiting for getByRole('button', { name: 'Add note' })", "element is not enabled"],
  });
  const events = (after: string): Events => [
    typed,
    page(form("On the legacy plan", ""), { ts: 4_150, step_id: "tab", phase: "action" }),
    tab,
    add,
    page(form(after, "disabled"), { ts: 6_990 }),
  ];
  expect(cause(...events(""))).toStartWith(
    "element_disabled: getByRole('button', { name: 'Add note' }) was disabled, while “Message” stands empty, which the test had filled with “On the legacy plan” before “Click getByRole('tab', { name: 'Note' })”",
  );
  expect(cause(...events("On the legacy plan"))).not.toContain("it lost what");
});

describe("a control that is nowhere", () => {
  const gone = missed("getByRole('link', { name: 'Receive goods' })");
  const order = (states: string) => page(`<h1>PO-7</h1>${states}<button>Approve</button>`);

  test("is told with the state of the one thing that the page is of", () => {
    expect(cause(gone, order('<span data-testid="order-status">Draft</span>'))).toContain(
      "was nowhere on the page; it has no link at all; its “order-status” is “Draft”",
    );
  });

  test("is told without a state where the page has several, or none", () => {
    const row = '<p data-testid="status">Draft</p>';
    for (const states of [row + row, '<p data-testid="owner">Ann</p>'])
      expect(cause(gone, order(states))).not.toMatch(/” is “(?:Draft|Ann)”/);
  });
});

test("a cell that was read by its place is told to stand in another column", () => {
  const table = (head: string, cell: string) =>
    page(
      `<table><tr>${head}<th>Reference</th><th>Name</th></tr><tr>${cell}<td>NK-7</td><td>Ann</td></tr><tr>${cell}<td>NK-8</td><td>Ben</td></tr></table>`,
      { ts: 4_950 },
    );
  const read = {
    kind: "agent.action",
    name: "page.evalOnSelectorAll",
    title: "Evaluate getByTestId('row').locator('td:first-child')",
    params: {},
    ts: 4_960,
    duration_ms: 20,
  };
  const check = failing({
    name: "toBe",
    title: 'Expect "toBe"',
    message: "expect(received).toBe(expected) // Object.is equality",
    expected: '"NK-8"',
    received: '"18"',
    duration_ms: 1,
  });
  expect(cause(table("<th>#</th>", "<td>18</td>"), read, check)).toStartWith(
    "page_changed: The step looks at column 1 (“#”), and “NK-8”, which it wants, stands in column 2 (“Reference”)",
  );
  expect(cause(table("<th>#</th>", "<td>18</td>"), { ...read, ts: 1_000 }, check)).not.toContain("column");
});

test("a first page that is not there is told with its status, and that the base URL may be another server's", () => {
  const open = (url: string) =>
    click("Navigate /", {
      name: "page.goto",
      ts: 5_000,
      step_id: "check",
      params: { url },
      ok: false,
      error: { message: "page.goto: net::ERR_HTTP_RESPONSE_CODE_FAILURE at http://shop.example/" },
    });
  const answer = () => document("/", "", { status: 404, ts: 5_010 });
  expect(cause(...answer(), open("/"))).toStartWith(
    "request_failed: shop.example/ could not be opened: it was answered with 404 and no page; the base URL of the run may be that of another server",
  );
  expect(cause(...document("/cart", "<p>Cart</p>"), ...answer(), open("/"))).not.toContain("base URL");
  expect(cause(...answer(), open("http://shop.example/"))).not.toContain("base URL");
  expect(cause(...json("/api/me", {}), ...answer(), open("/"))).toContain("base URL");
});
