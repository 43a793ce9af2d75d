import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { askModel, complete, reserveFor } from "../../../../server/trace/language-model/ask.ts";
import { reserve, settle, showBudget } from "../../../../server/trace/language-model/budget.ts";
import { createModelHabits } from "../../../../server/trace/language-model/endpoint.ts";
import type { ModelQuestion } from "../../../../server/trace/language-model/types.ts";
import { createTestClock, type TestApp, testApp } from "../../../helpers/app.ts";
import { answer, called, createModelServer, type Reply, said, usage } from "../../../helpers/model.ts";
import { getJson, otherOrg } from "../../../helpers/traces.ts";
import { until } from "../../../helpers/until.ts";

const START = Date.parse("2026-03-10T12:00:00.000Z");
const clock = createTestClock(START);
const model = createModelServer();
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    clock,
    settings: {
      debugger: {
        ...{ base_url: `${model.baseUrl}/`, model: "tiny", api_key: "sk-very-secret" },
        ...{ budget_cents_per_month: 10, input_cents_per_mtok: 100, output_cents_per_mtok: 400 },
      },
    },
  });
});
afterAll(async () => {
  model.close();
  await app.close();
});

/** Each sentence begins in a month of its own, so with the whole budget, before an endpoint that nothing is known of. */
afterEach(() => {
  clock.set(clock.now() + 32 * 86_400_000);
  Object.assign(app.deps.traceState.modelHabits, createModelHabits());
  model.asked.length = 0;
});

const QUESTION: ModelQuestion = {
  messages: [
    { role: "system", content: "You answer." },
    { role: "user", content: "Why?" },
  ],
  tools: [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }],
  maxOutputTokens: 500,
};
const never = new AbortController().signal;
const spent = async () => (await showBudget(app.deps, app.orgId)).spent_cents;

async function ask(reply: Reply, question: ModelQuestion = QUESTION) {
  model.replies(() => reply);
  const heard: string[] = [];
  const given = await askModel(app.deps, await reserveFor(app.deps, app.orgId, question), question, {
    signal: never,
    onText: (text) => heard.push(text),
  });
  return { ...given, heard };
}
const failing = (reply: Reply, question = QUESTION) =>
  ask(reply, question).then(
    () => null,
    (error: { kind: string; message: string }) => error,
  );

describe("a question to the model", () => {
  test("is sent with model, key, tools and limit, and its text is heard as it comes", async () => {
    const {
      text,
      heard,
      usage: cost,
    } = await ask({
      chunks: [said("It "), said("broke"), said(".", "stop"), usage(1000, 50)],
    });
    expect({ text, heard }).toEqual({ text: "It broke.", heard: ["It ", "broke", "."] });
    expect(cost).toEqual({ inputTokens: 1000, outputTokens: 50, microcents: 120_000, isEstimated: false });
    const { headers, body } = model.asked[0]!;
    expect(headers.authorization).toBe("Bearer sk-very-secret");
    expect(body).toMatchObject({ model: "tiny", stream: true, max_tokens: 500 });
    expect(body.tools?.[0]?.function.name).toBe("look");
  });

  test.each<[string, (object | string)[]]>([
    [
      "in pieces, as OpenAI, vLLM and LM Studio send it",
      [
        piece([{ index: 0, id: "a", type: "function", function: { name: "look", arguments: "" } }]),
        piece([{ index: 0, function: { arguments: '{"at"' } }]),
        piece([{ index: 0, function: { arguments: ":3}" } }]),
        piece([{ index: 1, id: "b", function: { name: "look", arguments: '{"at":4}' } }], "tool_calls"),
      ],
    ],
    [
      "whole, both with index 0 and finished by stop, as Ollama sends it",
      [
        piece([{ index: 0, id: "a", function: { name: "look", arguments: '{"at":3}' } }]),
        piece([{ index: 0, id: "b", function: { name: "look", arguments: '{"at":4}' } }]),
        said("", "stop"),
      ],
    ],
    [
      "whole and without index, as Gemini sends it",
      [
        piece(
          [
            { id: "a", function: { name: "look", arguments: '{"at":3}' } },
            { id: "b", function: { name: "look", arguments: '{"at":4}' } },
          ],
          "stop",
        ),
      ],
    ],
    [
      "with arguments that are no text",
      [
        piece([{ index: 0, id: "a", function: { name: "look", arguments: { at: 3 } } }]),
        piece([{ index: 1, id: "b", function: { name: "look", arguments: { at: 4 } } }], "tool_calls"),
      ],
    ],
    [
      "with the id and the name repeated in each piece",
      [
        piece([{ index: 0, id: "a", function: { name: "look", arguments: '{"at"' } }]),
        piece([{ index: 0, id: "a", function: { name: "look", arguments: ":3}" } }]),
        piece([{ index: 1, id: "b", function: { name: "look", arguments: '{"at":4}' } }], "tool_calls"),
      ],
    ],
  ])("is answered with calls of tools %s", async (_name, chunks) => {
    const { toolCalls } = await ask({ chunks });
    expect(toolCalls).toEqual([
      { id: "a", name: "look", arguments: '{"at":3}' },
      { id: "b", name: "look", arguments: '{"at":4}' },
    ]);
  });

  test("may be answered without ids, in parts, without a reason to finish, or as one JSON document", async () => {
    expect(
      (await ask({ chunks: [piece([{ function: { name: "look", arguments: "{}" } }])] })).toolCalls,
    ).toEqual([{ id: "call_0", name: "look", arguments: "{}" }]);
    const parts = {
      choices: [
        {
          delta: {
            content: [
              { type: "text", text: "In " },
              { type: "text", text: "parts." },
            ],
          },
        },
      ],
    };
    expect((await ask({ chunks: [": a comment\n\n", parts] })).text).toBe("In parts.");
    const whole = {
      choices: [{ message: { content: "At once." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    };
    const { text, heard } = await ask({
      status: 200,
      body: JSON.stringify(whole),
      headers: { "content-type": "application/json" },
    });
    expect({ text, heard }).toEqual({ text: "At once.", heard: ["At once."] });
  });

  test("is answered without what the model thought aloud", async () => {
    const { text, heard } = await ask({
      chunks: [said("<th"), said("ink>Hm, <b>"), said("</thi"), said("nk>\n\nBecause."), said("", "stop")],
    });
    expect({ text, heard: heard.join("") }).toEqual({ text: "Because.", heard: "Because." });
    expect((await ask({ chunks: [said("<t"), said("able> is an element", "stop")] })).text).toBe(
      "<table> is an element",
    );
  });

  test("leaves out what the endpoint does not take, and remembers that", async () => {
    const refuse = (message: string): Reply => ({
      status: 400,
      body: JSON.stringify({ error: { message } }),
    });
    model.replies(({ body }) => {
      if ("max_tokens" in body)
        return refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
      if ("stream_options" in body) return refuse("unknown field stream_options");
      if (body.tools) return refuse("registry.ollama.ai/library/tiny does not support tools");
      return answer("Fine.");
    });
    const once = await complete(app.deps, app.orgId, QUESTION, never);
    expect({ text: once.text, asked: model.asked.length }).toEqual({ text: "Fine.", asked: 4 });
    await complete(app.deps, app.orgId, QUESTION, never);
    expect(model.asked).toHaveLength(5);
    expect(model.asked[4]!.body.max_completion_tokens).toBe(500);
  });
});

describe("a model that fails", () => {
  test.each<[string, Reply, string, RegExp]>([
    [
      "does not take the key",
      { status: 401, body: '{"error":{"message":"Incorrect API key: sk-very-secret"}}' },
      "refused",
      /does not take the key/,
    ],
    [
      "redirects",
      { status: 302, body: "", headers: { location: "http://127.0.0.1:1/steal" } },
      "refused",
      /redirects/,
    ],
    [
      "breaks off with an error in the stream",
      { chunks: [said("Half"), { error: { message: "out of memory" } }] },
      "refused",
      /error/,
    ],
    [
      "sends an event that is an error",
      { chunks: [said("Half"), 'event: error\ndata: {"message":"overloaded"}\n\n'] },
      "refused",
      /error/,
    ],
    [
      "sends a field that is an error",
      { chunks: [said("Half"), 'error: {"code":500}\n\n'] },
      "refused",
      /error/,
    ],
    ["ends early", { chunks: [said("Half")], ending: "close" }, "ended_early", /ended in the middle/],
    ["breaks the connection", { chunks: [said("Half")], ending: "break" }, "", /./],
    ["says what is no JSON", { chunks: ["data: <html>\n\n"] }, "unreadable", /no JSON/],
    ["says JSON that is no answer", { chunks: ["data: 7\n\n"] }, "unreadable", /understood/],
    [
      "does not stop",
      { chunks: Array.from({ length: 90 }, () => said("x".repeat(100))) },
      "too_long",
      /longer/,
    ],
    [
      "calls tools without end",
      { chunks: Array.from({ length: 40 }, (_, at) => called("look", {}, `c${at}`)) },
      "too_long",
      /tools at once/,
    ],
    [
      "writes arguments without end",
      {
        chunks: Array.from({ length: 40 }, () =>
          piece([{ index: 0, id: "a", function: { name: "look", arguments: "x".repeat(5000) } }]),
        ),
      },
      "too_long",
      /endless/,
    ],
  ])("is told apart when it %s", async (_name, reply, kind, message) => {
    const error = await failing(reply);
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain("sk-very");
    if (kind !== "") expect(error?.kind).toBe(kind);
    expect(app.logged.join("")).not.toContain("sk-very-secret");
  });

  test("is given up when nothing comes for two minutes", async () => {
    model.replies(() => ({ chunks: [said("Half")], ending: "stall" }));
    const heard: string[] = [];
    const reservation = await reserveFor(app.deps, app.orgId, QUESTION);
    const asked = askModel(app.deps, reservation, QUESTION, {
      signal: never,
      onText: (text) => heard.push(text),
    });
    const failed = asked.then(
      () => null,
      (error: { kind: string }) => error.kind,
    );
    await until("the first half is heard", () => heard.length === 1);
    clock.advance(119_000);
    clock.advance(2_000);
    expect(await failed).toBe("stalled");
    expect(await spent()).toBeGreaterThan(0);
  });

  test("is left when whoever asked leaves, and the endpoint notices", async () => {
    model.replies(() => ({ chunks: [said("Half")], ending: "stall" }));
    const leaves = new AbortController();
    const reservation = await reserveFor(app.deps, app.orgId, QUESTION);
    const asked = askModel(app.deps, reservation, QUESTION, {
      signal: leaves.signal,
      onText: () => leaves.abort(),
    });
    await expect(asked).rejects.toThrow("abort");
    await until("the endpoint notices", () => model.asked[0]!.signal.aborted);
  });

  test("that cannot be reached costs nothing", async () => {
    const { debugger: settings } = app.deps.config.settings;
    const gone = {
      ...app.deps,
      config: {
        ...app.deps.config,
        settings: {
          ...app.deps.config.settings,
          debugger: { ...settings, base_url: "http://127.0.0.1:1/v1" },
        },
      },
    };
    await expect(complete(gone, app.orgId, QUESTION, never)).rejects.toMatchObject({ kind: "unreachable" });
    expect(await spent()).toBe(0);
  });
});

describe("the budget", () => {
  test("counts what the endpoint says, in the month of the question, and billing tells it", async () => {
    await ask({ chunks: [said("Yes.", "stop"), usage(1000, 50)] });
    expect(await spent()).toBe(0.12);
    const { debugger_cents } = await getJson<{ debugger_cents: object }>(app, "/v1/billing/usage");
    expect(debugger_cents).toEqual({ used: 0.12, limit: 10 });
  });

  test.each<[string, [unknown, unknown] | null]>([
    ["nothing", null],
    ["less than none", [-5, -1]],
    ["what is no number", ["1000", null]],
    ["none, though text came", [0, 0]],
    ["fractions", [0.5, 0.1]],
  ])("estimates upward when the endpoint says %s", async (_name, told) => {
    const { usage: cost } = await ask({
      chunks: [said("Four letters and more.", "stop"), ...(told ? [usage(...told)] : [])],
    });
    expect(cost.isEstimated).toBe(true);
    expect(cost.outputTokens).toBe(11);
    expect(cost.inputTokens).toBeGreaterThan(100);
  });

  test("counts what a model thought before it answered, though nobody reads that", async () => {
    const thought = "a thought ".repeat(40);
    const inField = { choices: [{ index: 0, delta: { reasoning_content: thought } }] };
    for (const chunks of [
      [said("<thi"), said(`nk>${thought.slice(0, 99)}`), said(`${thought.slice(99)}</think>Yes.`, "stop")],
      [inField, said("Yes.", "stop")],
    ]) {
      const { text, usage: cost } = await ask({ chunks });
      expect(text).toBe("Yes.");
      expect(cost.outputTokens).toBeGreaterThan(200);
      expect(cost.outputTokens).toBeLessThan(215);
    }
  });

  test("never counts more for a question than was kept back for it, whatever the endpoint claims", async () => {
    const { microcents } = await reserveFor(app.deps, app.orgId, QUESTION);
    const { usage: cost } = await ask({ chunks: [said("Yes.", "stop"), usage(1e15, 1e15)] });
    expect(cost.microcents).toBe(microcents);
  });

  test("is not passed by two at once, and says when it begins anew", async () => {
    const size = { bytes: 35_000, messages: 0, maxOutputTokens: 4_000 };
    const both = await Promise.allSettled([
      reserve(app.deps, app.orgId, size),
      reserve(app.deps, app.orgId, size),
      reserve(app.deps, app.orgId, size),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    const refused = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    const { resets_at } = await showBudget(app.deps, app.orgId);
    expect(refused.reason).toMatchObject({
      kind: "budget_exhausted",
      status: 429,
      headers: { "retry-after": String((Date.parse(resets_at) - clock.now()) / 1000) },
    });
    expect(resets_at.slice(7)).toBe("-01T00:00:00.000Z");
    const kept = both.find(({ status }) => status === "fulfilled") as PromiseFulfilledResult<
      Awaited<ReturnType<typeof reserve>>
    >;
    await settle(app.deps, kept.value, 1_000_000);
    expect(await spent()).toBe(1);
    await reserve(app.deps, app.orgId, size);
  });

  test("of another org and of the next month is another one", async () => {
    await reserve(app.deps, app.orgId, { bytes: 99_000, messages: 0, maxOutputTokens: 0 });
    await expect(
      reserve(app.deps, app.orgId, { bytes: 9_000, messages: 0, maxOutputTokens: 0 }),
    ).rejects.toThrow("budget");
    await reserve(app.deps, (await otherOrg(app)).orgId, { bytes: 99_000, messages: 0, maxOutputTokens: 0 });
    clock.set(clock.now() + 32 * 86_400_000);
    await reserve(app.deps, app.orgId, { bytes: 99_000, messages: 0, maxOutputTokens: 0 });
  });
});

function piece(tool_calls: object[], finish: string | null = null) {
  return { choices: [{ index: 0, delta: { tool_calls }, finish_reason: finish }] };
}
