import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createMask, type Mask, masked } from "../../../../server/trace/chats/mask.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { blob, events, sha256 } from "../../../helpers/bundles.ts";
import { ask, beginChat, showChat } from "../../../helpers/chats.ts";
import { answer, called, createModelServer } from "../../../helpers/model.ts";
import { uploadTrace } from "../../../helpers/traces.ts";

setDefaultTimeout(60_000);

/** No four characters of them stand anywhere else. */
const TYPED = "Zq7Wv9Kx3Jm5Tb8Rn2Lp";
const OWN = "Yh4Uc6Gd1Fo0Se9Ia7Bz";

const model = createModelServer();
let on: TestApp;
let mask: Mask;
beforeAll(async () => {
  on = await testApp({
    settings: {
      secrets: { CONFIGURED: "blue/whale 7", OWN },
      debugger: { base_url: model.baseUrl, model: "curious" },
    },
  });
  const response = await on.api("/v1/secrets/KEPT", {
    method: "PUT",
    body: JSON.stringify({ value: 'say "friend"' }),
    headers: { "content-type": "application/json" },
  });
  expect(response.ok).toBe(true);
  mask = await createMask(on.deps, on.orgId);
});
afterAll(async () => {
  model.close();
  await on.close();
});

test.each<[string, string, string]>([
  ["the org's own, as they are", "typed blue/whale 7 there", "typed [redacted] there"],
  ["the org's own in an address", "?q=blue%2Fwhale%207&x=1", "?q=[redacted]&x=1"],
  ["the org's own in JSON", '{"said":"say \\"friend\\""}', '{"said":"[redacted]"}'],
  ["a bearer token", "Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted]"],
  ["the beginning of the org's own, which was kept cut", "Pay… typed blue/wha…", "Pay… typed [redacted]…"],
  ["a bearer token of letters", "bearer mF_zq.fKhb and more", "bearer [redacted] and more"],
  ["a user's name and password", "Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"],
  ["those with an umlaut in Latin-1", "Basic avY6cGFzc/x3b3JkMQ==", "Basic [redacted]"],
  ["a key of this server", "used product_sk_abcdefghijklmnop", "used [redacted]"],
  ["a JWT", "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "got [redacted]"],
  ["a password in an address", "postgres://shop:hunter2@db/x", "postgres://shop:[redacted]@db/x"],
  [
    "a field of JSON",
    '{"user":"ada","password":"a\\"b c","n":1}',
    '{"user":"ada","password":"[redacted]","n":1}',
  ],
  [
    "a field of JSON within JSON",
    '{"body":"{\\"api_key\\":\\"k-1\\",\\"n\\":1}"}',
    '{"body":"{\\"api_key\\":\\"[redacted]\\",\\"n\\":1}"}',
  ],
  ["a field of a form", "user=ada&token=t0k3n&n=1", "user=ada&token=[redacted]&n=1"],
  [
    "a private key",
    "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- and more",
    "[redacted] and more",
  ],
])("takes out %s", (_name, text, expected) => expect(mask(text)).toBe(expected));

test.each([
  "the password field was empty",
  "token bucket of 3",
  "step 7 failed after 20 ms",
  "GET /api/tokens?page=2",
  "a sky so blu… and blue/wh",
  "Basic information",
  "Choose the Basic subscription.",
  "the bearer certificate. It ends",
])("leaves what is none: %s", (text) => expect(mask(text)).toBe(text));

test("takes a field out by its name, however deep it lies", () => {
  const given = { list: [{ Authorization: "x", other: ["Bearer 12345678", 7, null] }] };
  expect(masked(mask, given)).toEqual({
    list: [{ Authorization: "[redacted]", other: ["Bearer [redacted]", 7, null] }],
  });
});

describe("a model gets no piece of a secret", () => {
  /** Every four characters in a row. */
  const pieces = [TYPED, OWN].flatMap((value) =>
    Array.from({ length: value.length - 3 }, (_, at) => value.slice(at, at + 4)),
  );
  /** JSON in which the window around the needle begins within the password. */
  const steered = (before: number) => {
    const told = JSON.stringify({ password: TYPED, pad: "", tail: "" }).slice(0, -13);
    return `${told}${".".repeat(before)}pinned","tail":"${".".repeat(40)}"}`;
  };
  const stored = `${".".repeat(20_000)}${steered(40)}${".".repeat(20_000)}`;
  const crossing = (at: number) =>
    `${"a b ".repeat(at).slice(0, at - 10)}${OWN} and on${" and on".repeat(9)}`;
  const asked = { url: "http://shop.example/api/pay", method: "POST", headers: [], resource_type: "fetch" };
  const LINES = [
    { kind: "console.error", text: steered(100) },
    { kind: "console.error", text: crossing(240) },
    { kind: "console.error", text: crossing(400) },
    { kind: "network.request", request_id: "a", ...asked, body: crossing(600) },
    {
      kind: "network.response",
      request_id: "a",
      ...asked,
      status: 500,
      body: crossing(2_500),
      duration_ms: 1,
    },
    {
      ...{
        kind: "network.response",
        request_id: "b",
        ...asked,
        url: `http://shop.example/?q=${crossing(230)}`,
      },
      ...{ status: 500, body: `sha256:${sha256(stored)}`, media_type: "application/json", duration_ms: 1 },
    },
    {
      ...{ kind: "dom.snapshot", step_id: "paid", url: "http://shop.example/", phase: "after" },
      html: `<main><button>${crossing(100)}</button><input type=text value="${crossing(60)}"></main>`,
    },
    {
      ...{ kind: "assertion", step_id: "paid", ok: false, duration_ms: 5 },
      ...{ title: crossing(140), message: crossing(800) },
    },
  ].map((one, at) => JSON.stringify({ seq: at + 1, ts: 1_767_323_045_000 + at * 10, ...one }));
  const LOOKS: [string, object][] = [
    ["search", { text: "pinned" }],
    ["search", { text: TYPED.slice(0, 3).toLowerCase() }],
    ["list_events", { kind: "*" }],
    ["get_console", {}],
    ["get_request", { seq: 5 }],
    ["get_step", { step: 1 }],
    ["list_requests", {}],
    ["get_page", {}],
    ["get_report", {}],
  ];
  /** Of one answer. */
  const AT_ONCE = 3;

  test("whichever look it takes, and wherever a text is cut", async () => {
    const { id } = await uploadTrace(on, {
      entries: [events(LINES.join("\n")), blob(stored)],
      manifest: { status: "failed" },
    });
    const left = [...LOOKS];
    model.replies((_, count) =>
      count % (AT_ONCE + 1) === 0 ? answer("Enough.") : { chunks: [called(...left.shift()!)] },
    );
    const { id: chat } = await beginChat(on, id);
    while (left.length > 0) await ask(on, chat, "What was typed?");
    const calls = (await showChat(on, chat)).messages.flatMap(({ tool_calls }) => tool_calls);
    expect(calls.map(({ name, ok }) => [name, ok])).toEqual(LOOKS.map(([name]) => [name, true]));
    const hits = calls[0]!.result.hits as { found_in: string; excerpt: string }[];
    expect(hits.map(({ found_in }) => found_in)).toEqual(["event", "body"]);
    for (const { excerpt } of hits) expect(excerpt).toContain("pinned");
    const told = [JSON.stringify(model.asked), JSON.stringify(calls)];
    expect(told.flatMap((text) => pieces.filter((piece) => text.includes(piece)))).toEqual([]);
  });
});
