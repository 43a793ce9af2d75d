import { describe, expect, test } from "bun:test";
import Ajv from "ajv";
import fc from "fast-check";
import { EVENTS, type Facts } from "../../../server/watch/channel-types/facts.ts";
import { CHANNEL_KINDS } from "../../../server/watch/channel-types/kinds.ts";
import type { ChannelTarget, ChannelType } from "../../../server/watch/channel-types/types.ts";

const TARGETS: Record<Exclude<ChannelType, "email">, ChannelTarget> = {
  webhook: { url: "https://a.example/hook", secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` },
  slack: { url: "https://hooks.slack.com/services/T0/B0/x" },
  pagerduty: { routing_key: "0123456789abcdef0123456789abcdef" },
  teams: { url: "https://prod-1.westeurope.logic.azure.com/workflows/x" },
  incident_io: { url: "https://api.incident.io/v2/alert_events/http/x", token: "t" },
};

const text = (max: number) => ({ type: "string", minLength: 1, maxLength: max });
const closed = (properties: Record<string, object>, optional: string[] = []) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const plain = (max: number) =>
  closed({ type: { const: "plain_text" }, text: text(max), emoji: { type: "boolean" } });
const url = { type: "string", pattern: "^https?://", maxLength: 3000 };

/** What each service's reference documentation takes, with its limits. */
const SCHEMAS: Record<Exclude<ChannelType, "email">, object> = {
  webhook: closed(
    Object.fromEntries(
      [
        "event",
        "orgId",
        "incidentId",
        "scenarioSlug",
        "region",
        "runId",
        "failureSignature",
        "traceUrl",
        "timestamp",
      ].map((name) => [name, { type: "string" }]),
    ),
  ),
  slack: closed({
    text: text(3000),
    blocks: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: {
        oneOf: [
          closed({ type: { const: "header" }, text: plain(150) }),
          closed({ type: { const: "section" }, text: plain(3000) }),
          closed({
            type: { const: "context" },
            elements: { type: "array", minItems: 1, maxItems: 10, items: plain(2000) },
          }),
          closed({
            type: { const: "actions" },
            elements: {
              type: "array",
              minItems: 1,
              maxItems: 25,
              items: closed({ type: { const: "button" }, text: plain(75), url }),
            },
          }),
        ],
      },
    },
  }),
  pagerduty: {
    oneOf: [
      closed({
        routing_key: { type: "string", minLength: 32, maxLength: 32 },
        dedup_key: text(255),
        event_action: { const: "resolve" },
      }),
      closed({
        routing_key: { type: "string", minLength: 32, maxLength: 32 },
        dedup_key: text(255),
        event_action: { const: "trigger" },
        payload: closed(
          {
            summary: text(1024),
            source: text(1000),
            severity: { enum: ["critical", "error", "warning", "info"] },
            timestamp: { type: "string" },
            component: text(1000),
            class: text(1000),
            custom_details: { type: "object" },
          },
          ["component"],
        ),
        links: { type: "array", items: closed({ href: url, text: text(1000) }) },
        client: text(100),
        client_url: { type: "string" },
      }),
    ],
  },
  teams: closed({
    type: { const: "message" },
    attachments: {
      type: "array",
      minItems: 1,
      maxItems: 1,
      items: closed({
        contentType: { const: "application/vnd.microsoft.card.adaptive" },
        contentUrl: { type: "null" },
        content: closed({
          $schema: { type: "string" },
          type: { const: "AdaptiveCard" },
          version: { const: "1.4" },
          body: {
            type: "array",
            minItems: 1,
            items: {
              oneOf: [
                closed(
                  {
                    type: { const: "TextBlock" },
                    text: { type: "string", minLength: 1 },
                    wrap: { const: true },
                    weight: { enum: ["Bolder"] },
                    size: { enum: ["Medium"] },
                    color: { enum: ["Default", "Dark", "Light", "Accent", "Good", "Warning", "Attention"] },
                  },
                  ["weight", "size", "color"],
                ),
                closed({
                  type: { const: "FactSet" },
                  facts: {
                    type: "array",
                    minItems: 1,
                    items: closed({ title: text(100), value: text(1000) }),
                  },
                }),
              ],
            },
          },
          actions: {
            type: "array",
            items: closed({ type: { const: "Action.OpenUrl" }, title: text(100), url }),
          },
        }),
      }),
    },
  }),
  incident_io: closed(
    {
      title: text(1000),
      status: { enum: ["firing", "resolved"] },
      deduplication_key: text(500),
      description: text(10_000),
      source_url: url,
      metadata: { type: "object", additionalProperties: { type: "string" } },
    },
    ["description", "source_url"],
  ),
};
/** Bytes that a message may have, where the service says so. */
const MOST_BYTES = {
  webhook: 20_000,
  slack: 13_000,
  pagerduty: 512_000,
  teams: 28_000,
  incident_io: 100_000,
};

const facts: fc.Arbitrary<Facts> = fc.record({
  event: fc.constantFrom(...EVENTS),
  orgId: fc.uuid(),
  incidentId: fc.oneof(fc.constant(""), fc.uuid()),
  scenarioSlug: fc.oneof(fc.constant(""), fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,63}$/)),
  region: fc.constantFrom("", "eu-west-1", "global"),
  runId: fc.oneof(fc.constant(""), fc.uuid()),
  failureSignature: fc.constantFrom("", "sig_0123456789abcdef"),
  traceUrl: fc.constantFrom("", "http://localhost:4173/traces/x"),
  timestamp: fc.constant("2026-03-01T12:00:00.000Z"),
  title: fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 600 }),
    fc.constantFrom("<!channel> fails & <@U1> *bold*", "x".repeat(5000), "&".repeat(4000)),
  ),
  cause: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.constantFrom("", "<".repeat(9000), "é".repeat(9000)),
  ),
  severity: fc.constantFrom("critical", "error", "warning", "info"),
  url: fc.constant("http://localhost:4173/incidents/x"),
  since: fc.constantFrom("", "2026-03-01T11:58:00.000Z"),
});

const types = Object.keys(TARGETS) as (keyof typeof TARGETS)[];
const compose = (type: keyof typeof TARGETS, told: Facts) => {
  const outgoing = CHANNEL_KINDS[type].compose(TARGETS[type], told, { id: "msg", at: 1_772_366_400_000 });
  if (outgoing.kind !== "request") throw new Error("not a request");
  return outgoing;
};

describe.each(types)("a message over %s", (type) => {
  test("is what the service takes, within its limits, whatever is told", () => {
    const isTaken = new Ajv({ strict: false }).compile(SCHEMAS[type]);
    fc.assert(
      fc.property(facts, (told) => {
        const { body } = compose(type, told);
        if (!isTaken(JSON.parse(body))) throw new Error(JSON.stringify(isTaken.errors));
        expect(Buffer.byteLength(body)).toBeLessThan(MOST_BYTES[type]);
      }),
      { numRuns: 300 },
    );
  });
});

const TOLD: Facts = {
  event: "incident.opened",
  orgId: "o",
  incidentId: "i",
  scenarioSlug: "guest-checkout",
  region: "eu-west-1",
  runId: "r",
  failureSignature: "sig_0",
  traceUrl: "http://localhost:4173/traces/t",
  timestamp: "2026-03-01T12:00:00.000Z",
  title: "Guest checkout <!channel> fails",
  cause: "POST /pay answered 500 & no more",
  severity: "critical",
  url: "http://localhost:4173/incidents/i",
  since: "2026-03-01T11:58:00.000Z",
};

describe("a message", () => {
  test("names nobody in Slack, whatever a page says", () => {
    const { text: fallback, blocks } = JSON.parse(compose("slack", TOLD).body) as {
      text: string;
      blocks: { text?: { type: string } }[];
    };
    expect(fallback).toContain("&lt;!channel&gt;");
    for (const block of blocks) if (block.text) expect(block.text.type).toBe("plain_text");
  });

  test.each(["pagerduty", "incident_io"] as const)(
    "begins and ends one alert of %s under one key",
    (type) => {
      const [opened, resolved] = (["incident.opened", "incident.resolved"] as const).map(
        (event) => JSON.parse(compose(type, { ...TOLD, event }).body) as Record<string, unknown>,
      );
      const key = type === "pagerduty" ? "dedup_key" : "deduplication_key";
      expect([opened![key], resolved![key]]).toEqual(["i", "i"]);
      const state = type === "pagerduty" ? "event_action" : "status";
      expect([opened![state], resolved![state]]).toEqual(
        type === "pagerduty" ? ["trigger", "resolve"] : ["firing", "resolved"],
      );
    },
  );

  test("tells the cause to whoever reads it", () => {
    for (const type of ["slack", "pagerduty", "teams", "incident_io"] as const)
      expect(compose(type, TOLD).body).toContain("answered 500");
    const mail = CHANNEL_KINDS.email.compose({ address: "a@b.c" }, TOLD, { id: "m", at: 0 });
    expect(mail).toMatchObject({
      kind: "mail",
      thread: "incident.i",
      text: expect.stringContaining("answered 500"),
    });
  });
});
