import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startShop } from "../../fixtures/app/shop.ts";
import type { InboundDelivery } from "../../server/gate/inbound-deliveries/model.ts";
import { executable } from "../helpers/executable.ts";
import { scenarioFile } from "../helpers/gates.ts";
import { type HostApi, startHostApi } from "../helpers/host-api/host-api.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";
import { eventually } from "../helpers/until.ts";

const scratch = scratchFolder();
let host: HostApi;
let server: RunningServer;
let begin: () => Promise<RunningServer>;
const forward = ({ headers, method, body }: Request) =>
  fetch(`${server.url}/v1/webhooks/github`, { method, headers, body });

beforeAll(async () => {
  const command = [await executable()];
  host = startHostApi();
  mkdirSync(scratch.at("data"), { recursive: true });
  writeFileSync(join(scratch.at("data"), "settings.json"), JSON.stringify({ code_host: host.asApp }));
  begin = () => startProgram(scratch.at("data"), { command, cwd: scratch.path });
  server = await begin();
  host.sendsTo(forward);
}, 300_000);
afterAll(async () => {
  await server?.stop();
  host?.close();
  scratch.remove();
});

test("the executable handles what it took before it was killed, and what was told while it was down, once each", async () => {
  const check = await (await server.api("/v1/code-host/check")).json();
  expect(check).toEqual({ ok: true, message: "acme/shop answers: 0 open pull requests." });
  const taken = host.openPull({ "a.md": "1" });
  const began = performance.now();
  const answer = await host.deliver("pull_request", host.pullPayload("opened", taken));
  expect(answer?.status).toBe(200);
  expect(performance.now() - began).toBeLessThan(1000);
  await server.stop("SIGKILL");
  const missed = host.openPull({ "b.md": "1" });
  host.sendsTo(null);
  await host.deliver("pull_request", host.pullPayload("opened", missed));
  server = await begin();
  host.sendsTo(forward);
  await eventually(async () => {
    const { items } = (await (await server.api("/v1/inbound-deliveries")).json()) as {
      items: InboundDelivery[];
    };
    expect(items.map(({ subject, state }) => [subject, state]).sort()).toEqual([
      [`#${taken.number}`, "done"],
      [`#${missed.number}`, "done"],
    ]);
  }, 30_000);
}, 120_000);

test("the executable judges a pull request from the webhook to the check run and the comment, with links that lead to it", async () => {
  const shop = startShop();
  try {
    const covers = 'covers: ["src/**"]\n';
    host.repository.commit("main", {
      "home.scenario.md": scenarioFile("home", ['go to "/"', 'expect text "Slow Mornings"'], covers),
      "gone.scenario.md": scenarioFile("gone", ['go to "/"', 'expect text "Nowhere" within 200ms'], covers),
    });
    const pull = host.openPull({ "src/a.ts": "1" });
    host.deploy(pull.headSha, shop.url);
    expect((await host.deliver("pull_request", host.pullPayload("opened", pull)))?.status).toBe(200);
    await eventually(async () => {
      const check = host.model.checkRuns.find(({ head_sha }) => head_sha === pull.headSha);
      expect([check?.status, check?.conclusion]).toEqual(["completed", "failure"]);
      const comment = host.model.comments.find(({ number }) => number === pull.number)?.body ?? "";
      expect(comment).toContain("1 of 2 scenarios fails.");
    }, 60_000);
    const check = host.model.checkRuns.find(({ head_sha }) => head_sha === pull.headSha)!;
    expect(check.annotations.map(({ path }) => path)).toEqual(["gone.scenario.md"]);
    expect(check.details_url).toStartWith(`${server.url}/pull-requests/`);
    const { body } = host.model.comments.find(({ number }) => number === pull.number)!;
    const [, trace] = /\]\((http[^)]+\/traces\/[^)?]+)/.exec(body)!;
    const { pathname } = new URL(trace!);
    expect(trace).toBe(`${server.url}${pathname}`);
    expect(await (await server.api(`/v1${pathname}`)).json()).toMatchObject({
      status: "failed",
      pr_number: pull.number,
    });
  } finally {
    await shop.stop();
  }
}, 120_000);
