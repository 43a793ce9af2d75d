import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { events } from "../../../helpers/bundles.ts";
import { ask, beginChat, type ChatJson, showChat } from "../../../helpers/chats.ts";
import { statement } from "../../../helpers/statement.ts";
import { getJson, otherOrg, post, uploadTrace } from "../../../helpers/traces.ts";

setDefaultTimeout(60_000);

const START = Date.parse("2026-03-01T11:00:00.000Z");
let on: TestApp;
let pass: string;
let failure: string;

/** A shop whose payment fails, or does not. */
function shop(isFailed: boolean, { handled }: { handled?: "fulfilled" } = {}) {
  const pay = { request_id: "r1", method: "POST", url: "http://shop.example/api/pay" };
  // An answer need not say what was asked.
  const { method: _, ...paid } = pay;
  const list = [
    {
      kind: "agent.action",
      step_id: "open",
      name: "goto",
      title: "Open the shop",
      params: {},
      duration_ms: 20,
    },
    {
      kind: "network.request",
      request_id: "r0",
      method: "GET",
      url: "http://shop.example/api/cart",
      headers: [],
    },
    {
      kind: "network.response",
      request_id: "r0",
      url: "http://shop.example/api/cart",
      status: 200,
      headers: [],
      body: '{"items":1}',
      duration_ms: 3,
    },
    {
      kind: "agent.action",
      step_id: "pay",
      name: "click",
      title: "Click Pay",
      params: { selector: "#pay" },
      duration_ms: 40,
    },
    {
      kind: "network.request",
      ...pay,
      headers: [{ name: "authorization", value: "Bearer abcdefghijklmnop" }],
      body: '{"card":"4242","password":"hunter2hunter2"}',
    },
    {
      kind: "network.response",
      ...paid,
      status: isFailed ? 500 : 200,
      ...(handled && { handled }),
      headers: [],
      duration_ms: 9,
      body: isFailed ? '{"error":"ledger unavailable","token":"tok_live_1234567890"}' : '{"ok":true}',
    },
    ...(isFailed
      ? [{ kind: "console.error", step_id: "pay", text: "Payment failed: ledger unavailable" }]
      : []),
    {
      kind: "dom.snapshot",
      step_id: "paid",
      url: "http://shop.example/pay",
      html: `<main><h1>${isFailed ? "Payment failed" : "Thank you"}</h1><button>Pay</button></main>`,
    },
    {
      kind: "assertion",
      step_id: "paid",
      ok: !isFailed,
      message: isFailed ? "Expected heading Thank you" : "paid",
      title: "It is paid",
      duration_ms: 10,
    },
  ];
  return events(
    list.map((one, at) => JSON.stringify({ seq: at + 1, ts: START + at * 10, ...one })).join("\n"),
  );
}

const upload = async (slug: string, isFailed: boolean, sha: string) => {
  on.clock.advance(60_000);
  return (
    await uploadTrace(on, {
      slug,
      entries: [shop(isFailed)],
      manifest: { status: isFailed ? "failed" : "passed", code_sha: sha },
    })
  ).id;
};

beforeAll(async () => {
  on = await testApp();
  pass = await upload("shop", false, "aaaaaaa1111111111111111111111111111111aa");
  failure = await upload("shop", true, "bbbbbbb2222222222222222222222222222222bb");
});
afterAll(() => on.close());

test("an answer that the test gave by a route of its own is not blamed on a server", async () => {
  on.clock.advance(60_000);
  const entries = [shop(true, { handled: "fulfilled" })];
  const { id } = await uploadTrace(on, { slug: "mocked", entries, manifest: { status: "failed" } });
  const chat = await beginChat(on, id);
  const { text } = await ask(on, chat.id, "What should I change?");
  expect(text).toContain("The test itself gave this answer.");
  expect(text).toContain("It may be the application or the test.");
  expect(text).toContain("No server was asked");
  expect(text).not.toContain("server's side");
  const real = await beginChat(on, failure);
  expect((await ask(on, real.id, "What should I change?")).text).toContain("server's side");
});

describe("a chat", () => {
  test("begins with what is known, says who answers, and tells its budget", async () => {
    const chat = await beginChat(on, failure);
    expect(chat).toMatchObject({
      trace_id: failure,
      answers_by: null,
      budget: { limit_cents: 500, spent_cents: 0, resets_at: "2026-04-01T00:00:00.000Z" },
    });
    const [first] = chat.messages;
    expect(first).toMatchObject({
      role: "assistant",
      state: "done",
      model: null,
      tool_calls: [],
      step_ids: ["paid"],
    });
    expect(first!.content).toContain("/api/pay");
    expect(first!.content).toContain("not a language model");
    expect(first!.content).toContain("](step:3)");
    expect(chat.suggestions).toContain("Why did it fail?");
    expect(chat).toEqual(await showChat(on, chat.id));
  });

  test("of a pass says that there is nothing to explain", async () => {
    expect((await beginChat(on, pass)).messages[0]!.content).toContain("This run passed");
  });

  test("is listed with its trace, newest first, and can be removed with all that was said", async () => {
    const id = await upload("listed", true, "c");
    const one = await beginChat(on, id);
    on.clock.advance(1_000);
    const titled = (await (await post(on, `/v1/traces/${id}/chats`, { title: "Mine" })).json()) as ChatJson;
    await ask(on, one.id, "Is it flaky?");
    const { items } = await getJson<{ items: { id: string; title: string; message_count: number }[] }>(
      on,
      `/v1/traces/${id}/chats`,
    );
    expect(items.map(({ id: of, title, message_count }) => [of, title, message_count])).toEqual([
      [titled.id, "Mine", 1],
      [one.id, "Is it flaky?", 3],
    ]);
    expect((await on.api(`/v1/chats/${one.id}`, { method: "DELETE" })).status).toBe(204);
    expect((await on.api(`/v1/chats/${one.id}`)).status).toBe(404);
    const { items: entries } = await getJson<{ items: { action: string; target: string }[] }>(
      on,
      "/v1/audit-events?limit=10",
    );
    expect(entries.filter(({ target }) => target === one.id).map(({ action }) => action)).toEqual([
      "chat.remove",
      "chat.ask",
      "chat.create",
    ]);
  });

  test("is the org's own: another one neither reads nor asks nor removes it", async () => {
    const chat = await beginChat(on, failure);
    const { api } = await otherOrg(on);
    const calls: [string, RequestInit][] = [
      [`/v1/traces/${failure}/chats`, { method: "POST", body: "{}" }],
      [`/v1/traces/${failure}/chats`, {}],
      [`/v1/chats/${chat.id}`, {}],
      [`/v1/chats/${chat.id}/messages`, { method: "POST", body: '{"content":"why?"}' }],
      [`/v1/chats/${chat.id}`, { method: "DELETE" }],
    ];
    for (const [path, init] of calls) {
      const response = await api(path, { ...init, headers: { "content-type": "application/json" } });
      expect([path, response.status, ((await response.json()) as { error: string }).error]).toEqual([
        path,
        403,
        "wrong_org",
      ]);
    }
    expect((await showChat(on, chat.id)).messages).toHaveLength(1);
  });

  test("needs traces:read or mcp:debug, either of them", async () => {
    for (const [scopes, status] of [
      [["traces:read"], 200],
      [["mcp:debug"], 200],
      [["runs:write"], 403],
    ] as const) {
      const key = (await (await post(on, "/v1/api-keys", { name: scopes[0], scopes })).json()) as {
        key: string;
      };
      const response = await post(
        on,
        `/v1/traces/${failure}/chats`,
        {},
        { authorization: `Bearer ${key.key}` },
      );
      expect([scopes[0], response.status]).toEqual([scopes[0], status]);
    }
  });

  test("answers nothing while a secret of the org cannot be read, and says which", async () => {
    const chat = await beginChat(on, pass);
    const kept = await on.api("/v1/secrets/BROKEN", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ value: "abcdefgh" }),
    });
    expect(kept.status).toBeLessThan(300);
    await statement(on.store, "UPDATE secrets SET sealed = zeroblob(40) WHERE name = 'BROKEN'");
    const response = await post(on, `/v1/chats/${chat.id}/messages`, { content: "Why did it fail?" });
    await on.api("/v1/secrets/BROKEN", { method: "DELETE" });
    expect(response.status).toBe(503);
    const told = (await response.json()) as { error: string; message: string };
    expect([told.error, told.message]).toEqual([
      "unavailable",
      expect.stringContaining("The secret BROKEN cannot be decrypted"),
    ]);
    expect((await showChat(on, chat.id)).messages).toHaveLength(1);
  });

  test.each<[string, unknown, RegExp]>([
    ["nothing", {}, /content/],
    ["spaces alone", { content: "  \n " }, /content/],
    ["more than fits", { content: "x".repeat(8_001) }, /content/],
    ["a field nobody knows", { content: "why?", model: "gpt" }, /model/],
  ])("refuses %s in words, and keeps nothing of it", async (_name, body, says) => {
    const chat = await beginChat(on, pass);
    const response = await post(on, `/v1/chats/${chat.id}/messages`, body);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { message: string }).message).toMatch(says);
    expect((await showChat(on, chat.id)).messages).toHaveLength(1);
  });

  test("has an end, and a trace has at most a hundred of them", async () => {
    const id = await upload("many", true, "d");
    const chat = await beginChat(on, id);
    for (let asked = 0; asked < 50; asked++) await ask(on, chat.id, "help");
    const refused = await post(on, `/v1/chats/${chat.id}/messages`, { content: "one more" });
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([409, "conflict"]);
    on.clock.advance(60_000);
    for (let at = 1; at < 100; at++) {
      if (at % 60 === 0) on.clock.advance(60_000);
      await beginChat(on, id);
    }
    on.clock.advance(60_000);
    expect((await post(on, `/v1/traces/${id}/chats`, {})).status).toBe(409);
  }, 60_000);
});

describe("the built-in analyst", () => {
  test.each<[string, string[], RegExp[]]>([
    ["Why did it fail?", ["get_cause"], [/api\/pay/, /500/, /\]\(step:3\)/, /How sure/]],
    ["Since when does it fail?", ["get_history"], [/fails since/, /bbbbbbb2222/, /aaaaaaa1111/]],
    ["What differs from the last pass?", ["compare_with_last_pass"], [/first went another way/, /api\/pay/]],
    [
      "Which requests failed?",
      ["list_requests"],
      [/\*\*1 of 2 requests/, /\[POST shop\.example\/api\/pay\]/, /\]\(event:6\)/, /ledger unavailable/],
    ],
    ["What did the page show?", ["get_page"], [/Payment failed/, /shop\.example\/pay/]],
    ["Is it flaky?", ["get_history"], [/no commit ran twice/, /this run/]],
    ["How do I reproduce it?", ["get_history", "list_steps"], [/git checkout bbbbbbb/, /Click Pay/]],
    ["What should I change?", ["get_cause"], [/the application, not the test/]],
    ["What were the steps?", ["list_steps"], [/3 steps/, /Open the shop/, /slowest/i]],
    ["Tell me about step 2", ["get_step"], [/Click Pay/, /POST shop\.example\/api\/pay/]],
    ["What is in the console?", ["get_console"], [/1 error or warning/, /ledger unavailable/]],
    ["What did /api/cart answer?", ["list_requests", "get_request"], [/items/]],
    ['Where does "ledger" appear?', ["search"], [/stands in/, /\]\(event:/]],
    ["Which commit is this?", ["get_environment"], [/bbbbbbb2222/]],
  ])("answers %s", async (question, looked, says) => {
    const chat = await beginChat(on, failure);
    const { heard, text, last, looks } = await ask(on, chat.id, question);
    for (const one of says) expect(text).toMatch(one);
    for (const name of looked) expect(looks).toContain(name);
    expect(last).toEqual({
      event: "done",
      data: {
        message_id: expect.any(String),
        usage: { input_tokens: 0, output_tokens: 0, cents: 0, model: null },
      },
    });
    const { messages } = await showChat(on, chat.id);
    expect(messages).toHaveLength(3);
    expect(messages[1]).toMatchObject({ role: "user", content: question });
    expect(messages[2]).toMatchObject({
      id: last.data.message_id,
      role: "assistant",
      content: text,
      state: "done",
      model: null,
      cost_cents: 0,
    });
    expect(messages[2]!.tool_calls as object[]).toEqual(
      heard.filter(({ event }) => event === "tool_call").map(({ data }) => data),
    );
  });

  test("answers several questions at once, misspelt ones and German ones, and says which it leaves", async () => {
    const chat = await beginChat(on, failure);
    const { text, looks } = await ask(
      on,
      chat.id,
      "Warum ist es fehlgeschlagen? And whcih requsts failed? What will the weather be?",
    );
    expect(looks).toEqual(expect.arrayContaining(["get_cause", "list_requests"]));
    expect(text).toMatch(/^### Warum ist es fehlgeschlagen\?\n\n\*\*.*api\/pay/);
    expect(text).toMatch(/\n\n### And whcih requsts failed\?\n\n\*\*1 of 2 requests/);
    expect(text).toContain("Not answered: “What will the weather be?”");
  });

  test("changes nothing when it is told to, and says so", async () => {
    const chat = await beginChat(on, failure);
    const { text, looks } = await ask(on, chat.id, "delete this trace");
    expect(text).toContain("I only read");
    expect(looks).toEqual([]);
    expect((await on.api(`/v1/traces/${failure}`)).status).toBe(200);
  });

  test("shows where a word of a question stands that it does not understand", async () => {
    const chat = await beginChat(on, failure);
    const { text } = await ask(on, chat.id, "the ledger again, really");
    expect(text).toContain("I cannot answer that");
    expect(text).toMatch(/“ledger” stands in \d places/);
    expect(text).toMatch(/\]\(event:6\)/);
  });

  test("of a pass shows its last page, and has neither a failure nor advice", async () => {
    const chat = await beginChat(on, pass);
    expect((await ask(on, chat.id, "What did the page show?")).text).toContain("Thank you");
    for (const question of ["Why did it fail?", "What should I change?"])
      expect((await ask(on, chat.id, question)).text).toBe(
        "**This run passed:** there is no failure to explain.",
      );
    expect((await ask(on, chat.id, "Since when?")).text).toContain("It does not fail");
    expect((await ask(on, chat.id, "Is it flaky?")).text).toContain("the only run");
  });

  test("without a single step says what there is, and invents nothing", async () => {
    const one = { seq: 1, ts: START, kind: "console.log", text: "hello" };
    on.clock.advance(60_000);
    const entries = [events(JSON.stringify(one))];
    const { id } = await uploadTrace(on, { slug: "stepless", entries, manifest: { status: "failed" } });
    const chat = await beginChat(on, id);
    const texts: string[] = [];
    for (const question of chat.suggestions) texts.push((await ask(on, chat.id, question)).text);
    texts.push((await ask(on, chat.id, "What were the steps?")).text);
    expect(texts.join("\n")).not.toMatch(/undefined|NaN|\bnull\b|\[step|\]\(step:/);
    expect(texts[0]!.match(/no recorded event says why/g)).toHaveLength(1);
    expect(texts.at(-1)).toContain("0 steps");
  });

  test("says of a long run what it did not look at", async () => {
    const of = { headers: [], url: "http://shop.example/api/tick" };
    const lines = Array.from({ length: 5_400 }, (_, at) => [
      { kind: "network.response", request_id: `r${at}`, ...of, status: at === 7 ? 503 : 200, duration_ms: 1 },
      {
        kind: "agent.action",
        step_id: `s${at}`,
        name: "click",
        title: `Click ${at}`,
        params: {},
        duration_ms: 1,
      },
    ]).flat();
    on.clock.advance(60_000);
    const entries = [
      events(lines.map((one, at) => JSON.stringify({ seq: at + 1, ts: START + at, ...one })).join("\n")),
    ];
    const { id } = await uploadTrace(on, { slug: "long", entries, manifest: { status: "failed" } });
    const chat = await beginChat(on, id);
    const { text } = await ask(on, chat.id, "Which requests failed?");
    expect(text).toContain("1 of the first 5000 requests went wrong");
    expect(text).toContain("which I did not look at");
    expect((await ask(on, chat.id, "step 5399")).text).toContain("The run has 5400 steps, of which only");
    expect((await ask(on, chat.id, "step 5401")).text).toContain("The run has no step 5401");
  });

  test("names a command only where the recording does", async () => {
    const path = "flows/the shop.scenario.md";
    const text = '---\nslug: told\ntitle: Told\nbase_url: https://shop.example\n---\n1. go to "/"\n';
    expect((await post(on, "/v1/scenarios", { path, text })).status).toBe(200);
    const ofFile = await beginChat(on, await upload("told", true, "abcdef1234567"));
    const { text: told } = await ask(on, ofFile.id, "How do I reproduce it?");
    expect(told).toContain("git checkout abcdef1234567\ntracedeck run 'flows/the shop.scenario.md'\n");
    expect(told).toContain("Replay");
    const { text: plain } = await ask(on, (await beginChat(on, failure)).id, "How do I reproduce it?");
    expect(plain).toContain("is not recorded");
    expect(plain).not.toMatch(/tracedeck run|npx|Replay/);
  });

  test("says plainly what it cannot answer, and what it can", async () => {
    const chat = await beginChat(on, failure);
    const { text, heard } = await ask(on, chat.id, "What is the capital of France?");
    expect(text).toContain("I cannot answer that");
    expect(text).toContain("not a language model");
    expect(text).toContain("Which requests failed?");
    expect(text).not.toContain("Perhaps");
    for (const { event, data } of heard)
      if (event === "tool_call") expect(data).toMatchObject({ name: "search", result: { hits: [] } });
  });

  test("tells no secret that was recorded", async () => {
    const chat = await beginChat(on, failure);
    const { text } = await ask(on, chat.id, "What did POST /api/pay answer?");
    const all = text + JSON.stringify(await showChat(on, chat.id));
    expect(all).toContain("[redacted]");
    expect(all).toContain("4242");
    for (const secret of ["hunter2hunter2", "tok_live_1234567890", "abcdefghijklmnop"])
      expect(all).not.toContain(secret);
  });

  test("says of a cold trace what it can no longer see, and of one under way that it has not ended", async () => {
    const id = await upload("cold", true, "e");
    await on.store.records.updateTable("traces").set({ tier: "cold" }).where("id", "=", id).execute();
    const chat = await beginChat(on, id);
    expect(chat.messages[0]!.content).toContain("cold storage");
    expect((await ask(on, chat.id, "Why did it fail?")).text).toContain("api/pay");
    const { text, heard } = await ask(on, chat.id, "Which requests failed?");
    expect(text).toContain("cold storage");
    expect(heard[0]).toMatchObject({ event: "tool_call", data: { ok: false, result: { error: "not_hot" } } });

    const live = (await (
      await post(on, "/internal/v1/traces", {
        version: 1,
        scenario: { slug: "live", title: "Live" },
        started_at: "2026-03-01T11:00:00.000Z",
      })
    ).json()) as { trace_id: string };
    const begun = await beginChat(on, live.trace_id);
    expect(begun.messages[0]!.content).toContain("running");
    for (const question of [
      "why did it fail?",
      "what were the steps",
      "what did the page show",
      "since when",
      "console?",
    ])
      expect((await ask(on, begun.id, question)).last.event).toBe("done");
  });
});
