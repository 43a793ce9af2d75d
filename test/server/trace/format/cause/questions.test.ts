import { describe, expect, test } from "bun:test";
import { causeIn, causeOf, click, exchange, failing, first, page, passing, run, told } from "./run.ts";

/** What a page asked, and when it was answered. */
const json = (url: string, body: unknown, more: Record<string, unknown> = {}) =>
  exchange(url, { ts: 4_500, body: JSON.stringify(body), media_type: "application/json", ...more });

describe("an older answer that came after a newer one", () => {
  const search = (word: string, ts: number, took: number, names: string[]) =>
    json(`/api/suggest?q=${word}`, names, { ts, duration_ms: took });
  const shown = (text: string) => page(`<ul><li>${text}</li></ul>`);
  const counted = (received: string) => failing({ name: "toHaveCount", expected: "1", received });
  const late = [
    ...search("lig", 3_000, 900, ["Light rain", "Lighthouse"]),
    ...search("lighthouse", 3_100, 100, ["Lighthouse"]),
  ];

  test("is told first where it has as many things as the test counted", () => {
    const [lig, ligDone, house, houseDone] = late;
    const failed = run(
      lig!,
      house!,
      houseDone!,
      { ...ligDone!, ts: 3_900 },
      counted("2"),
      shown("Light rain"),
    );
    expect(first(failed)).toStartWith("out_of_order: The answer to GET /api/suggest?q=lig came");
  });

  test("is no cause where the same was asked for again and answered since", () => {
    const [lig, ligDone, house, houseDone] = late;
    const again = search("lighthouse&page=2", 4_400, 100, ["Light rain"]);
    const failed = run(
      lig!,
      house!,
      houseDone!,
      { ...ligDone!, ts: 3_900 },
      ...again,
      failing(),
      shown("Light rain"),
    );
    expect(told(failed).join()).not.toContain("out_of_order");
  });
});

describe("the next part of a list", () => {
  const list = (next: string | null, ts: number, query = "") =>
    json(`/api/articles${query}`, { items: [{ title: `At ${query || "first"}` }], nextCursor: next }, { ts });
  const at = (cursor: string, title: string) => [
    ...list(cursor, 3_000),
    ...json(`/api/articles?cursor=${cursor}`, { items: [{ title }], nextCursor: null }, { ts: 4_000 }),
  ];
  const usual = [run(...at("c2VxOjU", "Tram"), passing()), run(...at("c2VxOjU", "Tram"), passing())] as const;

  test("that begins elsewhere tells little of what differs in it", () => {
    const [found] = causeOf(run(...at("c2VxOjEw", "Fish"), failing()), ...usual).suspects;
    expect(found!.title).not.toContain("cursor=");
  });

  test("is compared where it begins as it does in a pass", () => {
    expect(first(run(...at("c2VxOjU", "Thank"), failing({ received: '"Thank"' })), ...usual)).toContain(
      "GET /api/articles?cursor=c2VxOjU answered “Thank”",
    );
  });
});

describe("what a page asks for until it is done", () => {
  const polls = (states: string[], id = "da27b14e370b9911") =>
    states.flatMap((state, at) =>
      json(
        `/api/jobs/${id}`,
        state === "503" ? { error: "busy" } : { state, value: state === "done" ? 13 : null },
        { ts: 4_000 + at * 250, status: state === "503" ? 503 : 200 },
      ),
    );
  const usual = run(
    ...polls(["running", "503", "running", "running", "done"], "bb21c0d4e5f6a7b8"),
    passing(),
  );

  test("is told by its state where it never came to its end", () => {
    expect(
      first(run(...polls(["running", "running", "running", "running"]), failing()), usual, usual),
    ).toStartWith(
      "answer_changed: GET /api/jobs/da27b14e370b9911 still answered “running” for “state”, 4 times in a row; in the last pass it came to “done”",
    );
  });

  test("is told to have been given up where nobody asked after an error", () => {
    expect(first(run(...polls(["running", "503"]), failing()), usual, usual)).toBe(
      "request_unsent: The page stopped asking for GET /api/jobs/da27b14e370b9911 at “running” for “state”, when it was answered with 503: it asked 2 times, in the last pass 4 times, until “done”",
    );
  });
});

describe("a stream", () => {
  const stream = (topic: string) =>
    exchange(`/api/stream?topics=${topic}`, {
      ts: 3_000,
      resource_type: "eventsource",
      media_type: "text/event-stream",
    });
  const usual = run(...stream("bed"), passing());

  test("that was opened for something else is told with both", () => {
    expect(first(run(...stream("beds"), failing()), usual, usual)).toBe(
      "page_changed: The event stream /api/stream was opened with the parameter topics “beds” where the last pass had “bed”: what it brings may be of that alone",
    );
  });

  test("that is opened by a token of its run is none", () => {
    const [failed, pass] = [run(...stream("9f3k2a"), failing()), run(...stream("b71c4d"), passing())];
    expect(told(failed, pass).join()).not.toContain("was opened");
  });

  test("that each pass opens for something of its own is none", () => {
    expect(
      told(run(...stream("beds"), failing()), usual, run(...stream("ward"), passing())).join(),
    ).not.toContain("was opened");
  });
});

test("what was answered to a request that was sent once too often comes after that", () => {
  const post = (ts: number, mentions: string[]) =>
    json("/api/comments", { mentions }, { ts, method: "POST", request: { body: '{"text":"hello"}' } });
  const failed = run(...post(4_000, ["mara"]), ...post(4_001, []), failing());
  const usual = run(...post(4_000, ["mara"]), passing());
  expect(first(failed, usual, usual)).toBe(
    "request_repeated: POST /api/comments was sent twice, within 1 ms; in the last pass once",
  );
  // So does what the page shows of it, which is the cause where it was asked once.
  const say = (ts: number, notice: string) =>
    json("/api/notes", { notice }, { ts, method: "POST", request: { body: '{"text":"hello"}' } });
  const [thanks, again] = ["Thank you for your note", "You have written that already"];
  const check = { expected: `"${thanks}"`, received: `"${again}"` };
  const once = run(...say(4_000, thanks), passing(check));
  expect(first(run(...say(4_000, thanks), ...say(4_020, again), failing(check)), once, once)).toStartWith(
    "request_repeated: POST /api/notes was sent twice",
  );
  expect(first(run(...say(4_000, again), failing(check)), once, once)).toStartWith(
    "answer_changed: POST /api/notes answered “You have written that already”",
  );
});

test("two that one press sent, the second from a form that was emptied by then, are one too many", () => {
  const post = (ts: number, text: string) =>
    json("/api/comments", {}, { ts, method: "POST", request: { body: JSON.stringify({ text }) } });
  const press = click("Click Post", { ts: 3_990 });
  expect(told(run(press, ...post(4_000, "hello"), ...post(4_001, ""), failing()))).toContain(
    "request_repeated: POST /api/comments was sent twice, within 1 ms",
  );
  expect(told(run(press, ...post(4_000, "hello"), ...post(4_001, "bye"), failing())).join()).not.toContain(
    "twice",
  );
});

test("an address without an id is told with the answer that gives the id by another name", () => {
  const suggested = (name: string) =>
    json("/api/suggest", { results: [{ [name]: "art_1", title: "Keeper" }] }, { ts: 4_000 });
  const opened = (id: string, status: number) =>
    json(`/api/articles/${id}`, { error: "not found" }, { status });
  const usual = run(...suggested("id"), ...opened("art_1", 200), passing());
  expect(first(run(...suggested("articleId"), ...opened("undefined", 404), failing()), usual, usual)).toBe(
    "request_failed: GET /api/articles/undefined was answered with 404: not found; GET /api/suggest answered with a field “articleId” now, where the last pass had “results.Keeper.id”",
  );
});

test("a list of the same numbers in no order any more is told with two of them", () => {
  const versions = (numbers: number[]) =>
    json("/api/versions", { versions: numbers.map((n) => ({ n, by: `u${n}` })) });
  const usual = run(...versions([11, 10, 9, 2, 1]), passing());
  const check = { expected: '"Version 11"', received: '"Version 9"' };
  expect(first(run(...versions([9, 11, 2, 10, 1]), failing(check)), usual, usual)).toBe(
    "answer_changed: GET /api/versions answered in another order than in the last pass: “versions”, no longer by “n”: 9 comes before 11",
  );
});

test("a path of one thing of the product is no tracker's, whatever word ends it", () => {
  const collect = (status: number) =>
    exchange("/api/patients/4255d79b-c331/labs/collect", { ts: 4_900, method: "POST", status });
  expect(first(run(...collect(500), failing()))).toStartWith(
    "request_failed: POST /api/patients/4255d79b-c331/labs/collect was answered with 500",
  );
  const counted = exchange("/metrics/collect", { ts: 4_900, method: "POST", status: 500 });
  expect(first(run(...counted, failing()))).not.toStartWith("request_failed");
});

test("a wait is ended by what came within it, not by what the test did next", () => {
  const wait = {
    kind: "agent.action",
    name: "page.__waitInfo__",
    params: {},
    title: 'Wait for event "response"',
    ts: 3_000,
  };
  const type = click("Type note", { ts: 3_010, name: "keyboard.type", params: { text: "note" } });
  const saved = (ts: number) => exchange("/api/notes", { ts, method: "PUT" });
  const opened = exchange("/patients/7", { ts: 4_020, resource_type: "document" });
  const usual = run(
    { ...wait, step_id: "wait", duration_ms: 1_000 },
    type,
    ...saved(3_980),
    ...opened,
    passing(),
  );
  const failed = run(
    ...saved(2_900),
    {
      ...wait,
      step_id: "wait",
      duration_ms: 4_000,
      ok: false,
      error: { message: 'Timeout 4000ms exceeded while waiting for event "response"' },
    },
    type,
  );
  expect(told(failed, usual, usual)[0]).toStartWith(
    "request_unsent: PUT /api/notes, which the test waits for, was never sent",
  );
});

test("an element that a window of another size hides is told before what else is answered", () => {
  const beds = (name: string) => json("/api/beds", { beds: [{ id: "B1", patient: name }] }, { ts: 3_000 });
  const target = "getByRole('link', { name: 'Rota' })";
  const looked = {
    title: `Expect ${target}`,
    expected: "visible",
    received: null,
    message: `Locator: ${target}\nError: element(s) not found`,
  };
  const shown = (hidden: string) => page(`<nav ${hidden}><a href="/rota">Rota</a></nav>`);
  const sizes = [{ viewport: "820 × 700" }, { viewport: "1280 × 800" }, { viewport: "1280 × 800" }];
  const usual = run(...beds("Marta"), shown(""), passing({ ...looked, message: undefined }));
  const cause = causeIn(sizes, run(...beds("Paul"), shown("hidden"), failing(looked)), usual, usual);
  expect(cause.headline).toStartWith(
    `In a window of 820 × 700 pixels (in the last pass 1280 × 800 pixels), ${target} is in the page's markup`,
  );
});
