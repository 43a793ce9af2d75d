import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { stylesheet } from "../../../fixtures/app/pages.ts";
import { SCENARIOS } from "../../../fixtures/scenarios.ts";
import { KNOWN_KINDS, type TraceEvent } from "../../../server/trace/format/event.ts";
import { type RunLab, runLab } from "../../helpers/runs.ts";

setDefaultTimeout(120_000);

/** What none of the sample scenarios brings: a socket, a fault that slows, a debug line, steps that fail. */
const SOCKET = ['go to "/stock"', 'expect text "Up to date"', 'expect text "Sold out" within 300ms'];
const FAULTS = [
  'inject latency 50ms on "**/api/recommendations"',
  'go to "/"',
  'expect text "You may also like"',
  'screenshot "shop"',
  "go to \"data:text/html,<script>console.debug('seen', { count: 7 }); throw new TypeError('gone')</script>\"",
  'click button "Pay" within 100ms',
];

type RecordedEvent = TraceEvent & { trace: string };
type Kind = (typeof KNOWN_KINDS)[number];

let lab: RunLab;
const recorded: RecordedEvent[] = [];
const statuses: Record<string, string> = {};

beforeAll(async () => {
  lab = await runLab();
  const take = async (name: string, { traceId, status }: { traceId: string; status: string }) => {
    statuses[name] = status;
    const { events, total } = (await (
      await lab.app.api(`/v1/traces/${traceId}/events?limit=1000`)
    ).json()) as { events: TraceEvent[]; total: number };
    expect(events).toHaveLength(total);
    for (const event of events) recorded.push({ ...event, trace: traceId });
  };
  for (const file of SCENARIOS) await take(file.name, await lab.runFile(file, { others: [...SCENARIOS] }));
  await take("socket", await lab.run(SOCKET));
  await take("faults", await lab.run(FAULTS));
});
afterAll(() => lab.close());

/** The bytes that an event's reference leads to, by the way that clients go; they must be what the reference says. */
async function bytesOf(trace: string, reference: unknown): Promise<Buffer> {
  const [, hash] = /^sha256:([0-9a-f]{64})$/.exec(String(reference)) ?? [];
  if (hash === undefined) throw new Error(`${String(reference)} is no reference to a blob.`);
  const redirect = await lab.app.api(`/v1/traces/${trace}/blob/${hash}`);
  expect(redirect.status).toBe(302);
  const { pathname, search } = new URL(redirect.headers.get("location")!, lab.shop.url);
  const answer = await lab.app.api(pathname + search, { headers: { authorization: "" } });
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(hash);
  return bytes;
}

async function textOf({ trace, body }: RecordedEvent): Promise<string> {
  return String(body).startsWith("sha256:") ? (await bytesOf(trace, body)).toString() : String(body);
}

const pathOf = ({ url }: TraceEvent) => new URL(String(url)).pathname;

/** Of a copy: `toMatchObject` puts its matchers into what it was given. */
const expectLike = (value: unknown, shape: object) => expect(structuredClone(value)).toMatchObject(shape);

const expectAll = (events: RecordedEvent[], shape: Record<string, unknown>) =>
  expectLike(
    events,
    events.map(() => shape),
  );

/** One of them has these very values. */
function expectOne(events: RecordedEvent[], values: Record<string, unknown>): void {
  const isThere = events.some((event) => Bun.deepMatch(values, event));
  if (!isThere) expect(events).toContainEqual(expect.objectContaining(values));
}

const NUMBER = expect.any(Number);
const TEXT = expect.stringMatching(/\S/);
const HEADER = { name: TEXT, value: expect.any(String) };

function consoleLine(text: string, path: string) {
  return (events: RecordedEvent[]) => {
    const line = events.find((event) => event.text === text);
    expectLike(line, { location: { line: NUMBER, column: NUMBER } });
    expect(pathOf(line!.location as unknown as TraceEvent)).toBe(path);
    expect((line!.location as { line: number }).line).toBeGreaterThan(1);
  };
}

/** What an event of each kind has to say. */
const CONTENT: Record<Kind, (events: RecordedEvent[]) => unknown> = {
  "agent.action"(events) {
    const place = { file: expect.stringMatching(/\.scenario\.md$/), line: NUMBER, column: NUMBER };
    expectAll(events, {
      name: TEXT,
      title: TEXT,
      params: expect.any(Object),
      duration_ms: NUMBER,
      stack: [place],
    });
    expectOne(events, { name: "go", params: { url: "/" } });
    const click = events.find(({ title }) => title === 'click testid "add-beans"');
    expectLike(click, { name: "click", point: { x: NUMBER, y: NUMBER } });
    const missed = events.find(({ error }) => error !== undefined);
    expectLike(missed, { error: { message: 'There is no button "Pay" on the page.', name: TEXT } });
  },
  "agent.thought"(events) {
    expectAll(events, { text: TEXT, step_id: TEXT });
    expectOne(events, { text: 'Looking for testid "add-beans". It is the only one on the page.' });
  },
  assertion(events) {
    expectAll(events, { message: TEXT, expected: TEXT, received: TEXT, duration_ms: NUMBER, name: "expect" });
    expectOne(events, { ok: true, expected: 'the text "Cart (1)"', received: '"Cart (1)"' });
    const failed = events.filter(({ ok }) => ok === false);
    expectLike(failed, [
      {
        expected: 'the text "Sold out"',
        received: expect.stringContaining("In the warehouse"),
        error: { message: expect.stringContaining('Expected the text "Sold out"') },
      },
    ]);
  },
  "clock.advance"(events) {
    expect(events.map(({ by_ms }) => by_ms)).toEqual([3_600_000, 3_660_000]);
  },
  "clone.state"(events) {
    expectOne(events, { service: "payments", key: "tokens/tok_clone_1", before: null });
    const changed = events.find(({ key, before }) => key === "payment_intents/pi_clone_1" && before !== null);
    expectLike(changed, {
      before: { amount: 2500, currency: "eur" },
      after: { amount: 2500, currency: "eur" },
    });
    expect(changed!.after).not.toEqual(changed!.before);
    expectLike(
      events.find(({ service }) => service === "email"),
      {
        key: "messages/1",
        after: { subject: "Your code for Slow Mornings", text: expect.stringMatching(/your code is \d{6}/) },
      },
    );
  },
  "console.debug"(events) {
    expectLike(events, [{ text: "seen {count: 7}" }]);
  },
  "console.error"(events) {
    consoleLine("payment failed: Your card was declined.", "/gift-card")(events);
    const uncaught = events.find(({ text }) => text === "TypeError: gone");
    expectLike(uncaught, { stack: expect.stringContaining("TypeError: gone") });
  },
  "console.info": consoleLine("payment method ready", "/checkout"),
  "console.log": consoleLine("catalogue shown {products: 6}", "/"),
  "console.warning": consoleLine("recommendations unavailable 503", "/"),
  "dom.mutation"(events) {
    expectAll(events, {
      target: TEXT,
      adds: expect.any(Array),
      removes: expect.any(Array),
      attributes: expect.any(Object),
    });
    expectOne(events, { target: "p#state", adds: ["Up to date"], removes: ["Asking the warehouse…"] });
    expectOne(events, { target: "p#status", attributes: { class: "note bad" } });
  },
  async "dom.snapshot"(events) {
    expectAll(events, { url: TEXT, page: TEXT, step_id: TEXT });
    const stock = events.filter(({ url }) => String(url).endsWith("/stock"));
    const { trace, html } = stock.findLast((event) => event.html !== undefined)!;
    const page = (await bytesOf(trace, html)).toString();
    expect(page).toContain("In the warehouse");
    // As its scripts have made it, not as it was served.
    expect(page).toContain("Up to date");
    const { snapshot } = stock.findLast((event) => event.snapshot !== undefined)!;
    const shown = await lab.app.api(`/v1/traces/${trace}/snapshots/${encodeURIComponent(String(snapshot))}`);
    expectLike(await shown.json(), { url: expect.stringContaining("/stock") });
  },
  error_injection(events) {
    expectLike(events, [{ url: "**/api/recommendations", status: 503, step_id: "s1" }]);
  },
  latency_injection(events) {
    expectLike(events, [{ url: "**/api/recommendations", ms: 50, step_id: "s1" }]);
  },
  "network.request"(events) {
    expectAll(events, { request_id: TEXT, method: TEXT, url: TEXT, resource_type: TEXT });
    expectAll(
      events.filter(({ resource_type }) => resource_type === "document"),
      { headers: expect.arrayContaining([HEADER]) },
    );
    const order = events.find((event) => pathOf(event) === "/api/checkout")!;
    expect(order.method).toBe("POST");
    expectLike(JSON.parse(String(order.body)), {
      email: "synthetic+r+lab+1@example.invalid",
      total: 2600,
    });
  },
  async "network.response"(events) {
    const asked = recorded.filter(({ kind }) => kind === "network.request");
    const idOf = ({ trace, request_id }: RecordedEvent) => `${trace} ${request_id}`;
    const answered = [...new Set(events.map(idOf))];
    expect(asked.map(idOf)).toEqual(expect.arrayContaining(answered));
    // Pictures and the like may be under way when a run ends; a page that steps have seen has come.
    const documents = asked.filter(({ resource_type }) => resource_type === "document");
    expect(answered).toEqual(expect.arrayContaining(documents.map(idOf)));
    expectAll(events, { method: TEXT, url: TEXT, status: NUMBER, duration_ms: NUMBER });
    // A page that is left gives up what has not been answered yet, sockets too.
    const [gone, came] = [true, false].map((isGone) =>
      events.filter(({ status }) => (status === 0) === isGone),
    );
    expectAll(gone!, { error: TEXT });
    const loaded = came!.filter(
      ({ resource_type, request_id }) => resource_type !== "websocket" && /^r\d+$/.test(String(request_id)),
    );
    expectAll(loaded, { headers: expect.arrayContaining([HEADER]), status_text: TEXT });
    const served = (path: string) => loaded.find((event) => pathOf(event) === path)!;
    expectLike(served("/shop.css"), {
      status: 200,
      media_type: "text/css",
      body_size: Buffer.byteLength(stylesheet()),
      timing: { wait: NUMBER, receive: NUMBER },
    });
    expect(await textOf(served("/shop.css"))).toBe(stylesheet());
    const shop = served("/");
    expect(shop.body).toStartWith("sha256:");
    expect(await textOf(shop)).toContain("Everything for the pour");
    expect(new Set(came!.map(({ status }) => status))).toEqual(new Set([101, 200, 303, 400, 401, 402, 503]));
    expectLike(
      events.find(({ status }) => status === 402),
      {
        body: expect.stringContaining("card_declined"),
      },
    );
  },
  "network.websocket_frame"(events) {
    expectAll(events, { request_id: TEXT, size: NUMBER });
    expectOne(events, {
      direction: "sent",
      opcode: 1,
      text: '{"type":"subscribe","warehouse":"Leiden"}',
      size: 41,
    });
    expectOne(events, {
      direction: "received",
      opcode: 1,
      text: '{"type":"shelf","id":"kettle","place":"A-11"}',
    });
    expectOne(events, { direction: "received", opcode: 2, base64: "3q2+7w==", size: 4 });
  },
  async screenshot(events) {
    expectAll(events, { blob: TEXT, page: TEXT, media_type: "image/jpeg" });
    expect(new Set(events.map(({ trace }) => trace)).size).toBe(Object.keys(statuses).length);
    const pictures = await Promise.all(events.map(({ trace, blob }) => bytesOf(trace, blob)));
    const page = await lab.owned.browser.newPage();
    const sizes = await page.evaluate(
      (all) =>
        Promise.all(
          all.map(async (text) => {
            const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
            const { width, height } = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
            return { width, height };
          }),
        ),
      pictures.map((bytes) => bytes.toString("base64")),
    );
    await page.close();
    // The film's first pictures may show a window that is still being given its size.
    const last = new Map(events.map(({ trace, width, height }, at) => [trace, { at, width, height }]));
    for (const { at, ...size } of last.values()) expect(sizes[at]).toEqual(size as (typeof sizes)[number]);
    for (const bytes of pictures) expect([...bytes.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  },
  "script.coverage"(events) {
    const entries = events.flatMap((event) => event.entries as { url: string; used?: number }[]);
    const sheet = entries.find(({ url }) => url.endsWith("/shop.css"));
    expectLike(sheet, { type: "stylesheet" });
    const script = entries.find(({ url }) => url.endsWith("/gift-card"))!;
    expectLike(script, { type: "script", total: NUMBER, ranges: [[0, NUMBER]] });
    expect(script.used).toBeGreaterThan(500);
  },
  "storage.state"(events) {
    expectAll(events, { origins: expect.any(Array) });
    const cookie = {
      name: "shop_visitor",
      value: "[redacted]",
      domain: "localhost",
      path: "/",
      http_only: true,
    };
    const first = [...new Map(events.toReversed().map((event) => [event.trace, event])).values()];
    expectAll(first, { cookies: [cookie] });
    expect(first).toHaveLength(Object.keys(statuses).length);
  },
};

describe("the sample scenarios, and two that add what they lack,", () => {
  test("end as they should", () => {
    const samples = SCENARIOS.map(({ name }) => [name, "passed"] as const);
    expect(statuses).toEqual({ ...Object.fromEntries(samples), socket: "failed", faults: "failed" });
  });

  test("bring events of the known kinds only, in order, each of a step that there is", () => {
    expect([...new Set(recorded.map(({ kind }) => kind))].sort()).toEqual([...KNOWN_KINDS].sort());
    for (const [, events] of Map.groupBy(recorded, ({ trace }) => trace)) {
      const steps = new Set(
        events.flatMap(({ kind, step_id }) => (/^(agent.action|assertion)$/.test(kind) ? step_id : [])),
      );
      for (const [at, { seq, ts, step_id }] of events.entries()) {
        if (at > 0) expect(seq).toBeGreaterThan(events[at - 1]!.seq);
        expect(ts).toBeGreaterThan(Date.parse("2020-01-01"));
        if (step_id !== undefined) expect(steps).toContain(step_id);
      }
    }
  });

  test.each([...KNOWN_KINDS])("record %s with all that belongs to it", async (kind) => {
    await CONTENT[kind](recorded.filter((event) => event.kind === kind));
  });
});
