import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followGate } from "../../server/cli/follow-gate.ts";
import { CliError } from "../../server/cli/output.ts";
import type { GateAnswer } from "../../server/gate/gates/model.ts";
import { type ApiClient, createApiClient } from "../../server/platform/api-client.ts";
import { type GateLab, gateLab, scenarioFile } from "../helpers/gates.ts";
import type { ModelPull } from "../helpers/host-api/model.ts";
import { type Outcome, runProgram } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { send } from "../helpers/watch.ts";

setDefaultTimeout(60_000);

// Jobs are carried out only where a test says so, so a gate stays queued as long as it is to.
let lab: GateLab;
let server: string;
/** Begins an answer and ends the connection, as a server does that is killed. */
let killed: Bun.TCPSocketListener;
/** What stands before a server that is being started anew. */
let gateway: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  lab = await gateLab({ settings: { code_host: {} } });
  server = lab.app.listen();
  killed = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"id":');
      },
    },
  });
  gateway = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
  });
});
afterAll(async () => {
  killed.stop(true);
  await gateway.stop(true);
  await lab.close();
});

let commits = 0;
const sha = (): string => String(++commits).padStart(40, "a");
async function asked(more: Record<string, unknown> = {}): Promise<GateAnswer> {
  const answer = await send(lab.app, "POST", "/v1/gates", {
    ...{
      repo: "acme/shop",
      pr: 1000 + ++commits,
      head_sha: sha(),
      base_sha: sha(),
      changed: [],
      files: [],
      ...more,
    },
  });
  expect(answer.status).toBe(202);
  return (await answer.json()) as GateAnswer;
}

const at = (url: string, apiKey = lab.app.apiKey): ApiClient => createApiClient({ url, apiKey });

/** Follows a gate on a clock that goes on when it sleeps. @param clientAt who is asked after so many sleeps */
async function followed(gate: GateAnswer, clientAt: (slept: number) => Promise<ApiClient>) {
  let now = 0;
  let slept = 0;
  const lines: string[] = [];
  const ended = await followGate(gate, {
    client: { request: async (path, init) => (await clientAt(slept)).request(path, init) },
    ...{ address: "https://traces.example.com", minutes: 5, tell: (line: string) => void lines.push(line) },
    clock: {
      monotonic: () => now,
      async sleep(ms) {
        now += ms;
        slept += 1;
      },
    },
  }).catch((error: unknown) => error as Error);
  return { ended, lines, minutes: now / 60_000 };
}

describe("a gate is followed", () => {
  test("over a server that is away for a moment: killed in its answer, behind a gateway, not there", async () => {
    const gate = await asked();
    const away = [at(`http://127.0.0.1:${killed.port}`), at(gateway.url.href), at("http://127.0.0.1:9")];
    const { ended, lines } = await followed(gate, async (slept) => {
      if (slept === 4) await lab.work();
      return away[slept - 1] ?? at(server);
    });
    expect(ended).toMatchObject({
      gate: { id: gate.id, status: "passed", passes: true },
      report: expect.stringContaining("Nothing to run"),
    });
    expect(lines).toEqual(["queued", expect.stringContaining("It is asked again until it answers.")]);
  });

  test("until its time is over when the server stays away, and says what was missing and where it may go on", async () => {
    const gate = await asked();
    const { ended, lines, minutes } = await followed(gate, async () => at("http://127.0.0.1:9"));
    expect(ended).toBeInstanceOf(CliError);
    expect(ended).toMatchObject({ code: "unavailable" });
    const { message } = ended as CliError;
    expect(message).toStartWith(
      "Nothing more was heard within 5 minutes. At last: The server cannot be reached:",
    );
    expect(message).toEndWith(
      `https://traces.example.com/pull-requests/${gate.pull_request_id}?gate=${gate.id}`,
    );
    expect(minutes).toBeGreaterThanOrEqual(5);
    expect(minutes).toBeLessThan(5.1);
    expect(lines).toHaveLength(2);
  });

  test("no further when the server refuses: a key that was revoked", async () => {
    const gate = await asked();
    const { ended, minutes } = await followed(gate, async () => at(server, "product_sk_none"));
    expect(ended).toMatchObject({ name: "CliError", code: "unauthorized" });
    expect(minutes).toBeLessThan(0.1);
  });
});

/** CI's job for a pull request, in a checkout that has its commits. */
async function job(pull: ModelPull, base: string): Promise<Outcome> {
  const checkout = mkdtempSync(join(tmpdir(), "tracedeck-checkout-"));
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: checkout });
  git("clone", "--quiet", lab.host.repository.folder, ".");
  git("fetch", "--quiet", "origin", pull.headRef);
  const outcome = await runProgram([
    ...["gate", "--pr", String(pull.number), "--head", pull.headSha, "--base", base, "--repo", "acme/shop"],
    ...["--checkout", checkout, "--server", server, "--api-key", lab.app.apiKey],
    ...["--comment-token", lab.host.asToken.token, "--comment-api", lab.host.apiUrl],
  ]);
  rmSync(checkout, { recursive: true });
  return outcome;
}

async function gateOf(pull: ModelPull): Promise<GateAnswer> {
  await until("the gate was asked for", async () => (await lab.newest(pull)) !== undefined);
  return lab.newest(pull);
}

test("a commit whose place another took gets no comment from its own CI, and fails its job", async () => {
  const pull = lab.host.openPull({ "src/a.ts": "1" });
  const base = lab.host.repository.head("main")!;
  const running = job(pull, base);
  const gate = await gateOf(pull);
  await asked({ pr: pull.number, head_sha: sha(), base_sha: base });
  const { code, stdout } = await running;
  expect(await lab.gate(gate.id)).toMatchObject({ status: "superseded" });
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/The gate fails\. The commit [0-9a-f]{7} took its place\./),
  ]);
  expect(lab.host.requests).toEqual([]);
});

test("the job sends the scenario files of before along: what did not compile there does not fail it", async () => {
  lab.files({
    "old.scenario.md": scenarioFile("old", ['go too "/"']),
    "spare.scenario.md": scenarioFile("spare", ['go to "/"']),
  });
  const pull = lab.host.openPull({ "spare.scenario.md": null });
  lab.files({ "old.scenario.md": scenarioFile("old", ['go to "/"']) });
  const running = job(pull, lab.host.repository.head("main")!);
  await gateOf(pull);
  await lab.work();
  const { code, stdout } = await running;
  expect([code, stdout]).toEqual([0, expect.stringContaining("The gate passes.")]);
  expect(stdout).toMatch(
    /^old\.scenario\.md:6:\d+: .*\(the file did not compile before this change either\)$/m,
  );
});
