import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createMask, type Mask, masked } from "../../../../server/trace/chats/mask.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";

setDefaultTimeout(60_000);

let on: TestApp;
let mask: Mask;
beforeAll(async () => {
  on = await testApp({ settings: { secrets: { CONFIGURED: "blue/whale 7" } } });
  const response = await on.api("/v1/secrets/KEPT", {
    method: "PUT",
    body: JSON.stringify({ value: 'say "friend"' }),
    headers: { "content-type": "application/json" },
  });
  expect(response.ok).toBe(true);
  mask = await createMask(on.deps, on.orgId);
});
afterAll(() => on.close());

test.each<[string, string, string]>([
  ["the org's own, as they are", "typed blue/whale 7 there", "typed [redacted] there"],
  ["the org's own in an address", "?q=blue%2Fwhale%207&x=1", "?q=[redacted]&x=1"],
  ["the org's own in JSON", '{"said":"say \\"friend\\""}', '{"said":"[redacted]"}'],
  ["a bearer token", "Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted]"],
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
