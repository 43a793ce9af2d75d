import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { takeLock } from "../../server/platform/lock.ts";
import { holdFile } from "../../store/hold.ts";
import { layout } from "../../store/layout.ts";
import { SOURCE, scratchFolder, startProgram } from "../helpers/program.ts";
import { withFaults } from "../helpers/uncaught.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
afterAll(scratch.remove);

const command = withFaults(SOURCE);
const WHAT = "Nobody saw this coming.";

for (const FAULT of ["exception", "rejection"]) {
  test(`a server to which an uncaught ${FAULT} comes tells it in its log and goes on`, async () => {
    const server = await startProgram(scratch.at(`server-${FAULT}`), { command, env: { FAULT } });
    process.kill(server.pid, "SIGUSR2");
    await until("it is told", () => server.log().includes(WHAT));
    const [line] = server.log().trim().split("\n");
    expect(JSON.parse(line!)).toMatchObject({ level: "error", error: { message: WHAT } });
    expect((await server.api("/v1/traces")).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  test(`a command to which an uncaught ${FAULT} comes ends with its words, whatever it is waiting for`, async () => {
    const data = scratch.at(`command-${FAULT}`);
    mkdirSync(data);
    const lock = takeLock(layout(data).lock, () => "", holdFile);
    const child = Bun.spawn([...command, "traces", "list", "--json", "--data", data], {
      env: { PATH: process.env.PATH!, HOME: "/nonexistent", FAULT },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = child.stderr.getReader();
    const first = await said.read();
    expect(Buffer.from(first.value!).toString()).toContain("Waiting for process");
    child.kill("SIGUSR2");
    expect(await child.exited).toBe(1);
    expect(Buffer.from((await said.read()).value!).toString()).toContain(WHAT);
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({
      error: "internal",
      message: expect.stringContaining(WHAT),
    });
    lock.release();
  });
}

test("a run in the terminal to which an uncaught exception comes ends as an error, and is kept as one", async () => {
  const file = scratch.at("waits.scenario.md");
  await Bun.write(file, "---\nslug: waits\ntitle: Waits\n---\n1. wait 1ms\n2. wait 10m\n");
  const data = ["--data", scratch.at("run"), "--base-url", "http://127.0.0.1:9"];
  const child = Bun.spawn([...command, "run", file, ...data], {
    env: { PATH: process.env.PATH!, HOME: "/nonexistent" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const reading = (async () => {
    for await (const chunk of child.stdout) said += Buffer.from(chunk).toString();
  })();
  await until("its first step has ended", () => said.includes("wait 1ms"));
  child.kill("SIGUSR2");
  expect(await child.exited).toBe(1);
  await reading;
  expect(said).toContain(WHAT);
  expect(said).toMatch(/error .*tracedeck open \w{12}/);
});
