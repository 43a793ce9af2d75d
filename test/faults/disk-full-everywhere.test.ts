import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createSigninLink } from "../../server/identity/sessions/service.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { runProgram, scratchFolder } from "../helpers/program.ts";
import { type SmallDisk, smallDisk } from "../helpers/small-disk.ts";
import { statement } from "../helpers/statement.ts";
import { post, uploadTrace } from "../helpers/traces.ts";

interface Problem {
  error: string;
  message: string;
}

/** Every operation that writes when nothing of what it names has to exist. */
function writes(t: TestApp, traceId: string): Record<string, () => Promise<Response>> {
  return {
    "keys.create": () => post(t, "/v1/api-keys", { name: "k".repeat(200), scopes: ["traces:read"] }),
    "share.create": () => post(t, `/v1/traces/${traceId}/share`, { visibility: "public-read" }),
    "searches.create": () =>
      post(t, "/v1/saved-searches", { name: crypto.randomUUID(), query: "q".repeat(1000) }),
    "capture.begin": () => post(t, "/internal/v1/traces", { version: 1, scenario: { slug: "x" } }),
    "runs.begin": () =>
      post(t, "/internal/v1/runs", {
        scenario: { slug: "y", title: "Y", steps: [], description: "d".repeat(20_000) },
        region: "us-east-1",
      }),
    "scenarios.sync": () =>
      post(t, "/v1/scenarios/sync", {
        files: [
          { path: "a.scenario.md", text: `---\nslug: a\ntitle: A\n---\n\n1. go to "https://a.example/"\n` },
        ],
      }),
  };
}

/** Asks until the database has used up what room it had of its own. */
async function untilRefused(ask: () => Promise<Response>): Promise<Response> {
  for (let times = 0; times < 200; times++) {
    const answer = await ask();
    if (answer.status >= 400) return answer;
  }
  throw new Error("It was never refused.");
}

const isRoot = process.getuid?.() === 0;

describe.if(isRoot)("on a full disk", () => {
  const scratch = scratchFolder();
  let disk: SmallDisk;
  let t: TestApp;
  let traceId: string;

  beforeAll(async () => {
    disk = smallDisk(scratch.at("disk"), 16 << 20);
    t = await testApp({
      dataDir: disk.path,
      settings: { rate_limits: { writes_per_minute: 100_000, ingests_per_minute: 100_000 } },
    });
    traceId = (await uploadTrace(t)).id;
    disk.fill();
  });
  afterAll(async () => {
    disk.empty();
    await t.close();
    disk.unmount();
    scratch.remove();
  });

  test("every operation that writes is answered 503 with what is wrong, and goes on when there is room", async () => {
    const operations = writes(t, traceId);
    // First what needs room of its own, so that the database has none left for the others.
    for (const [id, ask] of Object.entries(operations)) {
      const refused = await untilRefused(ask);
      const { error, message } = (await refused.json()) as Problem;
      expect([id, refused.status, error]).toEqual([id, 503, "unavailable"]);
      expect([id, message]).toEqual([id, expect.stringMatching(/disk is full/)]);
      expect(message).not.toContain(disk.path);
    }
    expect(t.logged.join("")).toContain("the store refused a request");
    expect((await t.api("/v1/traces")).status).toBe(200);
    disk.empty();
    for (const [id, ask] of Object.entries(operations))
      expect([id, (await ask()).status < 300]).toEqual([id, true]);
    disk.fill();
  }, 120_000);

  test("a page says it as a page", async () => {
    disk.empty();
    const { url } = await createSigninLink(t.deps, { orgId: t.orgId, base: "" });
    disk.fill();
    await untilRefused(writes(t, traceId)["keys.create"]!);
    const answer = await t.api(url, { headers: { authorization: "", accept: "text/html" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([503, "text/html; charset=utf-8"]);
    expect(await answer.text()).toContain("The server&#39;s disk is full.");
  });

  test("the command line says it too, and its JSON has the API's code", async () => {
    const other = smallDisk(scratch.at("other"), 4 << 20);
    other.fill();
    const args = ["keys", "create", "--name", "x", "--scopes", "traces:read", "--json", "--data", other.path];
    const { code, stdout, stderr } = await runProgram(args);
    other.unmount();
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: "unavailable",
      message: expect.stringMatching(/disk is full/i),
    });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("when the database refuses", () => {
  let t: TestApp;
  let traceId: string;
  beforeAll(async () => {
    t = await testApp();
    traceId = (await uploadTrace(t)).id;
  });
  afterAll(() => t.close());

  const expectAll = async (words: RegExp) => {
    for (const [id, ask] of Object.entries(writes(t, traceId))) {
      const answer = await ask();
      const { error, message } = (await answer.json()) as Problem;
      expect([id, answer.status, error]).toEqual([id, 503, "unavailable"]);
      expect(message).toMatch(words);
    }
  };

  test("because it is read-only, every operation says so", async () => {
    await statement(t.store, "PRAGMA query_only = 1");
    await expectAll(/read-only/);
    await statement(t.store, "PRAGMA query_only = 0");
  });

  test("because another process keeps it busy, every operation says so", async () => {
    const other = new Database(join(t.dataDir, "tracedeck.db"));
    const [before] = await statement<{ timeout: number }>(t.store, "PRAGMA busy_timeout");
    await statement(t.store, "PRAGMA busy_timeout = 1");
    other.exec("BEGIN IMMEDIATE");
    await expectAll(/busy/);
    other.exec("ROLLBACK");
    other.close();
    await statement(t.store, `PRAGMA busy_timeout = ${before!.timeout}`);
    expect((await writes(t, traceId)["keys.create"]!()).status).toBe(201);
  });
});
