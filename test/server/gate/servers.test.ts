import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Shop, startShop } from "../../../fixtures/app/shop.ts";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { createTestClock, type TestApp, testApp } from "../../helpers/app.ts";
import { childCommand } from "../../helpers/child.ts";
import { scenarioFile } from "../../helpers/gates.ts";
import { type HostApi, startHostApi } from "../../helpers/host-api/host-api.ts";
import type { ModelPull } from "../../helpers/host-api/model.ts";
import { runPeriodic } from "../../helpers/traces.ts";

setDefaultTimeout(180_000);

// Two servers on one data folder, which a code host reaches by one address: now this one answers, now that.
let dataDir: string;
let host: HostApi;
let shop: Shop;
let here: TestApp;
let there: Bun.Subprocess<"pipe", "pipe", "inherit">;
let lines: AsyncIterator<string>;
let thereUrl: string;
let turns = 0;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tracedeck-gate-servers-"));
  const clock = createTestClock();
  host = startHostApi({ now: clock.now });
  shop = startShop();
  const limits = { reads_per_minute: 1e6, writes_per_minute: 1e6, ingests_per_minute: 1e6 };
  const settings = { code_host: host.asApp, rate_limits: limits };
  here = await testApp({ dataDir, clock, serverId: "first", settings });
  // A process of its own: within one, whoever waits for the database would keep the other from ending.
  there = Bun.spawn([...childCommand(join(import.meta.dir, "../../helpers/gate-second.ts")), dataDir], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  lines = linesOf(there.stdout);
  thereUrl = `http://localhost:${(await lines.next()).value}`;
  host.sendsTo((request) => (turns++ % 2 === 0 ? atHere(request) : atThere(request)));
  const covers = 'covers: ["src/**"]\n';
  host.repository.commit("main", {
    "one.scenario.md": scenarioFile("one", ['go to "/"', 'expect text "Nowhere" within 100ms'], covers),
    "two.scenario.md": scenarioFile("two", ['go to "/"'], covers),
  });
});
afterAll(async () => {
  there.stdin.end();
  await there.exited;
  await here.close();
  await shop.stop();
  host.close();
  rmSync(dataDir, { recursive: true });
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of stream) {
    const parts = (text + decoder.decode(piece, { stream: true })).split("\n");
    text = parts.pop()!;
    yield* parts;
  }
}

type Ask = (request: Request) => Promise<Response>;
const atHere: Ask = async (request) => here.app.handle(request);
const atThere: Ask = async ({ url, method, headers, body }) => {
  const { pathname, search } = new URL(url);
  const own = new Headers(headers);
  own.delete("host");
  return fetch(`${thereUrl}${pathname}${search}`, { method, headers: own, body });
};

/** A call of one of them, as the owner's key makes it. */
const ask = (
  at: Ask,
  method: string,
  path: string,
  body?: unknown,
  authorization = `Bearer ${here.apiKey}`,
) =>
  at(
    new Request(`http://localhost${path}`, {
      method,
      headers: { host: "localhost", authorization, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );

/** Both carry out what is due, at the same time, until nothing is. */
async function both(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    there.stdin.write("go\n");
    there.stdin.flush();
    await here.runJobs();
    await runPeriodic(here, "gates.untold");
    expect((await lines.next()).value).toBe("done");
  }
}

const gatesOf = async (pull: ModelPull): Promise<GateAnswer[]> => {
  const list = (await (await here.api(`/v1/gates?pr=${pull.number}`)).json()) as { items: { id: string }[] };
  return Promise.all(
    list.items.map(async ({ id }) => (await here.api(`/v1/gates/${id}`)).json() as Promise<GateAnswer>),
  );
};

test("judge a pull request once: one gate, a run for each scenario, one check, one comment, one notice", async () => {
  const pull = host.openPull({ "src/a.ts": "1" });
  host.deploy(pull.headSha, shop.url);
  const news = host.pullPayload("opened", pull);
  const answers = await Promise.all([
    host.deliver("pull_request", news, "4bde1830-0000-4000-8000-000000000001"),
    host.deliver("pull_request", news, "4bde1830-0000-4000-8000-000000000001"),
    host.deliver("pull_request", host.pullPayload("synchronize", pull)),
  ]);
  expect(answers.map((answer) => answer!.status)).toEqual([200, 200, 200]);
  await both();
  const gates = await gatesOf(pull);
  expect(gates).toMatchObject([
    { status: "failed", attempt: 1, scenarios: [{ run_status: "failed" }, { run_status: "passed" }] },
  ]);
  const { records } = here.store;
  const runs = await records.selectFrom("runs").select("id").where("type", "=", "pr").execute();
  expect(runs).toHaveLength(2);
  const checks = host.model.checkRuns.filter(({ head_sha }) => head_sha === pull.headSha);
  expect(checks).toMatchObject([{ status: "completed", conclusion: "failure" }]);
  expect(checks[0]!.annotations).toHaveLength(1);
  expect(host.model.comments.filter(({ number }) => number === pull.number)).toMatchObject([
    { body: expect.stringContaining("The gate fails") },
  ]);
  const notices = await records
    .selectFrom("notices")
    .select("event")
    .where("gate_id", "=", gates[0]!.id)
    .execute();
  expect(notices).toEqual([{ event: "gate.failed" }]);
});

test("asked by CI at both at once, begin one gate, and both answers are that one", async () => {
  const pull = host.openPull({ "docs/a.md": "1" });
  const body = {
    ...{ pr: pull.number, head_sha: pull.headSha, base_sha: host.repository.head("main") },
    url: shop.url,
  };
  const answers = await Promise.all(
    [atHere, atThere, atHere, atThere].map((at) => ask(at, "POST", "/v1/gates", body)),
  );
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  const ids = new Set<string>();
  for (const answer of answers) ids.add(((await answer.json()) as GateAnswer).id);
  expect(ids.size).toBe(1);
  await both();
  expect(await gatesOf(pull)).toMatchObject([{ status: "passed" }]);
});

test("decide once, whichever of them is asked", async () => {
  const pull = host.openPull({ "src/b.ts": "1" });
  host.deploy(pull.headSha, shop.url);
  await host.deliver("pull_request", host.pullPayload("opened", pull));
  await both();
  const comment = host.model.comments.find(({ number }) => number === pull.number)!.body;
  const [approve, reject] = [...comment.matchAll(/\((http[^)]+\/v1\/gate\/decision\?token=[^)]+)\)/g)].map(
    ([, link]) => new URL(link!),
  );
  const press = (at: Ask, { pathname, search }: URL) =>
    ask(at, "POST", `${pathname}${search}`, undefined, "");
  const answers = await Promise.all([press(atHere, approve!), press(atThere, reject!)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
