import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { runProgram, scratchFolder } from "../helpers/program.ts";
import { recorded } from "../helpers/viewer.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
const data = scratch.at("data");
let id: string;
const tracedeck = (...args: string[]) => runProgram([...args, "--data", data]);

beforeAll(async () => {
  const { stdout, stderr } = await tracedeck(
    "ingest",
    recorded("v10-failing"),
    "--scenario",
    "failing",
    "--json",
  );
  const answer = JSON.parse(stdout || stderr) as { short_id: string } | { short_id: string }[];
  id = (Array.isArray(answer) ? answer[0]! : answer).short_id;
});
afterAll(() => scratch.remove());

test("a question is answered in words, with what was looked at beside them, and the chat goes on", async () => {
  const { stdout, stderr, code } = await tracedeck("ask", id, "why", "did", "it", "fail?");
  expect(code).toBe(0);
  expect(stdout).toContain("POST /api/checkout was answered with 500");
  expect(stdout).toContain("It failed at step 9");
  expect(stdout).not.toMatch(/\]\(|\*\*|\\/);
  expect(stderr).toContain("looked: get_cause");
  const chat = /--chat ([0-9a-f-]{36})/.exec(stderr)![1]!;
  const again = await tracedeck("ask", id, "which requests failed?", "--chat", chat, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({
    ...{ chat_id: chat, role: "assistant", state: "done", model: null, cost_cents: 0 },
    content: expect.stringContaining("/api/checkout"),
    tool_calls: [{ name: "list_requests", ok: true }, { name: "get_cause" }, { name: "get_request" }],
  });
});

test("what cannot be asked is told in a sentence", async () => {
  const unknown = await tracedeck("ask", "1111111111111", "why?");
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("There is no trace");
  expect((await tracedeck("ask", id)).code).toBe(2);
  expect((await tracedeck("ask", id, "why?", "--chat", "7")).stderr).toContain("UUID");
});
