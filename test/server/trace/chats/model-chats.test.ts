import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { CHAT_TOOLS } from "../../../../server/trace/chats/tools/all.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { bundle, events, manifest, uploadForm } from "../../../helpers/bundles.ts";
import { ask, beginChat, readStream, showChat } from "../../../helpers/chats.ts";
import { answer, called, createModelServer, said, usage } from "../../../helpers/model.ts";
import { scratchFolder, startProgram } from "../../../helpers/program.ts";
import { getJson, post, uploadTrace } from "../../../helpers/traces.ts";
import { until } from "../../../helpers/until.ts";

setDefaultTimeout(60_000);

const model = createModelServer();
const DEBUGGER = {
  ...{ base_url: model.baseUrl, model: "tiny", api_key: "key" },
  ...{ budget_cents_per_month: 50, input_cents_per_mtok: 100, output_cents_per_mtok: 400 },
};
const LINES = [
  {
    kind: "agent.action",
    step_id: "open",
    name: "goto",
    title: "Open the shop",
    params: {},
    duration_ms: 20,
  },
  { kind: "console.error", step_id: "pay", text: "Payment failed" },
  {
    kind: "assertion",
    step_id: "pay",
    ok: false,
    message: "Expected Thank you",
    title: "It is paid",
    duration_ms: 10,
  },
]
  .map((one, at) => JSON.stringify({ seq: at + 1, ts: 1_767_323_045_000 + at * 10, ...one }))
  .join("\n");

let on: TestApp;
let url: string;
let trace: string;
beforeAll(async () => {
  on = await testApp({ settings: { debugger: DEBUGGER } });
  url = on.listen();
  trace = (await uploadTrace(on, { entries: [events(LINES)], manifest: { status: "failed" } })).id;
});
afterAll(async () => {
  model.close();
  await on.close();
});
afterEach(() => {
  on.clock.set(on.clock.now() + 32 * 86_400_000);
  on.clock.advance(60_000);
  model.asked.length = 0;
});

/** Asks over a socket, and leaves it to the caller to read. */
const open = (chatId: string, content: string, signal?: AbortSignal) =>
  fetch(`${url}/v1/chats/${chatId}/messages`, {
    method: "POST",
    body: JSON.stringify({ content }),
    headers: { "content-type": "application/json", authorization: `Bearer ${on.apiKey}` },
    ...(signal ? { signal } : {}),
  });

describe("a model's answer", () => {
  test("comes from looks that are written down, names its steps, and is paid from the budget", async () => {
    model.replies((_, count) =>
      count === 1
        ? { chunks: [said("Let me look. "), called("get_cause", {}, "a"), usage(2000, 10)] }
        : {
            chunks: [
              said("It failed at [step 2](step:2)"),
              said(" since payment broke.", "stop"),
              usage(3000, 50),
            ],
          },
    );
    const chat = await beginChat(on, trace);
    expect(chat).toMatchObject({ answers_by: "tiny" });
    expect(chat.messages[0]!.content).toContain("tiny");
    const { text, heard, last } = await ask(on, chat.id, "Why?");
    expect(text).toBe("Let me look. \n\nIt failed at [step 2](step:2) since payment broke.");
    expect(heard.map(({ event }) => event).filter((one) => one !== "token")).toEqual(["tool_call", "done"]);
    expect(last.data.usage).toEqual({ input_tokens: 5000, output_tokens: 60, cents: 0.524, model: "tiny" });
    const kept = await showChat(on, chat.id);
    expect(kept.messages[2]).toMatchObject({
      content: text,
      state: "done",
      model: "tiny",
      cost_cents: 0.524,
      step_ids: ["pay"],
    });
    expect(kept.messages[2]!.tool_calls).toMatchObject([{ name: "get_cause", ok: true, arguments: {} }]);
    expect(kept.budget.spent_cents).toBe(0.524);
    const { debugger_cents } = await getJson<{ debugger_cents: { used: number } }>(on, "/v1/billing/usage");
    expect(debugger_cents.used).toBe(0.524);
    const tool = model.asked[1]!.body.messages.at(-1)!;
    expect(tool).toMatchObject({ role: "tool", tool_call_id: "a" });
    expect(tool.content).toMatch(/^<recorded [0-9a-f-]{36}> get_cause\n\{.*\}\n<\/recorded [0-9a-f-]{36}>$/s);
  });

  test("knows what was said before", async () => {
    model.replies(() => answer("Because of the ledger."));
    const chat = await beginChat(on, trace);
    await ask(on, chat.id, "Why?");
    await ask(on, chat.id, "Are you sure?");
    expect(model.asked[1]!.body.messages.slice(-4).map(({ role, content }) => [role, content])).toEqual([
      ["assistant", expect.stringContaining(chat.messages[0]!.content)],
      ["user", "Why?"],
      ["assistant", "Because of the ledger."],
      ["user", "Are you sure?"],
    ]);
  });

  test("goes on after one that broke off: questions and answers come in turn, and what rules said stands as recorded", async () => {
    const chat = await beginChat(on, trace);
    model.replies(() => ({ status: 500, body: "out of memory" }));
    for (let asked = 0; asked < 7; asked++) await ask(on, chat.id, `Question ${asked}`);
    const { messages } = model.asked.at(-1)!.body;
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      ...Array.from({ length: messages.length - 1 }, (_, at) => (at % 2 === 0 ? "user" : "assistant")),
    ]);
    expect(messages).toContainEqual({ role: "assistant", content: "(This question got no answer.)" });
    model.asked.length = 0;
    model.replies(() => answer("Yes."));
    await ask(on, (await beginChat(on, trace)).id, "Why?");
    const [system, , opening] = model.asked[0]!.body.messages;
    const fence = /between (<recorded [0-9a-f-]{36}>)/.exec(system!.content)![1]!;
    expect(opening!.content.startsWith(`${fence} said by rules\n`)).toBe(true);
  });

  test("may come in broken UTF-8 and in pieces of a letter, and is kept as text", async () => {
    const bytes = Buffer.from(`data: ${JSON.stringify(said("café über"))}\n\n`);
    const at = bytes.indexOf(0xc3) + 1;
    model.replies(() => ({
      chunks: [
        bytes.subarray(0, at),
        bytes.subarray(at),
        Buffer.concat([
          Buffer.from('data: {"choices":[{"delta":{"content":" a'),
          Buffer.from([0xff, 0xc3, 0x28]),
          Buffer.from('b "}}]}\n\n'),
        ]),
        said("end", "stop"),
      ],
    }));
    const chat = await beginChat(on, trace);
    const { text, last } = await ask(on, chat.id, "Why?");
    expect(last.event).toBe("done");
    expect(text).toMatch(/^café über a\ufffd+\(b end$/);
    expect((await showChat(on, chat.id)).messages[2]!.content).toBe(text);
  });

  test.each<[string, ReturnType<typeof called>, string]>([
    ["a tool that is not there", called("delete_trace", { id: "x" }), "not_found"],
    ["arguments that are no JSON", called("get_step", '{"step": 3'), "invalid_request"],
    ["arguments of another form", called("get_step", { step: "three" }), "invalid_request"],
    [
      "another trace",
      called("get_cause", { trace_id: "0190a000-0000-7000-8000-000000000000" }),
      "invalid_request",
    ],
    ["a step that is not there", called("get_step", { step: 99 }), "not_found"],
    ["nothing recorded", called("get_page", { step: 1 }), "not_found"],
  ])("goes on when it asks for %s, which is told and written down", async (_name, call, error) => {
    model.replies((_, count) => (count === 1 ? { chunks: [call] } : answer("I could not see that.")));
    const chat = await beginChat(on, trace);
    const { text } = await ask(on, chat.id, "Look");
    expect(text).toBe("I could not see that.");
    const { messages } = await showChat(on, chat.id);
    expect(messages[2]!.tool_calls).toMatchObject([
      { ok: false, result: { error, message: expect.any(String) } },
    ]);
  });

  test("goes on where a server refuses to hear broken arguments again, and keeps its tools", async () => {
    const isJson = (text: string) => typeof JSON.parse(text) === "object";
    model.replies(({ body }, count) => {
      if (count === 1) return { chunks: [called("get_step", '{"step": 3'), called("get_cause", "", "b")] };
      const calls = body.messages.flatMap(({ tool_calls }) => tool_calls ?? []) as {
        function: { arguments: string };
      }[];
      try {
        for (const { function: of } of calls) if (!isJson(of.arguments)) throw new Error("no object");
      } catch {
        // As llama.cpp says it.
        return { status: 500, body: '{"error":{"message":"Failed to parse tool call arguments as JSON"}}' };
      }
      return answer("Seen.");
    });
    const chat = await beginChat(on, trace);
    expect((await ask(on, chat.id, "Look")).text).toBe("Seen.");
    const { messages } = await showChat(on, chat.id);
    expect(messages[2]!.tool_calls.map(({ ok }) => ok)).toEqual([false, true]);
    expect(model.asked).toHaveLength(2);
    model.replies(() => ({ status: 500, body: "Failed to parse tool call arguments as JSON" }));
    await ask(on, chat.id, "Again");
    model.replies(() => answer("With tools."));
    await ask(on, chat.id, "And again");
    expect(model.asked.at(-1)!.body.tools).toHaveLength(CHAT_TOOLS.length);
  });

  test("ends when it looks again and again", async () => {
    model.replies(() => ({
      chunks: Array.from({ length: 9 }, (_, at) => called("get_cause", {}, `c${at}`)),
    }));
    const chat = await beginChat(on, trace);
    const { last, looks } = await ask(on, chat.id, "Loop");
    expect(last).toMatchObject({
      event: "error",
      data: { error: "unavailable", message: expect.stringContaining("again and again") },
    });
    expect(model.asked).toHaveLength(8);
    expect(model.asked[7]!.body.tools).toBeUndefined();
    expect(looks.length).toBeLessThanOrEqual(64);
    expect(
      (await showChat(on, chat.id)).messages[2]!.tool_calls.filter(({ ok }) => ok).length,
    ).toBeLessThanOrEqual(24);
  });

  test("is given up after eight minutes, however lively it is", async () => {
    model.replies(() => {
      on.clock.advance(100_000);
      return { chunks: [called("get_cause", {})] };
    });
    const chat = await beginChat(on, trace);
    const { last, looks } = await ask(on, chat.id, "Slowly");
    expect(last.data.message).toContain("eight minutes");
    expect(looks.length).toBeLessThan(6);
    expect((await showChat(on, chat.id)).messages[2]!.state).toBe("failed");
  });

  test("that breaks off keeps what was said, says that it failed, and the chat goes on", async () => {
    model.replies(() => ({ chunks: [said("It was the "), { error: { message: "out of memory" } }] }));
    const chat = await beginChat(on, trace);
    const { last } = await ask(on, chat.id, "Why?");
    expect(last).toMatchObject({ event: "error", data: { error: "unavailable" } });
    expect((await showChat(on, chat.id)).messages[2]).toMatchObject({
      content: "It was the ",
      state: "failed",
    });
    model.replies(() => answer("Better now."));
    expect((await ask(on, chat.id, "Again?")).text).toBe("Better now.");
  });
});

describe("an answer that is under way", () => {
  test("is the only one of its chat: a second question is 409", async () => {
    model.replies(() => ({ chunks: [said("Wait ")], ending: "stall" }));
    const chat = await beginChat(on, trace);
    const leave = new AbortController();
    const first = await open(chat.id, "Why?", leave.signal);
    expect(first.status).toBe(200);
    const second = await open(chat.id, "And?");
    expect([second.status, ((await second.json()) as { error: string }).error]).toEqual([409, "conflict"]);
    leave.abort();
    await until("the first is cut", async () => (await showChat(on, chat.id)).messages[2]!.state === "cut");
  });

  test("is won by one of two who ask at the same moment, and the other's question costs nothing", async () => {
    model.replies(() => answer("Once."));
    const chat = await beginChat(on, trace);
    const both = await Promise.all([open(chat.id, "One?"), open(chat.id, "Two?")]);
    await Promise.all(both.map((one) => one.text()));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { messages, budget } = await showChat(on, chat.id);
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "user", "assistant"]);
    expect(budget.spent_cents).toBe(messages[2]!.cost_cents);
  });

  test("ends when its reader leaves: what was said stays, it says that it was cut, and the model is left", async () => {
    model.replies(() => ({ chunks: [said("Half of "), said("it ")], ending: "stall" }));
    const chat = await beginChat(on, trace);
    const leave = new AbortController();
    const response = await open(chat.id, "Why?", leave.signal);
    const reader = response.body!.getReader();
    let heard = "";
    while (!heard.includes("it ")) heard += new TextDecoder().decode((await reader.read()).value);
    leave.abort();
    await until("it is cut", async () => (await showChat(on, chat.id)).messages[2]!.state === "cut");
    await until("the model notices", () => model.asked[0]!.signal.aborted);
    const { messages, budget } = await showChat(on, chat.id);
    expect(messages[2]).toMatchObject({ content: "Half of it ", state: "cut" });
    expect(messages[2]!.cost_cents).toBeGreaterThan(0);
    expect(budget.spent_cents).toBe(messages[2]!.cost_cents);
  });

  test("ends with its chat when that is removed", async () => {
    model.replies(() => ({ chunks: [said("Half ")], ending: "stall" }));
    const chat = await beginChat(on, trace);
    const response = await open(chat.id, "Why?");
    await until("the model is asked", () => model.asked.length === 1);
    expect((await on.api(`/v1/chats/${chat.id}`, { method: "DELETE" })).status).toBe(204);
    on.clock.advance(121_000);
    const heard = readStream(await response.text());
    expect(heard.at(-1)).toMatchObject({ event: "error", data: { error: "not_found" } });
  });

  test("ends when its trace is deleted: nothing of it stays", async () => {
    const entries = [events(LINES)];
    const { id } = await uploadTrace(on, { slug: "gone", entries, manifest: { status: "failed" } });
    model.replies(async (_, count) => {
      if (count === 1) {
        expect((await on.api(`/v1/traces/${id}?force=1`, { method: "DELETE" })).status).toBe(204);
        return { chunks: [said("Half "), called("get_cause", {})] };
      }
      return answer("Whole.");
    });
    const chat = await beginChat(on, id);
    const { last } = await ask(on, chat.id, "Why?");
    expect(last).toMatchObject({ event: "error", data: { error: "not_found" } });
    expect((await on.api(`/v1/chats/${chat.id}`)).status).toBe(404);
    expect((await post(on, `/v1/chats/${chat.id}/messages`, { content: "And?" })).status).toBe(404);
  });

  test("of a server that is killed says after the next start that it was cut, with what was said", async () => {
    const scratch = scratchFolder();
    const data = scratch.at("data");
    await Bun.write(`${data}/settings.json`, JSON.stringify({ debugger: DEBUGGER }));
    let looked = false;
    model.replies((_, count) => {
      looked = count > 1;
      return count === 1
        ? { chunks: [said("Half "), called("get_cause", {})] }
        : { chunks: [], ending: "stall" };
    });
    let server = await startProgram(data);
    try {
      const body = uploadForm(bundle([manifest(), events(LINES)]));
      const uploaded = await server.api("/v1/traces/ingest", { method: "POST", body });
      const { trace_id } = (await uploaded.json()) as { trace_id: string };
      const json = { method: "POST", headers: { "content-type": "application/json" } };
      const made = await server.api(`/v1/traces/${trace_id}/chats`, { ...json, body: "{}" });
      const chat = (await made.json()) as { id: string };
      const asking = server.api(`/v1/chats/${chat.id}/messages`, { ...json, body: '{"content":"Why?"}' });
      await until("it has looked", () => looked);
      await server.stop("SIGKILL");
      await asking.then((response) => response.text()).catch(() => null);
      server = await startProgram(data);
      const after = (await (await server.api(`/v1/chats/${chat.id}`)).json()) as Awaited<
        ReturnType<typeof showChat>
      >;
      expect(after.messages[1]).toMatchObject({ role: "user", content: "Why?", state: "done" });
      expect(after.messages[2]).toMatchObject({
        content: "Half ",
        state: "cut",
        tool_calls: [{ name: "get_cause", ok: true }],
      });
      model.replies(() => answer("Whole."));
      const again = await server.api(`/v1/chats/${chat.id}/messages`, {
        ...json,
        body: '{"content":"Again?"}',
      });
      expect(readStream(await again.text()).at(-1)!.event).toBe("done");
    } finally {
      await server.stop("SIGKILL");
      scratch.remove();
    }
  }, 60_000);
});

test("a budget that does not suffice is 429 before anything is asked or written, and says when it begins anew", async () => {
  model.replies(() => answer("Expensive.", [450_000, 10]));
  const chat = await beginChat(on, trace);
  for (let asked = 0; asked < 200; asked++) {
    on.clock.advance(1_000);
    const before = model.asked.length;
    const response = await post(on, `/v1/chats/${chat.id}/messages`, { content: "Why?" });
    if (response.status === 200) {
      await response.text();
      continue;
    }
    expect(response.status).toBe(429);
    expect(((await response.json()) as { error: string }).error).toBe("budget_exhausted");
    const { budget, messages } = await showChat(on, chat.id);
    expect(response.headers.get("retry-after")).toBe(
      String(Math.ceil((Date.parse(budget.resets_at) - on.clock.now()) / 1000)),
    );
    expect(budget.spent_cents).toBeLessThanOrEqual(50);
    expect(messages.length % 2).toBe(1);
    expect(model.asked.length).toBe(before);
    return;
  }
  throw new Error("The budget never ended.");
});
