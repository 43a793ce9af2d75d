import { describe, expect, test } from "bun:test";
import { causeOf, click, exchange, failing, page, run } from "../run.ts";
import { document, first, json, missed, told } from "./scene.ts";

/** What a run without a pass typed, sent and got back. */
const JSON_BODY = [{ name: "content-type", value: "application/json" }];
const FORM = [{ name: "content-type", value: "application/x-www-form-urlencoded" }];
const types = (title: string, text: string, ts = 3_000) =>
  click(title, { name: "pressSequentially", ts, params: { text } });
const saves = click("Click getByRole('button', { name: 'Save' })", { ts: 4_000 });
const put = (body: object) =>
  exchange("/api/doc", {
    method: "PUT",
    ts: 4_100,
    request: { headers: JSON_BODY, body: JSON.stringify(body) },
  });
const doc = (text: string) => json("/api/doc", { text }, { ts: 4_600 });
const wanted = { expected: '"All is well"', received: '""' };

test("what the test typed and a write came without is told", () => {
  const typed = types("Type “All is well” locator('.editor')", "All is well");
  const edited = page(`<div class="editor">All is well</div>`, { ts: 3_500 });
  expect(
    first(run(typed, edited, saves, ...put({ title: "Quarterly", text: "" }), ...doc(""), failing(wanted))),
  ).toBe("page_changed: PUT /api/doc was sent without “All is well”, which the test had typed before");
  const kept = run(typed, edited, saves, ...put({ text: "All is well" }), ...doc(""), failing(wanted));
  expect(told(kept).join("\n")).not.toContain("was sent without");
});

test("what a write was sent with of a longer text that the test typed is told as its beginning", () => {
  const typed = types("Type “All is well” locator('.editor')", "All is well");
  const sent = (text: string, received: string) =>
    first(run(typed, saves, ...put({ text }), failing({ expected: '"All is well"', received })));
  expect(sent("All is", '"All is"')).toBe(
    "page_changed: PUT /api/doc was sent with “All is” for “text”, only the beginning of what the test had typed (“All is well”): it was cut off",
  );
  // A letter may stand for anything, but where the test met it.
  expect(sent("A", '"A"')).toContain("only the beginning");
  expect(sent("A", '""')).toContain("was sent without “All is well”");
});

test("what was typed in several parts and saved meanwhile is told by the longest beginning", () => {
  const parts = [types("Type one", "Slept well. ", 2_000), types("Type two", "All is well", 3_000)];
  const saved = (text: string, ts: number) =>
    exchange("/api/doc", {
      method: "PUT",
      ts,
      request: { headers: JSON_BODY, body: JSON.stringify({ text }) },
    });
  const check = { expected: '"Slept well. All is well"', received: '"Slept well. All is"' };
  const cause = first(
    run(...parts, ...saved("Slept well. ", 3_100), ...saved("Slept well. All is", 4_100), failing(check)),
  );
  expect(cause).toBe(
    "page_changed: PUT /api/doc was sent with “Slept well. All is” for “text”, only the beginning of what the test had typed (“Slept well. All is well”): it was cut off",
  );
});

test("a field without a name beside others that have one is told where its text is missing afterwards", () => {
  const html = (name: string, more = '<input name="title">') =>
    `<form>${more}<textarea __playwright_target__="" ${name}>All is well</textarea></form>`;
  const typed = click("Fill “All is well” locator('textarea')", {
    name: "fill",
    ts: 3_000,
    step_id: "typed",
    params: { value: "All is well" },
  });
  const sent = (markup: string, text = "") =>
    told(
      run(
        typed,
        page(markup, { ts: 3_010, step_id: "typed", phase: "action", page: "one" }),
        saves,
        ...put({ title: "Quarterly", text }),
        failing(wanted),
      ),
    ).join("\n");
  expect(sent(html(""))).toStartWith(
    "page_changed: “Fill \"All is well\" locator('textarea')” filled in a textbox “All is well” that has no name, beside fields that have one: browsers send no such field with its form",
  );
  const refused = run(
    typed,
    page(html(""), { ts: 3_010, step_id: "typed", phase: "action", page: "one" }),
    saves,
    ...exchange("/scans", { method: "POST", ts: 4_200, status: 422 }),
    failing(wanted),
  );
  expect(first(refused)).toEndWith(
    "browsers send no such field with its form; POST /scans was answered with 422",
  );
  // What is typed into a box that suggests is picked from there, and sent by another field.
  const box = html("")
    .replace("textarea", 'input role="combobox" aria-label="Text"')
    .replace(">All is well</textarea>", ">");
  expect(sent(box)).not.toContain("no name");
  for (const silent of [sent(html('name="text"')), sent(html("", "<input>")), sent(html(""), "All is well")])
    expect(silent).not.toContain("no name");
});

test("a field without a name is told where the browser sent its form without it, whatever the test looks for", () => {
  const html = (name: string) =>
    `<form method="post"><input name="title"><label>Category <select __playwright_target__="" ${name}><option>Choose…</option><option>Mains</option></select></label></form>`;
  const picked = click("Select option getByLabel('Category')", {
    name: "selectOption",
    ts: 3_000,
    step_id: "picked",
    params: { options: [{ valueOrLabel: "Mains" }] },
  });
  const sent = (markup: string, body: string) =>
    told(
      run(
        picked,
        page(markup, { ts: 3_010, step_id: "picked", phase: "action", page: "one" }),
        saves,
        ...exchange("/menu/new", {
          method: "POST",
          status: 422,
          ts: 4_950,
          resource_type: "document",
          request: { headers: FORM, body },
        }),
        failing(),
      ),
    ).join("\n");
  expect(sent(html(""), "title=Fig")).toStartWith(
    "page_changed: “Select option getByLabel('Category')” filled in a combobox “Category” that has no name, so that POST /menu/new was sent without it and answered with 422: browsers send no field that has none",
  );
  // Another form of the page than the one that was sent says nothing.
  for (const silent of [sent(html('name="category"'), "title=Fig"), sent(html(""), "other=1")])
    expect(silent).not.toContain("no name");
});

test("a figure that is sent in another form than it was typed in is not said to be missing", () => {
  const typed = types("Type “1,000” getByLabel('Price')", "1,000");
  const check = { expected: '"1,000"', received: '"0"' };
  expect(told(run(typed, saves, ...put({ price: 1000 }), failing(check))).join("\n")).not.toContain(
    "sent without",
  );
});

test("a search that came without what the test typed into it is told", () => {
  const typed = types("Type “12” getByLabel('Filter')", "12", 4_000);
  const counted = { expected: '"1 found"', received: '"10 found"' };
  const rows = (query: string) => json(`/api/rows${query}`, { data: [] }, { ts: 4_200 });
  const loaded = json("/api/rows", { data: [] }, { ts: 1_000 });
  expect(first(run(...loaded, typed, ...rows(""), failing(counted)))).toBe(
    "page_changed: GET /api/rows was sent without “12”, which the test had typed into getByLabel('Filter')",
  );
  expect(told(run(typed, ...rows("?q=12"), failing(counted))).join("\n")).not.toContain("was sent without");
  // Of what is asked for at each letter only the last has all of them.
  expect(told(run(typed, ...rows("?q=1"), ...rows("?q=12"), failing(counted))).join("\n")).not.toContain(
    "without",
  );
  // What is no search says nothing of it, nor does what went out beside one.
  const avatar = json("/api/avatar", {}, { ts: 4_300 });
  expect(told(run(...loaded, typed, ...avatar, failing(counted))).join("\n")).not.toContain(
    "was sent without",
  );
  // A few figures that a page keeps an eye on are found by no search.
  const pulse = (ts: number) => json("/api/pulse", { open: 4 }, { ts });
  expect(told(run(...pulse(1_000), typed, ...pulse(4_300), failing(counted))).join("\n")).not.toContain(
    "was sent without",
  );
  const found = exchange("/graphql", {
    method: "POST",
    ts: 4_200,
    request: { headers: JSON_BODY, body: '{"q":"12"}' },
  });
  expect(told(run(...loaded, typed, ...found, ...rows(""), failing(counted))).join("\n")).not.toContain(
    "was sent without",
  );
  const named = types("Type “Müller” getByLabel('Filter')", "Müller", 4_000);
  const byPath = json("/api/find/M%C3%BCller", {}, { ts: 4_200 });
  expect(told(run(...loaded, named, ...byPath, ...rows(""), failing(counted))).join("\n")).not.toContain(
    "was sent without",
  );
  const other = types("Type “12” getByLabel('Amount')", "12", 4_000);
  expect(told(run(other, ...rows(""), failing(counted))).join("\n")).not.toContain("was sent without");
});

test("a block of steps is no action, whatever its author calls it", () => {
  const typed = types("Type “12” getByLabel('Filter')", "12", 4_000);
  const rows = (ts: number) => json("/api/rows", { data: [] }, { ts });
  const block = { ts: 4_500, category: "test.step", name: "check what was found" };
  const counted = failing({ expected: '"1 found"', received: '"10 found"' });
  expect(
    first(run(...rows(1_000), typed, ...rows(4_200), click("check what was found", block), counted)),
  ).toBe(
    "page_changed: GET /api/rows was sent without “12”, which the test had typed into getByLabel('Filter')",
  );
});

test("a search that only the beginning of what the test typed was sent for is told", () => {
  const field = (text: string, ts: number, more: object = {}) =>
    click(`Type "${text}" getByRole('searchbox', { name: 'Find a part' })`, {
      ...{ name: "page.type", ts, duration_ms: 100, params: { selector: "#q", text } },
      ...more,
    });
  const begun = field("bo", 3_000);
  const rest = field("lt hex M8", 3_300);
  const body = "<tr><td>Bolt hex M8</td></tr><tr><td>Board 18 mm</td></tr>";
  const rows = (query: string, ts: number, more: object = {}) =>
    exchange(`/rows${query}`, { ts, media_type: "text/html", body, ...more });
  const counted = failing({ expected: "1", received: "2", name: "toHaveCount" });
  const list = page(`<input value="bolt hex M8"><table>${body}</table>`);
  const cause = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");
  expect(cause(begun, ...rows("?q=bo", 3_200), rest, counted, list)).toStartWith(
    "page_changed: Nothing was asked for “bolt hex M8”, which the test typed to find something by: the last GET /rows was sent with “bo” for “q”",
  );
  const slow = rows("?q=bo", 3_200, { duration_ms: 900 });
  expect(
    cause(
      begun,
      ...slow.slice(0, 1),
      rest,
      ...slow.slice(1).map((one) => ({ ...one, ts: 4_100 })),
      counted,
      list,
    ),
  ).toContain("for “q”, and still unanswered when all was typed");
  const sent = { method: "POST", request: { headers: JSON_BODY, body: `{"filter":{"term":"Bo"}}` } };
  expect(cause(begun, ...rows("", 3_200, sent), rest, counted, list)).toContain(
    "the last POST /rows was sent with “Bo” for “filter.term”",
  );
  const other = page(`<input value="bolt hex M8"><table><tr><td>Bolt hex M8</td></tr></table>`);
  for (const silent of [
    cause(begun, ...rows("?q=bo", 3_200), rest, ...rows("?q=bolt+hex+M8", 3_900), counted, list),
    // The page looks through what it has by itself.
    cause(begun, ...rows("?q=bo", 3_200), rest, counted, other),
    // It is no search that this was sent for.
    cause(begun, ...rows("?board=bo", 3_200), rest, counted, list),
    cause(begun, ...rows("?q=bo", 3_200), rest, ...rows("", 3_900), counted, list),
    // It was typed right before the test gave up.
    cause(
      begun,
      ...rows("?q=bo", 3_200),
      field("lt hex M8", 4_880),
      failing({ ...counted, duration_ms: 300 }),
      list,
    ),
    // What the test did since is another thing.
    cause(begun, ...rows("?q=bo", 3_200), rest, click("Click “Clear”", { ts: 3_900 }), counted, list),
    cause(
      begun,
      ...rows("?q=bo", 3_200),
      field("lt hex M8", 3_300, { params: { selector: "#note" } }),
      counted,
      list,
    ),
  ])
    expect(silent).not.toContain("Nothing was asked");
});

test("a value that the page shows and had sent itself is told by what it sent", () => {
  const day = { expected: '"Booked for 2030-05-12"', received: '"Booked for 2030-05-11"' };
  const book = (sent: string) =>
    json(
      "/api/bookings",
      { day: "2030-05-11" },
      {
        method: "POST",
        request: { headers: JSON_BODY, body: JSON.stringify({ day: sent }) },
      },
    );
  expect(first(run(saves, ...book("2030-05-11"), failing(day)))).toBe(
    "answer_changed: POST /api/bookings was sent with “2030-05-11” for “day” and answered with it: that is what the page shows, where the test wants “2030-05-12”",
  );
  expect(first(run(saves, ...book("2030-05-12"), failing(day)))).toStartWith(
    "answer_changed: POST /api/bookings was sent with “2030-05-12” for “day” and answered with “2030-05-11”",
  );
});

const listed = {
  name: "toHaveText",
  message: "expect(locator).toHaveText(expected) failed",
  expected: '["call Ann", "buy milk"]',
  received: '["call Ann"]',
};

test("a list that came back without what was sent for it is told", () => {
  const add = (...things: string[]) =>
    exchange("/notes", {
      method: "POST",
      ts: 4_200,
      media_type: "text/html",
      request: { headers: FORM, body: "text=buy+milk" },
      body: things.map((thing) => `<li>${thing}</li>`).join(""),
    });
  expect(first(run(saves, ...add("call Ann"), failing(listed)))).toBe(
    "answer_changed: POST /notes was sent with “buy milk”, and its answer lists other things without it: it was not kept",
  );
  expect(told(run(saves, ...add("call Ann", "buy milk"), failing(listed))).join("\n")).not.toContain(
    "not kept",
  );
  const short = { ...listed, received: '["call Ann", "buy mi"]' };
  expect(first(run(saves, ...add("call Ann", "buy mi"), failing(short)))).toBe(
    "answer_changed: POST /notes was sent with “buy milk”, and its answer has “buy mi” in its place: it was cut off after 6 characters",
  );
});

test("a page that is sent to the sign-in by its script is told with what it had asked for", () => {
  const shot = (path: string, ts: number) =>
    page("<h1>Page</h1>", { url: `http://shop.example${path}`, ts, page: "p" });
  const add = exchange("/notes", { method: "POST", ts: 4_100 });
  const login = document("/login", "<h1>Sign in</h1>", { ts: 4_200 });
  const went = [...document("/notes", "<h1>Notes</h1>", { ts: 1_000 }), shot("/notes", 2_000)];
  expect(first(run(...went, saves, ...add, ...login, shot("/login", 6_990), failing()))).toBe(
    "redirected: The page was sent to /login after POST /notes: nobody is signed in any more",
  );
  const leaves = click("Click getByRole('button', { name: 'Log out' })", { ts: 4_000 });
  expect(
    told(run(...went, leaves, ...add, ...login, shot("/login", 6_990), failing())).join("\n"),
  ).not.toContain("nobody is signed in");
});

test("a warning that says what it could not do comes before the assertion, when it came after the last action", () => {
  const warns = (text: string) => ({ kind: "console.warning", ts: 4_300, text });
  expect(first(run(saves, warns("htmx: '#notes' on hx-target did not match any element"), failing()))).toBe(
    "console_error: The page logged the warning: htmx: '#notes' on hx-target did not match any element",
  );
  expect(first(run(saves, warns("Deprecated: use of zone"), failing()))).toStartWith("assertion:");
});

test("a figure that stands on the page is no reason why a button is disabled", () => {
  const target = "getByRole('button', { name: 'Next' })";
  const failed = missed(target, {
    log: [
      `waiting for ${target}`,
      "locator resolved to <button disabled>Next</button>",
      "element is not enabled",
    ],
  });
  const shown = page("<output>€312.35</output><button disabled>Next</button>");
  expect(told(run(failed, shown)).join("\n")).not.toContain("€312.35");
});

test("an answer that says otherwise than what was sent for it is told", () => {
  const reserve = (answer: object) =>
    json("/api/reserve", answer, {
      method: "POST",
      request: { headers: JSON_BODY, body: JSON.stringify({ sku: "mug", count: 1 }) },
    });
  const check = { expected: '"Reserved 1"', received: '"Reserved 2"' };
  expect(first(run(saves, ...reserve({ count: 2 }), failing(check)))).toBe(
    "answer_changed: POST /api/reserve was sent with “1” for “count” and answered with “2”",
  );
  // What was there before may have been added.
  const other = { expected: '"1"', received: '"0"' };
  expect(causeOf(run(saves, ...reserve({ count: 2 }), failing(other))).suspects[0]!.confidence).toBeLessThan(
    0.5,
  );
  expect(told(run(saves, ...reserve({ count: 1 }), failing(check))).join("\n")).not.toContain(
    "answered with “",
  );
  const status = exchange("/api/reserve", {
    method: "POST",
    ts: 4_200,
    body: '{"status":"ok"}',
    request: { headers: JSON_BODY, body: '{"status":"open"}' },
  });
  const [envelope] = causeOf(run(saves, ...status, failing(check))).suspects;
  expect(envelope!.confidence).toBeLessThan(0.45);
  const spelled = run(saves, ...reserve({ sku: "MUG ", count: "1" }), failing(check));
  expect(told(spelled).join("\n")).not.toContain("answered with “");
});

test("a null that the page shows is told by the one answer that has it", () => {
  const check = { expected: '"Booked as BK-17"', received: '"Booked as null"' };
  expect(
    first(run(saves, ...json("/api/book", { next: 4, code: null }, { method: "POST" }), failing(check))),
  ).toBe("answer_changed: POST /api/book answered “null” for “code”");
});

test("the second part of a list that is the first again is told, whether or not the first was asked for by its place", () => {
  const feed = (query: string, ts: number) =>
    json(`/api/feed${query}`, { items: [{ title: "Post 1" }, { title: "Post 2" }] }, { ts });
  const target = "getByText('Post 3')";
  expect(first(run(...feed("", 1_000), ...feed("?cursor=2", 4_500), missed(target)))).toBe(
    "answer_changed: GET /api/feed?cursor=2 answered the same list as to a question before it, though it was asked with “cursor=2”",
  );
});

describe("what the test typed and read as it was before", () => {
  const typed = types("Type “Ask finance” getByLabel('Notes')", "Ask finance");
  const check = { expected: '"Ask finance"', received: '"First draft"' };
  const read = json("/api/doc", { text: "First draft" }, { ts: 4_500 });
  const saved = (ts: number, text: string) =>
    exchange("/api/doc", {
      method: "PUT",
      ts,
      request: { headers: JSON_BODY, body: JSON.stringify({ text }) },
    });
  const cause = (...events: Parameters<typeof run>) => told(run(typed, ...events, failing(check)));

  test("was written only after it was asked for", () => {
    const [asked, answered] = saved(6_500, "Ask finance");
    expect(told(run(typed, ...read, failing(check), asked!, answered!))[0]).toBe(
      "request_unsent: PUT /api/doc was sent with “Ask finance” only 2.0 s after GET /api/doc, which answered with what was there before (“First draft”)",
    );
  });

  test("was not written at all by then", () => {
    expect(cause(...read)[0]).toBe(
      "request_unsent: Nothing had been sent yet with “Ask finance”, which the test had typed, when GET /api/doc was asked: it answered with what was there before (“First draft”)",
    );
  });

  test("was written before, was a question, went over a socket or came back: then it is not told", () => {
    const socket = { kind: "network.websocket_frame", request_id: "w", opcode: 1, text: "x", ts: 4_000 };
    for (const events of [
      [...saved(4_000, "Ask finance"), ...read],
      [...saved(4_000, "Ask"), ...read],
      json("/api/doc?q=Ask+finance", { text: "First draft" }),
      [{ ...socket, direction: "sent" }, ...read],
      [...read, ...json("/api/doc", { text: "Ask finance" }, { ts: 4_800 })].slice(2),
    ])
      expect(cause(...events).join("\n")).not.toMatch(/Nothing had been sent|only .* after/);
  });
});

describe("a number that is beyond a limit of an answer", () => {
  const target = "getByRole('heading', { name: 'Done' })";
  const fills = (title: string, value: string) =>
    click(title, { name: "fill", ts: 3_000, params: { value } });
  const amount = fills("Fill “750” getByLabel('Amount')", "750");
  const cause = (body: object, typed: ReturnType<typeof click>, said = "Please check your entries") =>
    told(
      run(
        ...json("/config.json", body, { ts: 1_000 }),
        typed,
        missed(target),
        page(`<h1>New</h1><p class="err">${said}</p>`),
      ),
    ).join("\n");

  test("is told with what the page says of it", () => {
    expect(cause({ maxAmount: 500 }, amount)).toStartWith(
      "answer_changed: GET /config.json answered “500” for “maxAmount”, and the test typed “750”: the page says “Please check your entries”",
    );
    expect(cause({ amount_min: 1000 }, amount)).toContain("for “amount_min”, and the test typed");
  });

  test("is not told within the limit, of another field, or where the page does not object", () => {
    const year = fills("Fill “2027” getByLabel('Year')", "2027");
    for (const told of [
      cause({ maxAmount: 5_000 }, amount),
      cause({ maxAmount: 500, limit: 50 }, year),
      cause({ maxAmount: "500" }, amount),
      cause({ maxAmount: 500 }, amount, "All fields are optional"),
    ])
      expect(told).not.toContain("and the test typed");
  });
});

describe("a write whose answer says that it was not done", () => {
  const check = failing({
    title: "Expect getByTestId('unread')",
    expected: '"1 unread"',
    received: '"2 unread"',
  });
  const wrote = (operationName: string, data: object) =>
    json("/graphql", { data }, { method: "POST", request: { body: JSON.stringify({ operationName }) } });
  const cause = (...events: Parameters<typeof run>) => told(run(...events)).join("\n");

  test("is told where the failed step speaks of it", () => {
    expect(cause(...wrote("MarkRead", { markRead: { id: "m1", unread: true } }), check)).toStartWith(
      "answer_changed: POST /graphql (MarkRead) answered “true” for “data.markRead.unread”: what it asked for was not done, or not yet",
    );
    const published = json("/api/posts/7/publish", { isPublished: false }, { method: "POST" });
    expect(cause(...published, failing({ expected: '"Published"', received: '"Draft"' }))).toStartWith(
      "answer_changed: POST /api/posts/7/publish answered “false” for “isPublished”",
    );
  });

  test("is not told of another deed, of one in a list, or of what nobody looks at", () => {
    for (const events of [
      wrote("MarkRead", { markRead: { unread: false } }),
      wrote("MarkUnread", { markUnread: { unread: true } }),
      wrote("MarkRead", { markRead: [{ unread: true }] }),
      wrote("MarkRead", { markRead: { pinned: false } }),
      wrote("Archive", { archive: { unread: true, archived: false } }),
    ])
      expect(cause(...events, check)).not.toContain("not done");
  });
});
