import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { takeLock } from "../../server/platform/lock.ts";
import { holdFile } from "../../store/hold.ts";
import { layout } from "../../store/layout.ts";
import { PROGRAM, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(120_000);

const scratch = scratchFolder();
afterAll(scratch.remove);

/** Port 1 is nobody's. */
test.each([
  ["is starting", null],
  ["is stopping, and answers no more", "http://localhost:1"],
])("a command that comes while a server %s waits until it may", async (_, url) => {
  const data = scratch.at(url === null ? "starting" : "stopping");
  mkdirSync(data);
  const lock = takeLock(layout(data).lock, () => "", holdFile);
  if (url !== null) lock.announce(url);
  const child = Bun.spawn([...PROGRAM, "traces", "list", "--data", data], {
    env: { PATH: process.env.PATH!, HOME: "/nonexistent" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const said = child.stderr.getReader();
  expect(Buffer.from((await said.read()).value!).toString()).toBe(
    `Waiting for process ${process.pid} to give ${data} free.\n`,
  );
  lock.release();
  expect(await child.exited).toBe(0);
});
