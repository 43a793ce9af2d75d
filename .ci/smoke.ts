/** Builds the executable and does with it what everybody does first: start it, look at the page, keep a trace, stop it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { version } from "../package.json";
import { bundle, eventLines, events, manifest } from "../test/helpers/bundles.ts";
import { executable } from "../test/helpers/executable.ts";
import { runProgram, scratchFolder, startProgram } from "../test/helpers/program.ts";

const command = [await executable()];
const scratch = scratchFolder();
try {
  assert.equal((await runProgram(["--version"], { command })).stdout, `${version}\n`);

  const { stdout } = await runProgram(["licenses", "--json"], { command });
  const notices = JSON.parse(stdout) as { name: string }[];
  assert.ok(notices.some(({ name }) => name === "elysia") && notices.some(({ name }) => name === "bun"));

  const server = await startProgram(scratch.at("data"), { command, cwd: scratch.path });
  const page = await fetch(`${server.url}/traces`);
  assert.equal(page.status, 200);
  const script = /src="(\/assets\/[^"]+)"/.exec(await page.text())?.[1];
  assert.ok(script, "the page names its script");
  assert.equal((await fetch(new URL(script, server.url))).status, 200);
  assert.equal((await fetch(`${server.url}/playwright-viewer/sw.bundle.js`)).status, 200);

  writeFileSync(scratch.at("bundle.tar.zst"), bundle([manifest(), events(eventLines(10))]));
  const args = ["ingest", scratch.at("bundle.tar.zst"), "--scenario", "smoke", "--wait", "--json"];
  const ingest = await runProgram([...args, "--data", scratch.at("data")], { command });
  assert.equal(JSON.parse(ingest.stdout || "{}").status, "failed", ingest.stderr);

  assert.equal(await server.stop("SIGTERM"), 0);
} finally {
  scratch.remove();
}
console.log("The executable starts, serves its pages, keeps a trace and stops.");
