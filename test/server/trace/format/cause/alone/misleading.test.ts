import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run } from "../run.ts";
import { json, missed, told } from "./scene.ts";

const sureOf = (words: string, ...events: Parameters<typeof run>): number =>
  causeOf(run(...events)).suspects.find(({ title }) => title.includes(words))?.confidence ?? 0;

test("of a text with many values one that stands there rightly is not what is wrong", () => {
  const cell = (expected: string, received: string, title = "toContainText") =>
    failing({ title: `Expect "${title}" getByRole('row')`, expected, received });
  const ticket = json("/api/tickets/7", { subject: "Zoom link in the invoice mail", at: "2030-05-12" });
  const cause = (failed: ReturnType<typeof failing>) => told(run(...ticket, failed)).join("\n");
  const row = '"#7Zoom link in the invoice mail12 May 2030Ada–"';
  expect(cause(cell('"Jun Sakamoto"', row))).not.toContain("that is what the page shows");
  expect(cause(cell('"Jun Sakamoto"', '"Zoom link in the invoice mail"'))).toContain(
    "that is what the page shows",
  );
  // A day is met in the place of another day, and of nothing else.
  expect(cause(cell('"13 June 2030"', '"12 May 2030"', "toHaveText"))).toContain("“2030-05-12” for “at”");
  expect(cause(cell('"0:25"', '"12 May 2030 · 0:15"', "toHaveText"))).not.toContain("“2030-05-12” for “at”");
});

test("a socket that was refused before somebody signed in is over", () => {
  const socket = exchange("ws://shop.example/live", {
    ts: 1_000,
    resource_type: "websocket",
    status: 401,
    error: "HTTP Authentication failed; no valid credentials available",
  });
  const signIn = exchange("/api/login", { ts: 2_000, method: "POST" });
  const look = missed("getByText('Today')");
  const words = "WebSocket";
  expect(sureOf(words, ...socket, ...signIn, look)).toBeLessThan(sureOf(words, ...socket, look));
});

test("what a page says that it was refused with comes after the refusal, however long ago that was", () => {
  const slots = (message: string) => json("/api/slots", { message }, { ts: 2_000, status: 429 });
  const cause = (message: string, ts: number) =>
    told(
      run(
        ...slots(message),
        click("Click Next week", { ts: ts - 1_000, step_id: "next" }),
        missed("getByText('09:00')", { ts }),
        page('<div role="alert">Too many requests</div>', { ts: ts + 1_990 }),
      ),
    )[0];
  for (const ts of [5_000, 25_000]) {
    expect(cause("Too many requests", ts)).toStartWith(
      "request_failed: GET /api/slots was answered with 429",
    );
    expect(cause("Closed on Mondays", ts)).toStartWith("page_message: ");
  }
});

test("a page that the last action opened is where the step should have looked", () => {
  const open = click("Click INV-7", { ts: 4_000, step_id: "open" });
  const popup = (ts: number) => ({ kind: "page.popup", url: "http://shop.example/invoices/7", ts });
  const lines = json("/api/invoices", { items: [] }, { ts: 4_500 });
  const first = (ts: number) =>
    told(
      run(
        open,
        popup(ts),
        ...lines,
        missed("getByRole('heading', { name: 'INV-7' })"),
        page("<h1>Invoices</h1>"),
      ),
    )[0];
  expect(first(4_100)).toStartWith("popup: ");
  expect(first(2_000)).not.toStartWith("popup: ");
});

test("what rates are told against is not what an amount is written by", () => {
  const price = failing({
    title: "Expect \"toHaveText\" getByTestId('total')",
    expected: '"CHF 269.80"',
    received: '"€284.00"',
  });
  const cause = (name: string) => told(run(...json("/api/rates", { [name]: "EUR" }), price)).join("\n");
  expect(cause("currency")).toContain("by which the page writes");
  expect(cause("base")).not.toContain("by which the page writes");
});

test("an element that is the wanted one and was not found is hidden, or stands elsewhere", () => {
  const target = "getByRole('navigation', { name: 'Queues' }).getByRole('button', { name: /^Technical/ })";
  const cause = (html: string) => told(run(missed(target), page(html)))[0];
  const button = "<button><span>Technical</span> 11</button>";
  expect(cause(`<nav aria-label="Queues">${button}</nav>`)).toStartWith(
    `element_hidden: ${target} is in the page's markup (a button “Technical 11”), but the step could not see it`,
  );
  expect(cause(`<nav aria-label="Queues"></nav><main>${button}</main>`)).toBe(
    `element_missing: ${target} was not found where it is looked for; a button “Technical 11” stands elsewhere on the page`,
  );
});

test("of scripts that did not load together the product's own is told first", () => {
  const lost = (url: string, ts: number) =>
    exchange(url, { ts, resource_type: "script", status: undefined, error: "net::ERR_FAILED" });
  const opened = exchange("/courses", { ts: 2_900, resource_type: "document", media_type: "text/html" });
  const scripts = [...lost("http://cdn.shop.example/sets.js", 2_990), ...lost("/assets/app.js", 3_000)];
  expect(told(run(...opened, ...scripts, failing()))[0]).toBe(
    "script_failed: The script GET /assets/app.js failed: net::ERR_FAILED",
  );
});

test("a word of what a button does is no value of an answer, nor a thing of its list", () => {
  const orders = json("/api/orders", [
    { number: "PO-1", state: "draft" },
    { number: "PO-2", state: "sent" },
    { number: "PO-3", state: "sent" },
  ]);
  const cause = (wanted: string, ...names: string[]) =>
    told(
      run(
        ...orders,
        missed(`getByRole('button', { name: '${wanted}' })`),
        page(names.map((name) => `<button>${name}</button>`).join("")),
      ),
    );
  expect(cause("Save order", "Save draft", "Cancel")[0]).toBe(
    "element_renamed: getByRole('button', { name: 'Save order' }) was not found; the page has a button “Save draft” in its place",
  );
  // The figure beside it is one.
  expect(
    told(
      run(
        ...json("/api/notices", { unread: 20 }),
        missed("getByRole('button', { name: 'Unread (21)' })"),
        page("<button>Unread (20)</button>"),
      ),
    ).join("\n"),
  ).toContain("answered “20” for “unread”: that is what the page shows");
  // Each of the listed things has its own.
  expect(cause("Open PO-9", "Open PO-1", "Open PO-2").join("\n")).toContain(
    "answered with 3 items, none of which has “Open PO-9”",
  );
});

describe("that an answer says nothing, too", () => {
  const total = failing({
    title: "Expect \"toHaveText\" getByTestId('order-total')",
    expected: '"€441.99"',
    received: '"€0.00"',
  });
  const cause = (answer: object, failed = total) => told(run(...json("/api/orders", answer), failed));

  test("is not where a page has its 0 from, unless it goes by the name of what the test looks at", () => {
    expect(cause({ discount: 0 }).join("\n")).not.toContain("that is what the page shows");
    expect(cause({ total: 0 })[0]).toContain("answered “0” for “total”: that is what the page shows");
  });

  test("counts under a name of several words that the test writes apart", () => {
    const tile = failing({
      title: "Expect \"toHaveText\" getByRole('region', { name: 'Due this week' }).getByRole('strong')",
      expected: '"3"',
      received: '"0"',
    });
    for (const name of ["dueThisWeek", "due_this_week"])
      expect(cause({ [name]: 0 }, tile)[0]).toContain(`answered “0” for “${name}”: that is what`);
    expect(cause({ lowStock: 0 }, tile).join("\n")).not.toContain("that is what the page shows");
  });
});

test("what stands outside of where an element is looked for does not stand in its place", () => {
  const target = "getByRole('row', { name: 'Late shift' }).getByRole('button', { name: 'Assign' })";
  const cause = (row: string) =>
    told(
      run(
        missed(target),
        page(
          `<button>Sign out</button><table><tr aria-label="Late shift"><td>Late shift</td>${row}</tr></table>`,
        ),
      ),
    )[0];
  expect(cause("")).toBe(`element_missing: ${target} was nowhere on the page; it has no button there`);
  expect(cause("<td><button>Asign</button></td>")).toContain("the page has a button “Asign”");
});

describe("what was put right, or is missed ever since", () => {
  const sent = (status: number, ts: number) => exchange("/members", { method: "POST", status, ts });
  const weight = (...more: Parameters<typeof run>) =>
    causeOf(run(...sent(422, 3_000), ...more, failing())).suspects.find(
      ({ kind }) => kind === "request_failed",
    )?.confidence ?? 0;

  test("a form that was refused, filled in again and taken is over", () => {
    const corrects = click("Fill Email", { name: "fill", ts: 3_500, params: { value: "ana@example.org" } });
    expect(weight(corrects, ...sent(303, 4_000))).toBeLessThan(weight(...sent(303, 4_000)));
  });

  test("a script that did not load leads over what a page threw for want of it, however early it failed", () => {
    const lost = exchange("http://pay.example/v3/pay.js", {
      resource_type: "script",
      ts: 500,
      status: null,
      error: "net::ERR_CONNECTION_REFUSED",
    });
    const threw = {
      kind: "console.error",
      source: "page",
      text: "TypeError: Cannot read properties of undefined (reading 'token')",
      ts: 4_800,
    };
    const press = click("Click Continue", { ts: 3_000 });
    expect(told(run(...lost, press, threw, failing()))[0]).toStartWith(
      "script_failed: The script GET /v3/pay.js failed",
    );
  });
});
