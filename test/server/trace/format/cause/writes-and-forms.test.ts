import { describe, expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, SITE, savedInVain, told } from "./run.ts";

const json = { media_type: "application/json" };
const wire = { name: "content-type", value: "application/json" };

describe("a write with the Idempotency-Key of one that was done", () => {
  const order = (ts: number, key: string, more: object = {}) =>
    exchange("/api/orders", {
      ...{ method: "POST", ts, status: 201, body: '{"summary":"1 × Tea"}', ...json },
      request: { body: '{"pay":"card"}', headers: [wire, { name: "Idempotency-Key", value: key }] },
      ...more,
    });
  const press = click("Place order", { name: "page.click", ts: 2_000 });
  const check = failing({ expected: '"1 × Ink"', received: '"1 × Tea"' });
  const said =
    "page_changed: POST /api/orders was sent with the same Idempotency-Key as POST /api/orders before it, which had been done: the server answers with what came of that";

  test("is told, with a pass and without", () => {
    const mine = run(...order(1_000, "k1"), press, ...order(2_100, "k1", { status: 200 }), check);
    expect(first(mine)).toBe(said);
    expect(first(mine, run(...order(1_000, "k2"), press, ...order(2_100, "k3"), passing()))).toBe(said);
  });

  test("is no cause where it is a second try, has a key of its own, or is so in passes too", () => {
    const silent = [
      told(run(...order(1_000, "k1", { status: 503 }), press, ...order(2_100, "k1"), check)),
      told(run(...order(1_000, "k1"), ...order(2_100, "k1"), check)),
      told(run(...order(1_000, "k1"), press, ...order(2_100, "k2"), check)),
      told(
        run(...order(1_000, "k1"), press, ...order(2_100, "k1"), check),
        run(...order(1_000, "k2"), press, ...order(2_100, "k2"), passing()),
      ),
    ];
    for (const one of silent) expect(one.join("\n")).not.toContain("Idempotency-Key");
  });
});

describe("a write that names itself as the one before it", () => {
  const first7 = "7196da0c-8f95-4bee-b1b8-49e970101c7";
  /** Each write with the last figure of its id, and what came of both together. */
  const lines = (of: string, ids: string, items: string[], answers = items, more: object = {}) =>
    [...ids].flatMap((nth, at) =>
      exchange("/api/orders/4/lines", {
        ...{
          method: "POST",
          ts: 2_000 + at * 1_000,
          status: 201,
          body: JSON.stringify(answers[at]),
          ...json,
        },
        request: { body: JSON.stringify({ clientId: `${of}${nth}`, line: items[at] }), headers: [wire] },
        ...more,
      }),
    );
  const check = failing({ expected: '"21"', received: '"17"' });
  const usual = (of: string) =>
    run(...lines(`${of}196da0c-8f95-4bee-b1b8-49e970101c7`, "12", ["burger", "lemonade"]), passing());
  const cause = (...events: Parameters<typeof run>) => told(run(...events, check), usual("a"), usual("b"));
  const said =
    "page_changed: POST /api/orders/4/lines was sent with the same “clientId” as the one before it, where every pass sends another each time: the server";

  test("is told, most surely where it was answered as that", () => {
    expect(cause(...lines(first7, "11", ["burger", "lemonade"], ["burger", "burger"]))[0]).toBe(
      `${said} took it for that one, and answered the same`,
    );
    expect(cause(...lines(first7, "11", ["burger", "lemonade"])).join("\n")).toContain(
      `${said} may take it for that one, which had been done`,
    );
  });

  test("is told without a pass where the answer has of the first alone", () => {
    const alone = (id: string, answers: string[]) =>
      told(run(...lines(first7, id, ["burger", "lemonade"], answers), check)).join("\n");
    expect(alone("11", ["burger", "burger"])).toContain(
      "page_changed: POST /api/orders/4/lines was sent with the same “clientId” as the one before it: the server took it for that one, and answered the same",
    );
    for (const silent of [
      alone("12", ["burger", "burger"]),
      alone("11", ["done", "done"]),
      alone("11", ["burger", "lemonade"]),
      alone("11", ["burger, lemonade", "burger, lemonade"]),
    ])
      expect(silent).not.toContain("as the one before it");
  });

  test("is none where it is a second try, the first was not done, or the page was given the id", () => {
    const same = lines(first7, "11", ["burger", "lemonade"], ["burger", "burger"]);
    const named = exchange("/api/draft", {
      ts: 1_000,
      body: JSON.stringify({ draft: `${first7}1` }),
      ...json,
    });
    const typed = click("Fill", { name: "page.fill", ts: 1_000, params: { value: `${first7}1` } });
    for (const silent of [
      cause(...lines(first7, "11", ["burger", "burger"])),
      cause(...lines(first7, "11", ["burger", "lemonade"], ["", ""], { status: 503 })),
      cause(...lines(first7, "12", ["burger", "lemonade"])),
      cause(...named, ...same),
      cause(typed, ...same),
      // Passes send one twice as well, or one and the same each time.
      told(run(...same, check), run(...lines("a96da0c-8f95", "11", ["burger", "lemonade"]), passing())),
      told(run(...same, check), usual("a"), usual("a")),
    ])
      expect(silent.join("\n")).not.toContain("as the one before it");
  });
});

test("a refused write is told with the condition that it was sent with otherwise", () => {
  const patch = (match: string, status: number) =>
    exchange("/api/jobs/4", {
      ...{ method: "PATCH", ts: 4_000, status, ...json },
      request: { body: "{}", headers: [wire, { name: "If-Match", value: match }] },
    });
  expect(first(run(...patch('W/"r1"', 412), failing()), run(...patch('"r1"', 200), passing()))).toStartWith(
    'request_failed: PATCH /api/jobs/4, which was sent with the header if-match “W/"r1"” where the last pass sent “"r1"”, was answered with 412',
  );
});

test("a part of a write that failed comes before what is read as it was before", () => {
  const batch = (status: number) =>
    exchange("/api/batch", {
      ...{ method: "POST", ts: 3_000, ...json },
      body: JSON.stringify({ responses: [{ status: 200 }, { status, error: "locked" }] }),
      request: { body: '{"requests":[{"path":"/1"},{"path":"/2"}]}', headers: [wire] },
    });
  const jobs = (state: string) =>
    exchange("/api/jobs", { ts: 4_000, body: JSON.stringify({ items: [{ id: 2, state }] }), ...json });
  const values = { expected: '"confirmed"', received: '"open"' };
  expect(
    first(
      run(...batch(423), ...jobs("open"), failing(values)),
      run(...batch(200), ...jobs("confirmed"), passing(values)),
    ),
  ).toStartWith("request_failed: POST /api/batch was answered with 200, but its part 2 failed with 423");
});

test("an answer that no longer hands a token over comes before the refusal for want of it", () => {
  const ping = (name: string) =>
    exchange("/api/ping", { ts: 1_000, headers: [{ name, value: "t0k3n-9f31" }], ...json, body: "{}" });
  const patch = (status: number) =>
    exchange("/api/jobs/4", {
      method: "PATCH",
      ts: 4_000,
      status,
      body: '{"message":"invalid csrf token"}',
      ...json,
    });
  const usual = run(...ping("x-csrf-token"), ...patch(200), passing());
  expect(first(run(...ping("x-xsrf-token"), ...patch(403), failing()), usual, usual)).toStartWith(
    "answer_changed: GET /api/ping came without the header x-csrf-token, which it has in every pass",
  );
});

test("a page that asks anew for what it wrote does not wait for anything, and has not stopped asking", () => {
  const job = (state: string, ts: number) =>
    exchange("/api/jobs/4", { ts, body: JSON.stringify({ state }), ...json });
  const patch = (status: number) => exchange("/api/jobs/4", { method: "PATCH", ts: 2_000, status, ...json });
  const usual = run(
    ...job("open", 1_000),
    ...job("open", 1_500),
    ...patch(200),
    ...job("done", 2_500),
    passing(),
  );
  const mine = run(...job("open", 1_000), ...job("open", 1_500), ...patch(409), failing());
  expect(told(mine, usual, usual).join("\n")).not.toContain("stopped asking");
  expect(first(mine, usual, usual)).toContain("PATCH /api/jobs/4 was answered with 409");
});

test("an older answer to what was typed on in the path is told where it stands within what came", () => {
  const look = (code: string, city: string, ts: number) =>
    exchange(`/api/postcodes/${code}`, { ts, body: JSON.stringify({ city }), ...json });
  const values = failing({ expected: '"10115 Berlin"', received: '"10115 Amsterdam"' });
  const said = (...codes: [string, string]) => {
    const [older, late] = look(codes[0], "Amsterdam", 1_000);
    const [newer, soon] = look(codes[1], "Berlin", 1_080);
    const events = [older!, newer!, { ...soon!, ts: 1_140 }, { ...late!, ts: 1_700 }];
    return told(run(...events, values, page("<p>10115 Amsterdam</p>"))).join("\n");
  };
  expect(said("1011", "10115")).toStartWith(
    "out_of_order: The answer to GET /api/postcodes/1011 came 560 ms after that to GET /api/postcodes/10115, which was asked later: the page shows “Amsterdam”",
  );
  // Side by side, and not one in the place of the other.
  for (const other of [
    ["1011", "2022"],
    ["10", "10115"],
  ] as [string, string][])
    expect(said(...other)).not.toContain("out_of_order");
});

test("a frame that was opened for another page than the one around it is told", () => {
  const home = exchange("/", { ts: 1_000, resource_type: "document" });
  const frame = (parent: string) =>
    exchange(`http://pay.example/frame?parent=${encodeURIComponent(parent)}`, {
      ts: 2_000,
      resource_type: "document",
    });
  const said = (parent: string) => told(run(...home, ...frame(parent), failing()));
  expect(said("https://app.elsewhere.example")[0]).toBe(
    `page_changed: GET pay.example/frame was opened with “https://app.elsewhere.example” for “parent”, but the page is at “${SITE}”: its messages go to another origin`,
  );
  for (const parent of [SITE, "tea", "https://app.elsewhere.example/checkout"])
    expect(said(parent).join("\n")).not.toContain("another origin");
});

describe("a form", () => {
  const shown = (buttons: string, more: object = {}) =>
    page(`<form><label>New note <input __playwright_target__=""></label>${buttons}</form>`, {
      url: `${SITE}/jobs/7`,
      ...more,
    });
  const fill = click("Fill New note", { name: "locator.fill", step_id: "fill", ts: 2_000 });
  const enter = click('Press "Enter"', {
    name: "keyboard.press",
    params: { key: "Enter" },
    step_id: "enter",
    ts: 2_100,
  });
  const made = (buttons: string, end: Parameters<typeof run>[0]) =>
    run(shown(buttons, { ts: 1_990, step_id: "fill", phase: "action" }), fill, enter, end, shown(buttons));
  const clears = "<button>Clear</button><button>Add note</button>";
  const adds = '<button type="button">Clear</button><button>Add note</button>';

  test("that the Enter key sends by another button than in passes is told, alone where that button undoes something", () => {
    const said =
      'page_changed: “Press "Enter"” pressed the button “Clear” and not “Add note”: it is the first of the form that sends it, as it has no type="button"';
    expect(first(made(clears, failing()))).toBe(said);
    expect(first(made(clears, failing()), made(adds, passing()))).toBe(said);
    expect(told(made(adds, failing())).join("\n")).not.toContain("pressed the button");
    expect(told(made(clears, failing()), made(clears, passing())).join("\n")).not.toContain(
      "pressed the button",
    );
    expect(told(made("<button>Save</button><button>Add note</button>", failing())).join("\n")).not.toContain(
      "pressed the button",
    );
  });

  test("whose labels lead to the fields of another one is told with the id that stands twice", () => {
    const address = (id: string, label: string) =>
      `<fieldset><legend>${label}</legend><label for="${id}">Name</label><input id="${id}"></fieldset>`;
    const missed = click("Fill Name", {
      name: "locator.fill",
      title: "Fill getByRole('group', { name: 'Billing' }).getByLabel('Name')",
      step_id: "check",
      ts: 5_000,
      duration_ms: 2_000,
      ok: false,
      log: ["waiting for getByRole('group', { name: 'Billing' }).getByLabel('Name')"],
      error: { message: "TimeoutError: locator.fill: Timeout 2000ms exceeded." },
    });
    const said = (billing: string, ...others: string[]) =>
      told(
        run(
          missed,
          page(
            `${address("delivery-name", "Delivery")}${others.map((id) => address(id, "Other")).join("")}${address(billing, "Billing")}`,
          ),
        ),
      ).join("\n");
    // So does a row of many.
    expect(said("delivery-name", "delivery-name", "delivery-name")).toContain(
      "the id “delivery-name” that it is for stands 4 times on the page",
    );
    expect(said("delivery-name")).toContain(
      "element_missing: The label “Name” leads to a field elsewhere: the id “delivery-name” that it is for stands twice on the page, and a textbox “Name” comes first",
    );
    expect(said("billing-name")).not.toContain("leads to a field elsewhere");
  });

  test("whose label leads to no field is told with the id that nothing has", () => {
    const missed = savedInVain({
      title: "Fill getByLabel('Not before')",
      name: "locator.fill",
      log: ["waiting for getByLabel('Not before')"],
    });
    const said = (id: string) =>
      told(run(missed, page(`<label for="emb-at">Not before</label><input id="${id}">`))).join("\n");
    expect(said("emb-time")).toStartWith(
      "element_missing: The label “Not before” leads to no field: nothing on the page has the id “emb-at” that it is for",
    );
    expect(said("emb-at")).not.toContain("leads to no field");
  });
});
