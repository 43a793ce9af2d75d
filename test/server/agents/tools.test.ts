import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLS } from "../../../server/agents/tools/all.ts";
import { callTool, connectAgent, keyWith, REVISIONS, uploadArchive } from "../../helpers/agents.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { eventLines, events } from "../../helpers/bundles.ts";
import { failure, result, show, wholeRun } from "../../helpers/test-runs.ts";
import { otherOrg, post, uploadTrace } from "../../helpers/traces.ts";

let t: TestApp;
let failed: { id: string; shortId: string };
let passed: { id: string; shortId: string };
let other: { orgId: string; api: TestApp["api"] };

beforeAll(async () => {
  t = await testApp();
  passed = await uploadArchive(t, "v10-runner-passing", "shop");
  failed = await uploadArchive(t, "v10-runner-failing", "shop");
  other = await otherOrg(t);
});
afterAll(() => t.close());

/** What these tests look at, of the answers of all tools. */
interface Answer {
  [field: string]: unknown;
  trace_id: string;
  url: string;
  next_cursor: string | null;
  headline: string | null;
  error: string;
  suspects: { rank: number }[];
  context: { page_url: string };
  step: { step_id: string; call_log: string[] };
  page: { tree: string[] };
  before: { title: string }[];
  requests: { at_ms: number }[];
  console: { text: string }[];
  hits: { seq: number; found_in: string }[];
  items: { id: string; key: string; slug: string }[];
  runs: { id: string }[];
  refused: unknown[];
  run: unknown;
  tests: unknown[];
}

const call = async (name: string, args: Record<string, unknown> = {}) => {
  const client = await connectAgent(t);
  try {
    return await callTool<Answer>(client, name, args);
  } finally {
    await client.close();
  }
};

describe.each([...REVISIONS])("in revision %s", (revision) => {
  test("an agent finds every tool with schemas of what it takes and answers, and is told where to begin", async () => {
    const client = await connectAgent(t, { revision });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, "object", "object"]);
      expect(description!.length).toBeGreaterThan(40);
      expect(annotations?.readOnlyHint).toBe(
        !/replay_trace|run_scenarios|_rerun$|_incident$|_reject$|debug_run$/.test(name),
      );
    }
    expect(client.getInstructions()).toContain("get_cause");
    await client.close();
  });

  test("a tool answers with structured content of its schema, and the same as text", async () => {
    const client = await connectAgent(t, { revision });
    const { answer, text, isError } = await callTool<Answer>(client, "get_cause", { trace_id: failed.id });
    expect(isError).toBe(false);
    expect(answer.headline).toBe("POST /api/checkout was answered with 500: ledger unavailable");
    expect(JSON.parse(text)).toEqual(answer);
    await client.close();
  });

  test("the prompt hands the whole failure over as a task", async () => {
    const client = await connectAgent(t, { revision });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["why_did_this_fail"]);
    const prompt = await client.getPrompt({
      name: "why_did_this_fail",
      arguments: { trace_id: failed.shortId },
    });
    const [message] = prompt.messages;
    expect(message?.content).toMatchObject({ type: "text" });
    expect(JSON.stringify(message)).toContain("ledger unavailable");
    await client.close();
  });
});

describe("a trace is named", () => {
  test("by its id, short id, page, step's link, share link or API address", async () => {
    for (const named of [
      failed.id,
      failed.id.toUpperCase(),
      failed.shortId,
      `http://localhost:4173/traces/${failed.id}?step=ldaa%4065`,
      `https://elsewhere.test/r/${failed.shortId}/embed`,
      `/traces/${failed.id}`,
      `${t.deps.config.publicUrl ?? "http://localhost"}/v1/traces/${failed.id}/cause`,
      ` <http://localhost/r/${failed.shortId}> `,
    ]) {
      const { answer } = await call("get_cause", { trace_id: named });
      expect([named, answer?.trace_id]).toEqual([named, failed.id]);
    }
  });

  test("by what an agent calls the argument when it has not read the schema", async () => {
    for (const name of ["id", "trace", "short_id", "url"])
      expect((await call("get_cause", { [name]: failed.shortId })).answer.trace_id).toBe(failed.id);
  });

  test("and an unknown one is refused with a way to find one; that of something else says what it is", async () => {
    const missing = await call("get_cause", { trace_id: "00000000-0000-7000-8000-000000000000" });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining("list_traces")]);
    const { run } = await suite();
    const { text } = await call("get_cause", { trace_id: run.short_id });
    expect(text).toContain("get_test_run");
  });
});

async function suite() {
  const id = await wholeRun(t, [
    failure("pays", { trace_id: failed.id, file: "pay.spec.ts" }),
    result("browses", { file: "browse.spec.ts" }),
  ]);
  return { run: await show(t, id) };
}

describe("an argument that a tool does not know", () => {
  test("is left aside, and the answer says so: what looks filtered may not be", async () => {
    const client = await connectAgent(t);
    const { content, isError } = await client.callTool({
      name: "list_traces",
      arguments: { state: "failed", limit: 1 },
    });
    const [answer, note, ...more] = content as { text: string }[];
    expect([isError === true, more]).toEqual([false, []]);
    expect(JSON.parse(answer!.text)).toMatchObject({ items: [expect.anything()] });
    expect(note!.text).toContain('no such argument: "state"');
    expect(note!.text).toContain("status");
    const known = await client.callTool({ name: "list_traces", arguments: { status: "failed" } });
    expect(known.content).toHaveLength(1);
    await client.close();
  });

  test("is named where the right one is missing", async () => {
    const { isError, text } = await call("search_trace", { trace_id: failed.id, query: "ledger" });
    expect([isError, text]).toEqual([true, expect.stringContaining('The argument "q" is missing.')]);
    expect(text).toContain('no such argument: "query"');
  });

  test("does not make an answer long, however many there are and however long their names", async () => {
    const args = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${"n".repeat(500)}${at}`, 1]));
    const { text } = await call("get_cause", args);
    expect(text).toContain("and 295 more");
    expect(text.length).toBeLessThan(800);
  });
});

test("what is wrong with an argument is told of an argument, not of a query or a body", async () => {
  for (const [name, args] of [
    ["list_traces", { from: "yesterday" }],
    ["list_traces", { cursor: "zz" }],
    ["product_get_mender_attempts", { cursor: "zz" }],
  ] as const) {
    const { text } = await call(name, args);
    expect([name, text]).toEqual([
      name,
      expect.stringContaining(`invalid_request: The argument "${Object.keys(args)[0]}"`),
    ]);
  }
});

describe("get_cause", () => {
  test("tells suspects, the error, where the pass went another way, and a link to the failed step", async () => {
    const { answer } = await call("get_cause", { trace_id: failed.id });
    expect(answer).toMatchObject({
      status: "failed",
      baseline_id: passed.id,
      failed_step: { step_id: "ldaa@68" },
    });
    expect(answer.suspects[0]).toMatchObject({ rank: 1, kind: "request_failed", is_new: true });
    expect(answer.error).toContain('Received: "Checkout"');
    expect(answer.code).toMatch(/shop\.spec\.js:31:57$/);
    expect(answer.context.page_url).toEndWith("/checkout");
    expect(answer.url).toBe(`http://localhost/traces/${failed.id}?step=ldaa%4068`);
  });

  test("tells the cause of a trace whose summary is lost or damaged", async () => {
    const { id } = await uploadArchive(t, "v10-runner-failing", "damaged");
    const folder = join(t.dataDir, "traces", id);
    const name = readdirSync(folder).find((one) => one.startsWith("summary."))!;
    for (const spoil of [() => writeFileSync(join(folder, name), "{"), () => rmSync(join(folder, name))]) {
      spoil();
      const { answer } = await call("get_cause", { trace_id: id });
      expect([answer.headline, answer.code]).toEqual([expect.stringContaining("ledger unavailable"), null]);
    }
    expect((await t.api(`/v1/traces/${id}?force=1`, { method: "DELETE" })).status).toBe(204);
  });

  test("goes on with the suspects that did not fit", async () => {
    const { answer } = await call("get_cause", { trace_id: failed.id });
    const next = await call("get_cause", { trace_id: failed.id, cursor: answer.next_cursor });
    expect(next.answer.suspects[0]!.rank).toBe(answer.suspects.length + 1);
  });

  test("says when there was no pass to compare with, and nothing of it where there was", async () => {
    const line = { seq: 1, ts: 1, kind: "assertion", step_id: "s", ok: false, message: "it is not there" };
    const entries = [events(JSON.stringify(line))];
    const { id } = await uploadTrace(t, { slug: "never-passed", entries, manifest: { status: "failed" } });
    const alone = (await call("get_cause", { trace_id: id })).answer;
    expect(alone).toMatchObject({ baseline_id: null, note: "Told without a pass to compare with." });
    expect((await call("get_cause", { trace_id: failed.id })).answer).not.toHaveProperty("note");
  });

  test("says of a pass that there is nothing to explain", async () => {
    const { answer } = await call("get_cause", { trace_id: passed.id });
    expect(answer).toMatchObject({ headline: null, suspects: [], note: expect.stringContaining("passed") });
  });
});

describe("get_step", () => {
  test("shows the failed step: its error, the page as a tree, what was asked before, the console", async () => {
    const { answer } = await call("get_step", { trace_id: failed.id });
    expect(answer.step).toMatchObject({ step_id: "ldaa@68", status: "failed" });
    expect(answer.step.call_log.join("\n")).toContain('unexpected value "Checkout" (15 times)');
    expect(answer.page.tree).toContain('  - heading "Checkout"');
    expect(answer.requests[0]).toMatchObject({
      method: "POST",
      status: 500,
      url: expect.stringContaining("/api/checkout"),
    });
    expect(answer.requests[0]!.at_ms).toBeLessThan(0);
    expect(answer.console.map(({ text }) => text).join("\n")).toContain("ledger unavailable");
    expect(answer.before.at(-1)!.title).toContain("cart.json");
  });

  test("shows a step by its number, its id or the link to it", async () => {
    const { answer } = await call("get_step", { trace_id: failed.id, step: "8" });
    expect(answer.step.step_id).toBe("ldaa@50");
    const byId = await call("get_step", { trace_id: failed.id, step: "ldaa@50" });
    expect(byId.answer.step).toEqual(answer.step);
    expect((await call("get_step", { trace_id: failed.id, step: 8 })).answer.step).toEqual(answer.step);
    const link = `http://localhost/traces/${failed.id}?step=ldaa%4050`;
    expect((await call("get_step", { trace_id: link })).answer.step).toEqual(answer.step);
  });

  test("refuses a step that is not there, says so where none failed, and sends nobody to look for a trace", async () => {
    const missing = await call("get_step", { trace_id: failed.id, step: "nope" });
    expect(missing.text).toContain("no such step");
    const none = await call("get_step", { trace_id: passed.id });
    expect(none.text).toContain("No step of this trace failed");
    for (const { text } of [missing, none]) expect(text).not.toContain("list_traces");
  });
});

test("search_trace finds a text in events, then in bodies", async () => {
  const { answer } = await call("search_trace", { trace_id: failed.id, q: "ledger" });
  expect(answer.hits.map(({ found_in: where }) => where)).toEqual(["event", "body"]);
  expect(answer.hits[1]).toMatchObject({
    step_id: "ldaa@65",
    about: expect.stringContaining("/api/checkout"),
  });
});

test("search_trace reads on page by page until everything was searched", async () => {
  const { id } = await uploadTrace(t, { entries: [events(eventLines(40))] });
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const { answer } = await call("search_trace", { trace_id: id, q: "line", ...(cursor ? { cursor } : {}) });
    seen.push(...answer.hits.map(({ seq }) => seq));
    cursor = answer.next_cursor ?? undefined;
  } while (cursor);
  expect(seen.length).toBe(40);
  expect(new Set(seen).size).toBe(40);
});

test("compare_traces compares with the last pass when no other trace is named", async () => {
  const { answer } = await call("compare_traces", { b: failed.shortId, dimension: "network" });
  expect(answer).toMatchObject({ a: passed.id, b: failed.id });
  expect(answer.items.map(({ key }) => key)).toContain("POST /api/checkout");
  const { text } = await call("compare_traces", { b: passed.id });
  expect(text).toContain("No earlier run of this test passed");
  expect(text).toContain('status "passed"');
  expect(text).not.toContain('"failed"');
});

test("get_test_run tells the newest run's failed tests with their cause and trace", async () => {
  const { run } = await suite();
  const { answer } = await call("get_test_run");
  expect(answer.run).toMatchObject({ id: run.id, status: "failed" });
  expect(answer.tests).toHaveLength(1);
  expect(answer.tests[0]).toMatchObject({ trace_id: failed.id, headline: expect.stringContaining("ledger") });
  expect(answer.url).toBe(`http://localhost/test-runs/${run.short_id}`);
  expect((await call("get_test_run", { test_run: answer.url })).answer.run).toEqual(answer.run);
  const { text } = await call("get_test_run", { branch: "nobody's" });
  expect(text).toContain('No test run is of the branch "nobody\'s"');
  expect(text).not.toContain("test_run");
});

test("list_traces pages by cursor and tells the cause of each failure", async () => {
  const first = await call("list_traces", { limit: 1 });
  const second = await call("list_traces", { limit: 1, cursor: first.answer.next_cursor });
  expect(second.answer.items[0]!.id).not.toBe(first.answer.items[0]!.id);
  const { answer } = await call("list_traces", { status: "failed", q: "ledger" });
  expect(answer.items[0]).toMatchObject({ id: failed.id, headline: expect.stringContaining("ledger") });
});

test("get_trace has what REST has, with links that open", async () => {
  const { answer } = await call("get_trace", { trace_id: failed.shortId });
  const rest = await (await t.api(`/v1/traces/${failed.id}`)).json();
  for (const field of [
    "id",
    "short_id",
    "status",
    "s3_prefix",
    "signed_urls",
    "total_size_bytes",
    "blob_count",
  ])
    expect([field, answer[field]]).toEqual([field, (rest as Record<string, unknown>)[field]]);
});

test("product_debug_run tells the whole failure as one text", async () => {
  const { answer } = await call("product_debug_run", { trace_id: failed.id });
  expect(String(answer.context)).toContain("## Likely cause");
  expect((await call("product_debug_run")).text).toContain("trace_id");
});

test("product_debug_run begins a chat, and answers a question in it", async () => {
  const { answer: begun } = await call("product_debug_run", { trace_id: failed.id });
  const { answer } = await call("product_debug_run", {
    ...{ trace_id: failed.id, chat_id: begun.chat_id, question: "Why did it fail?" },
  });
  expect(answer).toMatchObject({ chat_id: begun.chat_id, context: "", cost_cents: 0 });
  expect(String(answer.answer)).toContain("How sure");
  const { messages } = (await (await t.api(`/v1/chats/${String(begun.chat_id)}`)).json()) as {
    messages: { content: string }[];
  };
  expect(messages.map(({ content }) => content).slice(1)).toEqual([
    "Why did it fail?",
    String(answer.answer),
  ]);
  const other = await call("product_debug_run", { trace_id: passed.id, chat_id: begun.chat_id });
  expect(other.text).toContain("another trace");
});

test("scenarios are listed, run and followed; what cannot run is refused by name", async () => {
  await post(t, "/v1/scenarios/sync", {
    files: [{ path: "a.scenario.md", text: '---\nslug: a\ntitle: A\n---\n1. go to "http://localhost:1/"\n' }],
  });
  const list = await call("product_list_scenarios", { q: "a" });
  expect(list.answer.items.find(({ slug }) => slug === "a")).toMatchObject({
    can_run: true,
  });
  const target = { baseUrl: "http://localhost:1" };
  const { answer } = await call("product_run_scenarios", { scenarios: ["a", "shop"], ...target });
  expect(answer.runs[0]).toMatchObject({ status: "queued", scenario_slug: "a" });
  expect(answer.refused[0]).toMatchObject({ scenario: "shop", error: "validation_failed" });
  const run = await call("product_get_run", { run_id: answer.runs[0]!.id });
  expect(run.answer).toMatchObject({
    id: answer.runs[0]!.id,
    next: expect.stringContaining("product_get_run"),
  });
  // Nothing here is to open a browser.
  await post(t, `/v1/runs/${answer.runs[0]!.id}/cancel`);
  expect((await call("product_run_scenarios", { scenarios: ["nope"] })).text).toContain(
    "product_list_scenarios",
  );
});

test("product_replay_trace says why a trace cannot be replayed", async () => {
  const { isError, text } = await call("product_replay_trace", { trace_id: failed.id, from_step: 1 });
  expect([isError, text]).toEqual([true, expect.stringContaining("conflict")]);
});

describe("resources", () => {
  test("tell a scenario's health", async () => {
    const client = await connectAgent(t);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "product://orgs/{orgId}/runs/{runId}/trace",
      "product://scenarios/{id}/healthcheck{?orgId}",
      "product://incidents/{orgId}",
    ]);
    const { contents } = await client.readResource({
      uri: `product://scenarios/shop/healthcheck?orgId=${t.orgId}`,
    });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      status: "failing",
      scenario: { slug: "shop" },
    });
    await client.close();
  });

  test("a scenario's health needs no org in its address: the credential has one", async () => {
    const client = await connectAgent(t);
    const read = async (uri: string) => {
      const { contents } = await client.readResource({ uri });
      return JSON.parse((contents[0] as { text: string }).text) as object;
    };
    const address = "product://scenarios/shop/healthcheck";
    expect(await read(address)).toEqual(await read(`${address}?orgId=${t.orgId}`));
    await client.close();
  });

  test("of another org, and of what is not there, are refused in words", async () => {
    const client = await connectAgent(t);
    const read = (uri: string) => client.readResource({ uri });
    await expect(read(`product://scenarios/shop/healthcheck?orgId=${other.orgId}`)).rejects.toThrow(
      "wrong_org",
    );
    const none = "00000000-0000-7000-8000-000000000000";
    await expect(read(`product://orgs/${t.orgId}/runs/${none}/trace`)).rejects.toThrow("not_found");
    await client.close();
  });
});

describe("rights", () => {
  test("each tool asks for its scope at every call, and says which is missing and how to get it", async () => {
    const none = await connectAgent(t, { apiKey: await keyWith(t, ["billing:read"]) });
    const { tools } = await none.listTools();
    for (const { name, description } of tools) {
      const { scope } = TOOLS.find((tool) => tool.name === name)!;
      expect(description).toContain(`lacks the scope ${scope.join(" or ")}`);
      const { isError, text } = await callTool(none, name, { trace_id: failed.id });
      expect([name, isError, text]).toEqual([name, true, expect.stringContaining("insufficient_scope")]);
      expect(text).toContain(`--scopes ${scope[0]}`);
    }
    await expect(
      none.readResource({ uri: `product://scenarios/shop/healthcheck?orgId=${t.orgId}` }),
    ).rejects.toThrow("insufficient_scope");
    await expect(
      none.getPrompt({ name: "why_did_this_fail", arguments: { trace_id: failed.id } }),
    ).rejects.toThrow("insufficient_scope");
    await none.close();
  });

  test("mcp:read reads traces, runs and scenarios, and starts nothing", async () => {
    const client = await connectAgent(t, { apiKey: await keyWith(t, ["mcp:read"]) });
    expect((await callTool(client, "get_cause", { trace_id: failed.id })).isError).toBe(false);
    expect((await callTool(client, "product_list_scenarios")).isError).toBe(false);
    expect((await callTool(client, "product_run_scenarios", { scenarios: ["a"] })).text).toContain(
      "insufficient_scope",
    );
    await client.close();
  });

  test("a trace of another org stays unknown beyond its org, by any name", async () => {
    const theirs = await uploadTrace(t, { api: other.api, slug: "theirs" });
    for (const named of [theirs.id, theirs.shortId, `http://localhost/r/${theirs.shortId}`])
      for (const [tool, args] of [
        ["get_cause", { trace_id: named }],
        ["get_trace", { trace_id: named }],
        ["get_step", { trace_id: named }],
        ["search_trace", { trace_id: named, q: "a" }],
        ["compare_traces", { a: failed.id, b: named }],
        ["compare_traces", { a: named, b: failed.id }],
        ["product_debug_run", { trace_id: named }],
        ["product_replay_trace", { trace_id: named, from_step: 1 }],
      ] as const) {
        const { isError, text } = await call(tool, args);
        expect([tool, isError, text.split(":")[0]]).toEqual([tool, true, "wrong_org"]);
      }
  });
});
