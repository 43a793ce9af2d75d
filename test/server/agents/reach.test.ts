import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "@modelcontextprotocol/client";
import { callTool, connectAgent, uploadArchive } from "../../helpers/agents.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { explainByAgent, firstTool } from "../../helpers/explaining-agent.ts";

/** What an agent may spend on a failure before it knows the cause. */
const MOST_CALLS = 3;
const MOST_TOKENS = 4_000;
const LEDGER = /POST \S*\/api\/checkout was answered with 500/;

/** Recordings of one shop in which something is broken, of several recorders, and what a right explanation says. */
const FAILURES: [archive: string, passBefore: string | null, cause: RegExp][] = [
  ["v10-runner-failing", "v10-runner-passing", LEDGER],
  ["v10-failing", "v10-passing", LEDGER],
  ["v8-failing", null, LEDGER],
  ["v4-runner-failing", null, LEDGER],
  ["v3-failing", "v3-passing", LEDGER],
  ["v10-runner-renamed", "v10-runner-passing", /add-kettle/],
  ["v10-runner-timeout", null, /You may also like/],
];

let t: TestApp;
let client: Client;
let first: string;
const traces = new Map<string, { id: string; shortId: string }>();

beforeAll(async () => {
  t = await testApp();
  client = await connectAgent(t);
  first = await firstTool(client);
  for (const [archive, pass] of FAILURES) {
    if (pass) await uploadArchive(t, pass, archive);
    traces.set(archive, await uploadArchive(t, archive, archive));
  }
}, 120_000);
afterAll(async () => {
  await client.close();
  await t.close();
});

describe.each(FAILURES)("an agent that has only the failing trace of %s", (archive, _pass, cause) => {
  test("reaches the cause in three calls and 4,000 tokens, whatever it was given as the trace's id", async () => {
    const { id, shortId } = traces.get(archive)!;
    const names = [
      id,
      shortId,
      `http://localhost:4173/traces/${id}`,
      `https://traces.example.test/r/${shortId}`,
    ];
    for (const reference of names) {
      const { isTold, calls, tokens } = await explainByAgent(client, { first, reference }, (text) =>
        cause.test(text),
      );
      expect([reference, isTold]).toEqual([reference, true]);
      expect(calls.length).toBeLessThanOrEqual(MOST_CALLS);
      expect(tokens).toBeLessThanOrEqual(MOST_TOKENS);
    }
  });

  test("does so too when it lists failures, looks at the trace or asks for all of it first", async () => {
    const { id } = traces.get(archive)!;
    for (const way of [["list_traces", "get_cause"], ["get_trace", "get_cause"], ["product_debug_run"]]) {
      let said = "";
      let bytes = 0;
      for (const name of way) {
        const args = name === "list_traces" ? { status: "failed", limit: 3 } : { trace_id: id };
        const called = await callTool(client, name, args);
        said += called.text;
        bytes += called.bytes;
      }
      expect([way, cause.test(said), bytes / 3.5 <= MOST_TOKENS]).toEqual([way, true, true]);
    }
  });
});

test("the tools themselves cost an agent's context no more than 3,000 tokens", async () => {
  const { tools } = await client.listTools();
  const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(Buffer.byteLength(JSON.stringify(seen)) / 3.5).toBeLessThanOrEqual(3_000);
});
