import { expect, test } from "bun:test";
import { click, exchange, failing, first, page, passing, run, told } from "../run.ts";

const served = (script: string, ts = 1_000) =>
  exchange("/pay", {
    resource_type: "document",
    media_type: "text/html",
    ts,
    body: `<h1>Checkout</h1><script>${script}</script>`,
  });
const pay = click("Click getByRole('button', { name: 'Pay' })", { ts: 4_000 });
const paid = exchange("/api/pay", { method: "POST", ts: 4_200 });

test("a request that was not sent is told with the script of the page that no longer sends it", () => {
  const usual = run(...served("onmessage=e=>{if(e.data.kind==='token')send()}"), pay, ...paid, passing());
  const failed = run(...served("onmessage=e=>{if(e.data.kind==='card-token')send()}"), pay, failing());
  expect(first(failed, usual, usual)).toBe(
    "request_unsent: POST /api/pay was never sent: in the last pass it went out 200 ms after “Click getByRole('button', { name: 'Pay' })”; " +
      "GET /pay came with another script in it: “onmessage=e=>{if(e.data.kind==='card-token')send()}”, where the last pass had “onmessage=e=>{if(e.data.kind==='token')send()}”",
  );
});

test("a script that changed with nothing else is told by itself", () => {
  const usual = run(...served("show('EUR')"), pay, ...paid, passing());
  expect(first(run(...served("show('USD')"), pay, ...paid, failing()), usual, usual)).toStartWith(
    "answer_changed: GET /pay came with another script in it",
  );
});

test("what the page counts comes after the write of the last action that was never sent, and before one of another action", () => {
  const target = "getByText('2 of 2 paid')";
  const check = {
    name: "toBeVisible",
    title: `Expect "toBeVisible" ${target}`,
    message: `expect(locator).toBeVisible() failed\n\nLocator: ${target}\nError: element(s) not found`,
    expected: "visible",
    received: undefined,
  };
  const opened = served("");
  const shows = (count: number) => page(`<p>${count} of 2 paid</p>`);
  const usual = run(...opened, pay, ...paid, shows(2), passing(check));
  expect(first(run(...opened, pay, shows(1), failing(check)), usual, usual)).toStartWith(
    "request_unsent: POST /api/pay was never sent",
  );
  const look = click("Click getByRole('button', { name: 'Refresh' })", { ts: 4_500 });
  const later = run(...opened, pay, ...paid, look, shows(2), passing(check));
  expect(first(run(...opened, pay, look, shows(1), failing(check)), later, later)).toStartWith(
    "page_changed",
  );
});

test("a request that went out in the place of another is told with it", () => {
  const usual = run(pay, ...exchange("/api/rows?q=12", { ts: 4_200 }), passing());
  expect(first(run(pay, ...exchange("/api/rows", { ts: 4_200 }), failing()), usual, usual)).toBe(
    "request_unsent: GET /api/rows?q=12 was never sent: in the last pass it went out 200 ms after “Click getByRole('button', { name: 'Pay' })”; GET /api/rows went out in its place",
  );
});

const drag = click("Drag getByText('alpha')", { name: "dragTo", ts: 3_000 });
const reload = click("Reload", { name: "reload", ts: 4_000 });
const order = (ts: number, ...names: string[]) =>
  exchange("/api/order", { ts, body: JSON.stringify({ order: names }) });
const last = { expected: '"alpha"', received: '"gamma"' };

test("a write that was not sent before a reload is told, and not the old list that the reload shows", () => {
  const saved = exchange("/api/order", { method: "PUT", ts: 3_200 });
  const usual = run(
    ...order(2_000, "alpha", "beta", "gamma"),
    drag,
    ...saved,
    reload,
    ...order(4_200, "beta", "gamma", "alpha"),
    passing(last),
  );
  const failed = run(
    ...order(2_000, "alpha", "beta", "gamma"),
    drag,
    reload,
    ...order(4_200, "alpha", "beta", "gamma"),
    failing(last),
  );
  expect(first(failed, usual, usual)).toStartWith(
    "request_unsent: PUT /api/order was never sent: in the last pass it went out 200 ms after “Drag getByText('alpha')”",
  );
});

test("a write to a thing of its own that was not sent is told before what is read of this run's thing", () => {
  const of = (id: string, ts: number, note: string) =>
    exchange(`/api/drafts/${id}`, { ts, body: JSON.stringify({ note }) });
  const note = { expected: '"Second car"', received: '""' };
  const id = "1c3e6633-8cf4-4c8b-8ece-ffc14c559a3c";
  const saved = exchange(`/api/drafts/${id}`, {
    method: "PATCH",
    ts: 3_200,
    request: { body: JSON.stringify({ note: "Second car" }) },
  });
  const usual = run(drag, ...saved, reload, ...of(id, 4_200, "Second car"), passing(note));
  const failed = run(drag, reload, ...of("922d49ba-bb81-4f3c-b2c3-48cc19fbe2f7", 4_200, ""), failing(note));
  expect(first(failed, usual, usual)).toBe(
    `request_unsent: PATCH /api/drafts/${id} was never sent: in the last pass it went out 200 ms after “Drag getByText('alpha')”; it had “Second car” for “note”, which the test looks for`,
  );
});

test("a write that was not sent is told before the answer to a later one that lacks its value", () => {
  const write = (url: string, ts: number, sent: object, answer: object) =>
    exchange(url, {
      method: "PUT",
      ts,
      request: { body: JSON.stringify(sent) },
      body: JSON.stringify(answer),
    });
  const ways = (answered: number, end: ReturnType<typeof failing>, rest: ReturnType<typeof exchange> = []) =>
    run(
      pay,
      ...write("/api/cart/lines", 4_050, { sku: "mug", qty: 1 }, { ok: true }),
      click("Click More", { ts: 4_250 }),
      ...rest,
      click("Click Next", { ts: 4_600 }),
      ...write("/api/ways/delivery", 4_700, { way: "post" }, { lines: [{ sku: "mug", qty: answered }] }),
      end,
    );
  const seen = { expected: '"2 × Mug"', received: '"1 × Mug"' };
  const second = write("/api/cart/lines", 4_300, { sku: "mug", qty: 2 }, { ok: true });
  const usual = ways(2, passing(seen), second);
  expect(first(ways(1, failing(seen)), usual, usual)).toStartWith(
    "request_unsent: PUT /api/cart/lines was never sent: in the last pass it went out",
  );
  expect(first(ways(1, failing(seen)), usual, usual)).toEndWith(
    "; PUT /api/ways/delivery answered “1” for “lines.mug.qty”, where the last pass had “2”",
  );
  // What had another value, or was sent, is not why.
  const other = write("/api/cart/lines", 4_300, { sku: "mug", note: "2nd" }, { ok: true });
  const noted = ways(2, passing(seen), other);
  expect(first(ways(1, failing(seen)), noted, noted)).toStartWith(
    "answer_changed: PUT /api/ways/delivery answered “1”",
  );
  expect(first(ways(1, failing(seen), second), usual, usual)).toStartWith(
    "answer_changed: PUT /api/ways/delivery answered “1”",
  );
});

test("what was not asked for keeps nothing, so that what was answered to the page before it is not its consequence", () => {
  const people = (offset: number, ts: number, total: number) =>
    exchange(`/api/people?offset=${offset}`, { ts, body: JSON.stringify({ total }) });
  const usual = run(drag, ...people(0, 3_200, 101), ...people(50, 3_300, 101), passing(last));
  const failed = run(drag, ...people(0, 3_200, 50), failing(last));
  expect(first(failed, usual, usual)).toStartWith("answer_changed: GET /api/people?offset=0 answered “50”");
});

const JSON_BODY = [{ name: "content-type", value: "application/json" }];
const book = (sent: object, answer: object) =>
  exchange("/api/bookings", {
    method: "POST",
    ts: 4_200,
    media_type: "application/json",
    request: { headers: JSON_BODY, body: JSON.stringify(sent) },
    body: JSON.stringify(answer),
  });
const day = { expected: '"Booked for 2030-05-12"', received: '"Booked for 2030-05-11"' };

test("a day that the page sent otherwise is told before the answer that repeats it", () => {
  const usual = run(pay, ...book({ day: "2030-05-12" }, { day: "2030-05-12" }), passing(day));
  const failed = run(pay, ...book({ day: "2030-05-11" }, { day: "2030-05-11" }), failing(day));
  expect(first(failed, usual, usual)).toBe(
    "page_changed: POST /api/bookings was sent with the field day “2030-05-11” where the last pass sent “2030-05-12”",
  );
});

test("what was sent otherwise is told before what is read of it later", () => {
  const doc = (text: string) => exchange("/api/doc", { ts: 4_600, body: JSON.stringify({ text }) });
  const put = (text: string) =>
    exchange("/api/doc", {
      method: "PUT",
      ts: 3_200,
      request: { headers: JSON_BODY, body: JSON.stringify({ text }) },
    });
  const check = { expected: '"All is well"', received: '""' };
  const usual = run(pay, ...put("All is well"), reload, ...doc("All is well"), passing(check));
  expect(first(run(pay, ...put(""), reload, ...doc(""), failing(check)), usual, usual)).toBe(
    "page_changed: PUT /api/doc was sent with the field text empty where the last pass sent “All is well”",
  );
});

test("a write that was not sent is told with the one answer before it that says something else", () => {
  const rules = (min: string) => exchange("/api/rules", { ts: 1_000, body: JSON.stringify({ min }) });
  const usual = run(...rules("10"), pay, ...paid, passing());
  expect(first(run(...rules("20"), pay, failing()), usual, usual)).toBe(
    "request_unsent: POST /api/pay was never sent: in the last pass it went out 200 ms after “Click getByRole('button', { name: 'Pay' })”; GET /api/rules answered “20” for “min”, where the last pass had “10”",
  );
});

test("of several switches that changed, the one that is called after what was pressed is told", () => {
  const flags = (dense: boolean, review: boolean) =>
    exchange("/api/flags", {
      ts: 1_000,
      body: JSON.stringify({ flags: { "dense-rows": dense, "booking-review-step": review } }),
    });
  const book = click("Click getByRole('button', { name: 'Book' })", { ts: 4_000 });
  const usual = run(...flags(true, false), book, ...paid, passing());
  expect(first(run(...flags(false, true), book, failing()), usual, usual)).toEndWith(
    "; GET /api/flags answered “true” for “flags.booking-review-step”, where the last pass had “false”",
  );
});

const cards = json([
  { id: 1, title: "Paint" },
  { id: 2, title: "Sand" },
]);
function json(body: unknown) {
  return exchange("/api/cards", { ts: 1_000, body: JSON.stringify(body) });
}
const moved = (id: number) =>
  exchange(`/api/cards/${id}`, { method: "PATCH", ts: 4_200, body: JSON.stringify({ title: `Card ${id}` }) });

test("a write that went to another thing than in every pass leads, where the run knows that thing too", () => {
  const usual = run(...cards, pay, ...moved(1), passing());
  expect(first(run(...cards, pay, ...moved(2), failing()), usual, usual)).toBe(
    "page_changed: PATCH /api/cards/2 was sent where every pass sent PATCH /api/cards/1",
  );
  const other = json([{ id: 2, title: "Paint" }]);
  expect(first(run(...other, pay, ...moved(2), failing()), usual, usual)).not.toContain("every pass");
  const another = run(...cards, pay, ...moved(2), passing());
  expect(told(run(...cards, pay, ...moved(2), failing()), usual, another).join("\n")).not.toContain(
    "every pass sent",
  );
});

test("an answer that says again what was sent stands below it, however long it took", () => {
  const check = { ts: 5_400, expected: '"Paint"', received: '"Sand"' };
  const moves = (id: number, title: string, ok: boolean) => {
    const [request, answer] = moved(id);
    const late = { ...answer!, ts: 5_200, duration_ms: 1_000, body: JSON.stringify({ title }) };
    return run(...cards, pay, request!, late, ok ? passing(check) : failing(check));
  };
  const usual = moves(1, "Paint", true);
  expect(first(moves(2, "Sand", false), usual, usual)).toBe(
    "page_changed: PATCH /api/cards/2 was sent where every pass sent PATCH /api/cards/1",
  );
  expect(first(moves(1, "Sand", false), usual, usual)).toBe(
    "answer_changed: PATCH /api/cards/1 answered “Sand” for “title”, where the last pass had “Paint”",
  );
});

test("a request that broke off when the step had given up had no answer", () => {
  const broken = exchange("/api/pay", {
    method: "POST",
    ts: 4_200,
  });
  const answer = broken[1]!;
  Object.assign(answer, { ts: 7_030, status: 0, error: "net::ERR_CONNECTION_RESET", duration_ms: 2_820 });
  const usual = run(pay, ...paid, passing());
  const events = run(pay, broken[0]!, failing(), answer);
  expect(first(events, usual, usual)).toStartWith("request_pending: POST /api/pay");
});

test("what a step looked for in vain is told with the one answer before it that says something else", () => {
  const begun = (next: number) =>
    exchange("/api/wizard", { method: "POST", ts: 4_200, body: JSON.stringify({ next }) });
  const look = {
    name: "toBeVisible",
    title: "Expect \"toBeVisible\" getByRole('heading', { name: 'Guests' })",
  };
  const missing = failing({
    ...look,
    message:
      "expect(locator).toBeVisible() failed\nLocator: getByRole('heading', { name: 'Guests' })\nError: element(s) not found",
    expected: undefined,
    received: undefined,
  });
  const shows = (heading: string) => page(`<h1>Planner</h1><h2>${heading}</h2>`);
  const usual = run(pay, ...begun(2), passing(look), shows("Guests"));
  const [best, ...others] = told(run(pay, ...begun(3), missing, shows("Confirm")), usual, usual);
  expect(best).toEndWith("; POST /api/wizard answered “3” for “next”, where the last pass had “2”");
  expect(others.join("\n")).not.toContain("POST /api/wizard");
});

test("a stream that was never answered is told as any other request", () => {
  const stream = exchange("/api/live", { resource_type: "eventsource", ts: 1_000 });
  Object.assign(stream[1]!, { ts: 7_030, status: 0, error: "net::ERR_EMPTY_RESPONSE", duration_ms: 6_000 });
  const opened = exchange("/api/live", { resource_type: "eventsource", ts: 1_000 });
  const usual = run(...opened, pay, passing());
  expect(first(run(stream[0]!, pay, failing(), stream[1]!), usual, usual)).toStartWith(
    "request_pending: GET /api/live was still pending",
  );
});

test("what was refused before comes before what was then not sent", () => {
  const script = (kind: string) => served(`onmessage=e=>{if(e.data.kind==='${kind}')send()}`);
  const token = (status: number) =>
    exchange("/api/token", { ts: 4_050, status, body: '{"error":"no token"}' });
  const usual = run(...script("token"), pay, ...token(200), ...paid, passing());
  expect(first(run(...script("card-token"), pay, ...token(500), failing()), usual, usual)).toBe(
    "request_failed: GET /api/token was answered with 500: no token",
  );
  const doc = (text: string) => exchange("/api/doc", { ts: 4_600, body: JSON.stringify({ text }) });
  const put = exchange("/api/doc", { method: "PUT", ts: 3_300 });
  const types = click("Fill getByLabel('Text')", { name: "fill", ts: 3_000 });
  const saved = run(types, ...token(200), ...put, reload, ...doc("new"), passing(last));
  expect(first(run(types, ...token(500), reload, ...doc("old"), failing(last)), saved, saved)).toStartWith(
    "request_failed: GET /api/token",
  );
});

test("a write that is sent some time after the typing is not missed before that time", () => {
  const types = click("Fill getByLabel('Text')", { name: "fill", ts: 4_000 });
  const saved = exchange("/api/draft", { method: "PUT", ts: 5_500 });
  const press = (ts: number, ok: boolean) =>
    click("Click getByRole('button', { name: 'Go' })", {
      ts,
      step_id: "check",
      ...(ok ? {} : { ok, duration_ms: 300, error: { message: "TimeoutError" } }),
    });
  const usual = run(types, ...saved, press(6_000, true));
  expect(told(run(types, press(4_200, false)), usual, usual).join("\n")).not.toContain("never sent");
});

test("a write that was sent of another thing for an earlier action is missed for this one", () => {
  const drop = (name: string, ts: number) => click(`Drag getByText('${name}')`, { name: "dragTo", ts });
  const put = (id: string, ts: number) => exchange(`/api/cards/card-${id}`, { method: "PUT", ts });
  const begun = [drop("Paint", 2_000), ...put("paint", 2_100), drop("Sand", 3_000)];
  const usual = run(...begun, ...put("sand", 3_100), reload, passing());
  expect(first(run(...begun, reload, failing()), usual, usual)).toStartWith(
    "request_unsent: PUT /api/cards/card-sand was never sent",
  );
});

test("a write that a mouse by coordinates did not bring about is told with the style sheet that moved what it hits", () => {
  const sheet = (rule: string) =>
    exchange("/app.css", {
      ts: 1_000,
      resource_type: "stylesheet",
      media_type: "text/css",
      body: `.veil { position: absolute; inset: 0; background: linear-gradient(#0000, #00000008); box-shadow: 0 0 9px #0003;${rule} }\nh1 { margin: 0 }`,
    });
  const drop = click("Mouse up", { name: "mouseUp", ts: 3_000 });
  const moved = exchange("/api/slots/4", { method: "PUT", ts: 3_100 });
  const of = (rule: string, action = drop, ...before: ReturnType<typeof exchange>) =>
    first(
      run(...sheet(rule), ...before, action, failing()),
      run(...sheet(" pointer-events: none;"), action, ...moved, passing()),
      run(...sheet(" pointer-events: none;"), action, ...moved, passing()),
    );
  expect(of("")).toBe(
    "request_unsent: PUT /api/slots/4 was never sent: in the last pass it went out 100 ms after “Mouse up”; the style sheet GET /app.css changed since the last pass: " +
      "“.veil” lost “pointer-events: none”",
  );
  // A colour moves nothing, a locator's click says itself what it hits, and a refusal keeps a page from more.
  expect(of(" pointer-events: none; color: red;")).toEndWith("after “Mouse up”");
  expect(of("", click("Click getByRole('group')", { ts: 3_000 }))).toEndWith(
    "after “Click getByRole('group')”",
  );
  expect(of("", drop, ...exchange("/api/slots", { status: 500, ts: 2_900 }))).not.toContain(
    "; the style sheet",
  );
});
