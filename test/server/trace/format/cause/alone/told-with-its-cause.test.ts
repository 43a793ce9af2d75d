import { describe, expect, test } from "bun:test";
import { click, exchange, failing, page, run, SITE } from "../run.ts";
import { first, header, json, missed, told } from "./scene.ts";

describe("a control that is disabled", () => {
  const pay = "getByRole('button', { name: 'Pay' })";
  const filled = click("Fill \"77\" getByLabel('Account')", {
    name: "page.fill",
    ts: 2_000,
    params: { selector: 'internal:label="Account"i', value: "77" },
  });
  const disabled = (...more: Parameters<typeof run>) =>
    run(
      click("Navigate /pay", { name: "page.goto", ts: 1_000 }),
      ...more,
      missed(pay, { log: [`waiting for ${pay}`, "  - element is not enabled"] }),
      page('<button disabled="">Pay</button>'),
    );
  const down = (more: object = {}) => exchange("/lookup?account=77", { ts: 2_100, status: 503, ...more });

  test("is told with the read that failed after something was given to the page", () => {
    expect(first(disabled(filled, ...down()))).toBe(
      `element_disabled: ${pay} was disabled; GET /lookup?account=77 was answered with 503`,
    );
  });

  test("is told alone where that failed before, or two of them did", () => {
    for (const others of [
      [...down({ ts: 1_100 }), filled],
      [filled, ...down(), ...exchange("/rates", { ts: 2_200, status: 500 })],
      [filled, ...down({ method: "POST" })],
    ])
      expect(first(disabled(...others))).not.toContain("was disabled; GET");
  });
});

describe("what stands there twice", () => {
  const row = "getByRole('row', { name: 'Order 7' })";
  const twice = (...more: Parameters<typeof run>) =>
    run(
      click("Click getByRole('button', { name: 'Order' })", { ts: 4_000, step_id: "order" }),
      ...more,
      missed(row, {
        log: [],
        error: { message: `locator.click: Error: strict mode violation: ${row} resolved to 2 elements` },
      }),
    );
  const post = (ts: number) =>
    exchange("/orders", { ts, method: "POST", status: 201, request: { body: '{"item":7}' } });

  test("is told with what was sent twice", () => {
    expect(first(twice(...post(4_010), ...post(4_012)))).toMatch(
      /matched 2 elements where the test means one; POST \/orders was sent twice/,
    );
  });

  test("is told alone where it was sent once", () => {
    expect(first(twice(...post(4_010)))).toMatch(/matched 2 elements where the test means one$/);
  });
});

describe("an option that is not there", () => {
  const field = "getByLabel('Kind')";
  const pick = missed(field, {
    name: "page.selectOption",
    title: `Select option ${field}`,
    params: { selector: 'internal:label="Kind"i', options: [{ label: "Meals" }] },
    log: [`waiting for ${field}`, "  - did not find some options"],
    error: { message: "TimeoutError: locator.selectOption: Timeout 2000ms exceeded." },
  });
  const html = page("<label>Kind <select><option>Other</option></select></label>");

  test("is told with the one list that could not be read", () => {
    const kinds = exchange("/kinds.json", {
      ts: 1_000,
      status: 200,
      headers: header("content-encoding", "gzip"),
      error: "net::ERR_CONTENT_DECODING_FAILED",
    });
    expect(first(run(...kinds, pick, html))).toMatch(/has no such option .*; GET \/kinds\.json /);
    expect(first(run(pick, html))).not.toContain("GET ");
  });
});

describe("what a page threw", () => {
  const thrown = (ts: number) => ({
    kind: "console.error",
    ts,
    source: "page",
    text: "TypeError: Cannot read properties of null",
  });
  const html = "<main><h1>Sizes</h1><p>Size M</p><button>Larger</button></main>";
  const larger = (ts: number) =>
    click("Click getByRole('button', { name: 'Larger' })", { ts, step_id: `larger ${ts}` });
  const still = (...more: Parameters<typeof run>) =>
    told(
      run(
        ...more,
        page(html, { ts: 4_000, step_id: "larger 4000", phase: "action" }),
        larger(4_000),
        failing({
          title: "Expect \"toHaveText\" getByText('Size')",
          expected: '"Size L"',
          received: '"Size M"',
        }),
        page(html),
      ),
    );

  test("before another action that went well comes after the action that did nothing", () => {
    expect(still(thrown(1_000), larger(2_000))[0]).toContain("seems to have done nothing");
    expect(still(larger(2_000), thrown(3_990))[0]).toContain("The page threw");
  });
});

describe("a page that the last action led to", () => {
  const press = click("Click Open", { ts: 4_000, step_id: "open" });
  const open = (from: string, to: string, html: string) =>
    first(
      run(
        page("<p>List</p>", { url: `${SITE}${from}`, ts: 3_990, step_id: "open", phase: "before" }),
        press,
        missed("getByRole('dialog')"),
        page(html, { url: `${SITE}${to}` }),
      ),
    );

  test("is told where it says that it is not there, or has not what is looked for", () => {
    expect(open("/invoices", "/invoice/7", "<h1>Page not found</h1>")).toBe(
      "page_message: The page said “Page not found”; “Click Open” had led to shop.example/invoice/7",
    );
    expect(open("/inbox", "/cards/7", "<h1>Boards</h1>")).toEndWith(
      "; “Click Open” had led to shop.example/cards/7",
    );
    expect(open("/inbox", "/inbox", "<h1>Boards</h1>")).not.toContain("had led to");
  });
});

describe("an upload that was refused", () => {
  const give = click("Set input files", { name: "page.setInputFiles", ts: 3_000 });
  const upload = (status: number, type: string) =>
    first(
      run(
        give,
        ...exchange("/files", {
          ts: 3_010,
          status,
          method: "POST",
          request: { headers: header("content-type", type) },
        }),
        missed("getByText('Attached')"),
      ),
    );

  test("is told with its type where that was refused, or is none of a file", () => {
    expect(upload(415, "image/heic")).toBe(
      "request_failed: POST /files was answered with 415; it was sent as “image/heic”",
    );
    expect(upload(500, "application/json; charset=utf-8")).toContain("it was sent as “application/json”");
    for (const [status, type] of [
      [500, "multipart/form-data; boundary=x"],
      [500, "application/pdf"],
      [413, "application/json"],
    ] as const)
      expect(upload(status, type)).not.toContain("it was sent as");
  });
});

test("what was refused is told with what was written into another field than it was meant for", () => {
  const found = '__playwright_target__=""';
  const html = (id: string) =>
    `<form><label for="mail">E-mail</label><input ${id === "mail" ? found : ""} id="mail"><label for="${id}">VAT</label><input ${id === "mail" ? "" : found} id="${id}" name="vat"></form>`;
  const fill = click("Fill VAT", { name: "locator.fill", ts: 4_000, step_id: "fill" });
  const cause = (id: string) =>
    first(
      run(
        page(html(id), { ts: 3_990, step_id: "fill", phase: "action" }),
        fill,
        ...exchange("/customers", { ts: 4_900, status: 422, method: "POST" }),
        missed("getByText('Saved')"),
      ),
    );
  expect(cause("mail")).toMatch(/POST \/customers was answered with 422; .*the id “mail” stands twice/);
  expect(cause("vat")).not.toContain("stands twice");
});

test("who may only read sees headings all the same", () => {
  const me = json("/api/me", { user: { role: "viewer" } }, { ts: 3_000 });
  const words = "which may be why the page leaves out what the test looks for";
  const cause = (target: string) => told(run(...me, missed(target), page("<h1>Board</h1>"))).join();
  expect(cause("getByRole('button', { name: 'Add card' })")).toContain(words);
  expect(cause("getByRole('grid', { name: 'Calendar' })")).not.toContain(words);
});
