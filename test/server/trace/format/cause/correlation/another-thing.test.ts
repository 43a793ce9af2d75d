import { describe, expect, test } from "bun:test";
import { exchange, failing, first, passing, run, told } from "../run.ts";

const wants = { expected: '"Nora"', received: '"–"' };
const made = (id: number, subject: string, ts: number) =>
  exchange("/api/tickets", {
    ...{ ts, method: "POST", status: 201, resource_type: "api", media_type: "application/json" },
    request: { body: JSON.stringify({ subject }) },
    body: JSON.stringify({ id, subject }),
  });
const listed = (...things: [id: number, subject: string][]) =>
  exchange("/api/tickets", {
    ts: 3_000,
    media_type: "application/json",
    body: JSON.stringify({ items: things.map(([id, subject]) => ({ id, subject })) }),
  });
const write = (path: string, body: object) =>
  exchange(path, {
    ts: 4_000,
    method: "POST",
    media_type: "application/json",
    request: { body: JSON.stringify(body) },
    body: "{}",
  });

describe("a write that went for another thing, whose ids each run has of its own", () => {
  const merged = (end: typeof passing, from: number, of: number, into: number) =>
    run(
      ...made(from, "Old week", 1_000),
      ...made(from + 1, "Wrong again", 2_000),
      ...write(`/api/tickets/${of}/merge`, { into }),
      end(wants),
    );
  const usual = [4_694, 4_549].map((id) => merged(passing, id, id + 1, id));

  test("is told with what answers call the things, and that two are swapped", () => {
    expect(first(merged(failing, 4_680, 4_680, 4_681), ...usual)).toBe(
      "page_changed: POST /api/tickets/4680/merge was sent with the id of “Old week” in its address and the id of “Wrong again” for “into”, where the last pass sent the id of “Wrong again” in its address and the id of “Old week” for “into”: the two are swapped",
    );
  });

  test("is none where the id is made of words and the same one, whatever answers tell of beside it", () => {
    const booked = (end: typeof passing, slug: string, record: object) =>
      run(
        ...exchange("/api/show", { ts: 3_000, media_type: "application/json", body: JSON.stringify(record) }),
        ...write(`/book/${slug}`, { seats: 1 }),
        end(wants),
      );
    const before = booked(passing, "loom-hall", { slug: "loom-hall", title: "Loom Hall" });
    const booking = booked(failing, "loom-hall", { ref: "B7x", slug: "loom-hall", name: "Ana Wolf" });
    expect(told(booking, before, before).join()).not.toContain("the id of");
  });

  test("is none where it went for the same things, or is the test's own", () => {
    expect(told(merged(failing, 4_680, 4_681, 4_680), ...usual).join()).not.toContain("the id of");
    expect(told(merged(failing, 4_680, 4_680, 4_681)).join()).not.toContain("the id of");
  });

  test("is told of a list of things, in whatever order they were picked", () => {
    const bulk = (end: typeof passing, from: number, ...ids: number[]) =>
      run(
        ...made(from, "Zip codes", 1_000),
        ...made(from + 1, "Zero rate", 1_100),
        ...listed([from, "Zip codes"], [from + 1, "Zero rate"], [from - 9, "Charged twice"]),
        ...write("/api/tickets/bulk", { ids, assignee: "nora" }),
        end(wants),
      );
    const passes = [bulk(passing, 4_352, 4_352, 4_353), bulk(passing, 4_480, 4_481, 4_480)];
    expect(first(bulk(failing, 4_292, 4_283, 4_293), ...passes)).toBe(
      "page_changed: POST /api/tickets/bulk was sent with the ids of “Charged twice”, “Zero rate” for “ids”, where the last pass sent the ids of “Zip codes”, “Zero rate” for “ids”",
    );
    expect(told(bulk(failing, 4_292, 4_293, 4_292), ...passes).join()).not.toContain("the ids of");
    // Passes that went for other things each, and ids that no answer names, tell nothing.
    expect(
      told(bulk(failing, 4_292, 4_283, 4_293), passes[0]!, bulk(passing, 4_480, 4_471, 4_480)).join(),
    ).not.toContain("the ids of");
    expect(told(bulk(failing, 4_292, 5_001, 5_002), ...passes).join()).not.toContain("the ids of");
  });
});

test("a write to a thing that goes by the same words is to the same one, whatever is called after it", () => {
  const booked = (end: typeof passing, slug: string, name: string) =>
    run(
      ...exchange("/api/shows", {
        ts: 1_000,
        media_type: "application/json",
        body: JSON.stringify([{ slug, name }]),
      }),
      ...write(`/book/${slug}`, { adults: 2 }),
      end(wants),
    );
  const usual = booked(passing, "quiet-machine", "The Quiet Machine");
  const failed = booked(failing, "quiet-machine", "Ann Booker");
  expect(told(failed, usual, usual).join()).not.toContain("the id of");
});

test("a write that goes by a place in a list comes of the list's other order", () => {
  const opened = (end: typeof passing, ids: [number, number], subjects: [string, string]) =>
    run(
      ...listed([ids[0], subjects[0]], [ids[1], subjects[1]]),
      ...write(`/api/tickets/${ids[0]}/open`, {}),
      end({ expected: '"1"', received: '"0"' }),
    );
  const passes = (
    [
      [4_694, 4_695],
      [4_549, 4_550],
    ] as [number, number][]
  ).map((ids) => opened(passing, ids, ["Old week", "Wrong again"]));
  expect(first(opened(failing, [4_681, 4_680], ["Wrong again", "Old week"]), ...passes)).toStartWith(
    "answer_changed: GET /api/tickets answered in another order than in the last pass",
  );
});
