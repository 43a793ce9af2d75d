import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { REVISIONS, type Revision } from "../../helpers/agents.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { scratchFolder } from "../../helpers/program.ts";

const SUITE = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
/**
 * What the official suite has for servers that offer tools, resources and prompts of their own. The rest asks for named
 * fixture tools, or for what is not offered: sampling, elicitation, logging, completion, subscriptions, tasks.
 */
const SCENARIOS: Record<Revision, string[]> = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "resources-list",
    "tools-list",
    "prompts-list",
    "dns-rebinding-protection",
    "server-session-lifecycle",
  ],
  "2026-07-28": [
    "server-stateless",
    "tools-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
  ],
};

/** Parts of a scenario that need a tool of the suite's own. */
const NO_FIXTURE = /^Not testable: server does not list the diagnostic tool/;

const scratch = scratchFolder();
let t: TestApp;
let proxy: Bun.Server<undefined>;

beforeAll(async () => {
  t = await testApp({ settings: { rate_limits: { reads_per_minute: 1_000_000 } } });
  const target = t.listen();
  // The suite sends no credential.
  proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url, method, headers, body, signal }) => {
      const sent = new Headers(headers);
      sent.set("authorization", `Bearer ${t.apiKey}`);
      return fetch(target + new URL(url).pathname, { method, headers: sent, body, signal });
    },
  });
});
afterAll(async () => {
  await proxy.stop(true);
  await t.close();
  scratch.remove();
});

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

/** Runs all that the suite asks of a revision, and tells what failed of the scenarios that apply. */
async function failuresIn(revision: Revision): Promise<string[]> {
  const out = scratch.at(revision);
  const child = Bun.spawn(
    [
      ...[process.execPath, SUITE, "server", "--url", `${proxy.url.href}mcp`],
      ...["--requirements", revision, "--output-dir", out],
    ],
    { stdio: ["ignore", "ignore", "ignore"] },
  );
  await child.exited;
  const failures = SCENARIOS[revision].map(async (scenario) => {
    const folder = readdirSync(out).find((name) => name.startsWith(`server-${scenario}-2`));
    if (!folder) return [`${scenario} was not run`];
    const checks = (await Bun.file(join(out, folder, "checks.json")).json()) as Check[];
    const failed = checks.filter(
      ({ status, errorMessage = "" }) => status === "FAILURE" && !NO_FIXTURE.test(errorMessage),
    );
    return failed.map(({ id, errorMessage }) => `${scenario} ${id}: ${errorMessage}`);
  });
  return (await Promise.all(failures)).flat();
}

test.each([...REVISIONS])(
  "/mcp passes the official suite's scenarios for revision %s that apply to it",
  async (revision) => {
    expect(await failuresIn(revision)).toEqual([]);
  },
);
