import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { InboundDelivery } from "../../server/gate/inbound-deliveries/model.ts";
import { executable } from "../helpers/executable.ts";
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
