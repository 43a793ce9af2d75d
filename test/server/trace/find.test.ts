import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import type { FindAnswer } from "../../../server/trace/find/model.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, eventLines, events, sha256 } from "../../helpers/bundles.ts";
import { cost } from "../../helpers/cost.ts";
import { loosePath } from "../../helpers/loose-blobs.ts";
import { fileNamed } from "../../helpers/trace-files.ts";
import { eventsPath, getJson, otherOrg, post, uploadTrace } from "../../helpers/traces.ts";

setDefaultTimeout(120_000);

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ settings: { rate_limits: { reads_per_minute: 100_000 } } });
});
afterAll(() => app.close());

const reference = (content: string | Uint8Array) => `sha256:${sha256(content)}`;
const response = (seq: number, content: string | Uint8Array, media_type?: string) => ({
  kind: "network.response",
  request_id: `r${seq}`,
  url: `https://shop.test/item/${seq}`,
  status: 200,
  body: reference(content),
  ...(media_type ? { media_type } : {}),
});

const find = (id: string, query: string) => getJson<FindAnswer>(app, `/v1/traces/${id}/find?${query}`);

describe("GET /v1/traces/{id}/find", () => {
  const json = JSON.stringify({ order: "Ünïcode ZEBRA crossing", again: "zebra" });
  const page = "<html><body>A page about a zebra</body></html>";
  const binary = new Uint8Array([0, 1, 2, ...Buffer.from("zebra"), 0, 3]);
  const untyped = "plain words with a Zebra in them";
  const large = `${"x".repeat(5_000_001)}zebra crossing ${"y".repeat(300)}`;
  const deflated = `[${'"lorem ipsum",'.repeat(200_000)}"zebra"]`;
  let id = "";
  let shortId = "";

  beforeAll(async () => {
    const bodies = [json, page, binary, untyped, large, deflated];
    const made = await uploadTrace(app, {
      entries: [
        events(
          eventLines(9, (seq) => {
            if (seq === 1) return { ...response(seq, json, "application/json"), step_id: "s1" };
            if (seq === 2) return { kind: "dom.snapshot", url: "https://shop.test/", html: reference(page) };
            if (seq === 3) return response(seq, binary, "image/png");
            if (seq === 4) return response(seq, untyped);
            if (seq === 5) return response(seq, json, "application/json");
            if (seq === 6) return response(seq, large, "text/plain");
            if (seq === 7) return response(seq, binary);
            if (seq === 8) return response(seq, deflated, "application/json");
            return {};
          }),
        ),
        ...bodies.map(blob),
      ],
    });
    id = made.id;
    shortId = made.shortId;
  });

  test("finds a text in every kind of body once, with its event, its place and what is around it", async () => {
    const found = await find(id, "q=zebra");
    expect(found.hits.map(({ event, field, count }) => [event.seq, event.kind, field, count])).toEqual([
      [1, "network.response", "body", 2],
      [2, "dom.snapshot", "html", 1],
      [4, "network.response", "body", 1],
      [6, "network.response", "body", 1],
      [8, "network.response", "body", 1],
    ]);
    const [first, , , long] = found.hits;
    expect(long).toMatchObject({
      place: 5_000_001,
      excerpt: { before: "x".repeat(60), match: "zebra", after: ` crossing ${"y".repeat(230)}` },
    });
    expect(first).toMatchObject({
      event: { seq: 1, step_id: "s1", request_id: "r1", url: "https://shop.test/item/1", status: 200 },
      reference: reference(json),
      media_type: "application/json",
      excerpt: { before: '{"order":"Ünïcode ', match: "ZEBRA", after: ' crossing","again":"zebra"}' },
      place: Buffer.from(json).indexOf("ZEBRA"),
    });
    expect(found).toMatchObject({ next: null, too_large: 0, unreadable: 0 });
    expect(found.searched).toBe(found.total);
  });

  test("a capital makes it exact; what no body has is not found", async () => {
    expect((await find(id, "q=Zebra")).hits.map(({ event }) => event.seq)).toEqual([4]);
    expect((await find(id, "q=giraffe")).hits).toEqual([]);
    expect((await find(id, "q=%C3%9Cn%C3%AF")).hits.map(({ event }) => event.seq)).toEqual([1]);
  });

  test("pages lead through all hits once", async () => {
    const seen: number[] = [];
    let after: string | null = "bodies.0";
    while (after !== null) {
      const part: FindAnswer = await find(id, `q=zebra&limit=1&after=${after}`);
      seen.push(...part.hits.map(({ event }) => event.seq));
      after = part.next;
    }
    expect(seen).toEqual([1, 2, 4, 6, 8]);
    expect((await find(id, "q=zebra&after=bodies.999999")).hits).toEqual([]);
  });

  test("behind a share link the same is found, until it is withdrawn", async () => {
    const anonymous = { headers: { authorization: "" } };
    expect((await app.api(`/r/${shortId}/find?q=zebra`, anonymous)).status).toBe(404);
    await post(app, `/v1/traces/${id}/share`, { visibility: "public-read", expires_days: 1 });
    const answer = await app.api(`/r/${shortId}/find?q=zebra`, anonymous);
    expect(((await answer.json()) as FindAnswer).hits).toHaveLength(5);
    await app.api(`/v1/traces/${id}/share`, { method: "DELETE" });
    expect((await app.api(`/r/${shortId}/find?q=zebra`, anonymous)).status).toBe(404);
  });

  test.each([
    ["no text", ""],
    ["an empty text", "q="],
    ["an overlong text", `q=${"x".repeat(501)}`],
    ["a NUL", "q=a%00b"],
    ["no hit at most", "q=a&limit=0"],
    ["a place before the first", "q=a&after=bodies.-1"],
  ])("%s is refused", async (_, query) => {
    expect((await app.api(`/v1/traces/${id}/find?${query}`)).status).toBe(400);
  });

  test("another org finds nothing, and learns nothing", async () => {
    const { api } = await otherOrg(app);
    expect((await api(`/v1/traces/${id}/find?q=zebra`)).status).toBe(403);
  });

  test("a body whose file is gone or whose list is damaged leaves the others findable", async () => {
    rmSync(loosePath(app.store, sha256(page)));
    writeFileSync(fileNamed(app.store.layout.trace(id), "manifest.json"), "{");
    const found = await find(id, "q=zebra");
    expect(found.hits.map(({ event }) => event.seq)).toEqual([1, 4, 6, 8]);
    expect(found.unreadable).toBe(1);
  });

  test("a trace whose event file was cut to nothing is told so, and not that nothing was found", async () => {
    const cut = await uploadTrace(app, { slug: "cut" });
    truncateSync(await eventsPath(app, cut.id));
    const answer = await app.api(`/v1/traces/${cut.id}/find?q=zebra`);
    expect(answer.status).toBe(503);
  });

  test("a client that goes ends the work", async () => {
    const gone = new AbortController();
    const asked = app.api(`/v1/traces/${id}/find?q=zebra`, { signal: gone.signal });
    gone.abort();
    await asked.catch(() => {});
    expect((await find(id, "q=zebra")).hits).toHaveLength(4);
  });
});

test("a thousand bodies of 20 kB are searched for little more than it costs to look through them", async () => {
  const bodies = Array.from({ length: 1000 }, (_, index) =>
    JSON.stringify({ index, text: `lorem ipsum ${index} `.repeat(1100).slice(0, 20_000) }),
  );
  const { id } = await uploadTrace(app, {
    slug: "many",
    entries: [
      events(eventLines(1000, (seq) => response(seq, bodies[seq]!, "application/json"))),
      ...bodies.map(blob),
    ],
  });
  await find(id, "q=warm+up");
  const found = await find(id, "q=ipsum+777");
  expect(found.hits.map(({ event }) => event.seq)).toEqual([777]);
  expect(found).toMatchObject({ searched: 1000, total: 1000, next: null });
  const looking = await cost(() =>
    bodies.filter((body) => JSON.stringify(JSON.parse(body)).toLowerCase().includes("ipsum 777")),
  );
  const searching = await cost(() => find(id, "q=ipsum+777"));
  expect(searching / looking).toBeLessThan(10);
});
