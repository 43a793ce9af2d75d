import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { TObject } from "@sinclair/typebox";
import { TOOLS } from "../../server/agents/tools/all.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { events } from "../helpers/bundles.ts";
import { uploadTrace } from "../helpers/traces.ts";
import { TEXTS, VALUES } from "./values.ts";

setDefaultTimeout(120_000);

const MANY = 1_000_000;
const MOST_MS = 10_000;
/** Of a whole result, which says everything twice: structured and as text. */
const MOST_BYTES = 25_000;
const UNKNOWN = /^(?:internal|unavailable):/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f]/;

let t: TestApp;
/** What fits, by the name of the argument. */
let good: Record<string, unknown>;
let trace: string;

beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { reads_per_minute: MANY, writes_per_minute: MANY } } });
  trace = (await uploadTrace(t, { entries: [events(hostileLines())], manifest: { status: "failed" } })).id;
  const { id } = await uploadTrace(t);
  const nobody = "00000000-0000-7000-8000-000000000000";
  good = {
    trace_id: trace,
    a: id,
    b: trace,
    q: "line",
    replay_id: nobody,
    run_id: nobody,
    scenarios: ["none"],
    from_step: 1,
  };
});
afterAll(() => t.close());

/** A step of every text: as its title, its error, what the page said, what was asked and what was on the page. */
function hostileLines(): string {
  const lines = Object.values(TEXTS).flatMap((text, at) => {
    const step_id = `s${at}`;
    return [
      {
        kind: "agent.action",
        step_id,
        name: text,
        title: text,
        params: { text },
        duration_ms: 5,
        log: [text],
        error: { message: text },
      },
      { kind: "console.error", step_id, text },
      {
        kind: "network.response",
        step_id,
        request_id: `r${at}`,
        method: text,
        url: text,
        status: 500,
        headers: [],
        duration_ms: 1,
      },
      {
        kind: "dom.snapshot",
        step_id,
        url: text,
        html: `<main><h1>${text}</h1><button title="${text}">x</button></main>`,
      },
    ];
  });
  return lines
    .map((line, seq) => `${JSON.stringify({ seq, ts: 1_767_323_045_000 + seq * 10, ...line })}\n`)
    .join("");
}

/** What is wrong with an answer to anything at all; null when nothing is. */
async function problemWith(name: string, args: unknown): Promise<string | null> {
  t.clock.advance(250);
  const began = performance.now();
  const response = await t.api("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await response.text();
  // No message nests that deep.
  if (response.status === 400 && text.includes("nests deeper")) return null;
  if (response.status !== 200) return `${response.status} ${text.slice(0, 200)}`;
  const { result, error } = JSON.parse(text.slice(text.indexOf("data:") + 5)) as {
    result?: { isError?: boolean; content: { text: string }[]; structuredContent?: unknown };
    error?: { code: number; message: string };
  };
  // Arguments that are no object are refused by the protocol itself.
  if (error) return error.code === -32603 ? error.message : null;
  const said = result!.content[0]!.text;
  if (performance.now() - began > MOST_MS) return "took too long";
  if (text.length > MOST_BYTES) return `has ${text.length} bytes`;
  if (result!.isError) return UNKNOWN.test(said) || UNSEEN.test(said) ? said : null;
  return stringsIn(result!.structuredContent).some((one) => UNSEEN.test(one))
    ? "has control characters"
    : null;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

test.each(TOOLS.map(({ name, input }) => [name, input] as [string, TObject]))(
  "%s answers whatever stands in one of its arguments",
  async (name, input) => {
    const names = Object.keys(input.properties);
    const fitting = Object.fromEntries(names.filter((one) => one in good).map((one) => [one, good[one]]));
    const problems: string[] = [];
    for (const argument of [...names, "nobody"])
      for (const [what, value] of Object.entries(VALUES)) {
        const problem = await problemWith(name, { ...fitting, [argument]: value });
        if (problem) problems.push(`${argument} ${what}: ${problem}`);
      }
    for (const [what, value] of Object.entries(VALUES)) {
      const problem = await problemWith(name, value);
      if (problem) problems.push(`${what} for all: ${problem}`);
    }
    expect(problems).toEqual([]);
  },
);

test("every step of a hostile recording is told within the bounds", async () => {
  const problems: string[] = [];
  for (const at of Object.keys(Object.values(TEXTS))) {
    const problem = await problemWith("get_step", { trace_id: trace, step: `s${at}` });
    if (problem) problems.push(`s${at}: ${problem}`);
  }
  expect(problems).toEqual([]);
});
