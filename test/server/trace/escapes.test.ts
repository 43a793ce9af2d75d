import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { withPlainEscapes } from "../../../server/trace/ingest/escapes.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { blob, sha256 } from "../../helpers/bundles.ts";
import { getJson, uploadTrace } from "../../helpers/traces.ts";

let t: TestApp;
beforeAll(async () => {
  t = await testApp();
});
afterAll(() => t.close());

const upper = (hex: string, isUpper: boolean) => (isUpper ? hex.toUpperCase() : hex);
/** A string's character in one of the ways in which JSON may hold it. */
const asEscape = (unit: string, isUpper: boolean) =>
  `\\u${upper(unit.charCodeAt(0).toString(16).padStart(4, "0"), isUpper)}`;
const SHORT: Record<string, string> = { "\n": "\\n", "\b": "\\b", "/": "\\/", '"': '\\"', "\\": "\\\\" };
const written = fc
  .array(
    fc.record({
      unit: fc.oneof(
        fc.constantFrom("\\", '"', "/", "\n", "\b", "\x00", "\x1f", "u", "0", "ü", "中", " "),
        fc.constantFrom("\ud83d", "\ude00", "\udfff", "\ud800", "\u2028"),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
      way: fc.constantFrom("plain", "short", "escape", "ESCAPE"),
    }),
  )
  .map((all) => {
    const text = all.map(({ unit }) => unit).join("");
    const json = all.map(({ unit, way }) => {
      if (way === "short" && SHORT[unit]) return SHORT[unit];
      const isPlain = way === "plain" && !/["\\\ud800-\udfff]/.test(unit) && unit >= " ";
      return isPlain ? unit : asEscape(unit, way === "ESCAPE");
    });
    return { text, json: `"${json.join("")}"` };
  });

test("a string keeps its text however it was escaped, and stands there as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(written, ({ text, json }) => {
      expect(JSON.parse(json)).toBe(text);
      const plain = withPlainEscapes(json);
      expect(JSON.parse(plain)).toBe(text);
      if (/\\[u/]/.test(json)) expect(plain).toBe(JSON.stringify(text));
      expect(Buffer.byteLength(plain)).toBeLessThanOrEqual(Buffer.byteLength(json));
    }),
    { numRuns: 500 },
  );
});

test("strings beside each other and names of fields are done each, and once", () => {
  fc.assert(
    fc.property(written, written, written, (name, one, two) => {
      const json = `{ ${name.json}: [1.0, ${one.json},${two.json}] }`;
      const plain = withPlainEscapes(json);
      expect(plain).toStartWith("{ ");
      expect(plain).toContain(": [1.0, ");
      expect(JSON.stringify(JSON.parse(plain))).toBe(JSON.stringify(JSON.parse(json)));
      expect(withPlainEscapes(plain)).toBe(plain);
    }),
  );
});

test("numbers, spaces and backslashes that are text stay as they are written", () => {
  for (const [line, plain] of [
    ['{ "a" : 12345678901234567890, "b":1.0,"c":1E5, "d":"\\u00fc" }', null],
    ['{"a":"C:\\\\users\\\\/x","b":"\\/"}', '{"a":"C:\\\\users\\\\/x","b":"/"}'],
    ['{"a":"\\\\u00fc \\\\\\u00fc"}', '{"a":"\\\\u00fc \\\\ü"}'],
    ['{"a":"\\u0022\\u005c\\u000a\\u001B\\uD83D\\uDE00\\uD83D"}', '{"a":"\\"\\\\\\n\\u001b😀\\ud83d"}'],
  ] as const)
    expect(withPlainEscapes(line)).toBe(plain ?? line.replace("\\u00fc", "ü"));
});

const found = async (id: string, text: string) =>
  (
    await getJson<{ events: { seq: number }[] }>(
      t,
      `/v1/traces/${id}/events?match=loose&q=${encodeURIComponent(text)}`,
    )
  ).events.map(({ seq }) => seq);

test("text that a recorder escaped is found, and a blob that it names so is kept", async () => {
  const body = "the body";
  const reference = `\\u0073ha256\\u003a${sha256(body)}`;
  const lines = [
    '{"seq":1,"ts":1772366400000,"kind":"console.error","text":"Zahlung ung\\u00FCltig","id":12345678901234567890}',
    `{"seq":2,"ts":1772366400001,"kind":"network.response","request_id":"r","status":200,"url":"https:\\/\\/shop.example\\/pay","headers":[],"body":"${reference}"}`,
    '{"seq":3,"ts":1772366400002,"kind":"console.log","text":"said \\u0022no\\u0022 in C:\\\\users"}',
  ];
  const { id } = await uploadTrace(t, {
    entries: [{ name: "events.ndjson", content: `${lines.join("\n")}\n` }, blob(body)],
  });
  for (const [text, seq] of [
    ["ungültig", 1],
    ["12345678901234567890", 1],
    ["shop.example/pay", 2],
    ['said "no"', 3],
    ["C:\\users", 3],
  ] as const)
    expect([text, await found(id, text)]).toEqual([text, [seq]]);
  expect((await t.api(`/v1/traces/${id}/blob/${sha256(body)}`)).status).toBe(302);
  const exact = await t.api(`/v1/traces/${id}/events?q=${encodeURIComponent("ung\\u00FCltig")}`);
  expect(((await exact.json()) as { events: unknown[] }).events).toEqual([]);
});

test("an escape outside of a string does not make a line one that is taken", async () => {
  const form = (line: string) => ({ entries: [{ name: "events.ndjson", content: `${line}\n` }] });
  for (const line of [
    '{"seq":\\u0031,"ts":1772366400000,"kind":"console.log"}',
    '{"seq":1,\\u0020"ts":1772366400000,"kind":"console.log"}',
  ])
    await expect(uploadTrace(t, form(line))).rejects.toThrow();
});
