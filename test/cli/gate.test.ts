import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GateLab, gateLab, scenarioFile } from "../helpers/gates.ts";
import { type Outcome, PROGRAM, runProgram } from "../helpers/program.ts";

setDefaultTimeout(180_000);

const root = join(import.meta.dir, "..", "..");
let lab: GateLab;
let server: string;
let checkout: string;
let base: string;
let isOver = false;
let working: Promise<void>;

beforeAll(async () => {
  // Plug-and-play: the server knows no code host.
  lab = await gateLab({ settings: { code_host: {} } });
  server = lab.app.listen();
  lab.files({
    "home.scenario.md": scenarioFile("home", ['go to "/"'], 'covers: ["src/home/**"]\n'),
    "it's.scenario.md": scenarioFile(
      "gone",
      ['go to "/"', 'expect text "Nowhere" within 200ms'],
      'covers: ["src/gone/**"]\n',
    ),
  });
  base = lab.host.repository.head("main")!;
  checkout = mkdtempSync(join(tmpdir(), "tracedeck-checkout-"));
  const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: checkout });
  git("clone", "--quiet", lab.host.repository.folder, ".");
  working = (async () => {
    while (!isOver) {
      await lab.app.runJobs();
      await Bun.sleep(50);
    }
  })();
});
afterAll(async () => {
  isOver = true;
  await working;
  await lab.close();
  rmSync(checkout, { recursive: true, force: true });
});

/** A pull request whose commits the checkout has. */
function opened(files: Record<string, string>) {
  const pull = lab.host.openPull(files);
  Bun.spawnSync(["git", "fetch", "--quiet", "origin", pull.headRef], { cwd: checkout });
  return pull;
}

const gate = (pull: { number: number; headSha: string }, more: string[] = []): Promise<Outcome> =>
  runProgram([
    ...["gate", "--pr", String(pull.number), "--head", pull.headSha, "--base", base, "--repo", "acme/shop"],
    ...[
      "--url",
      lab.shop.url,
      "--checkout",
      checkout,
      "--server",
      server,
      "--api-key",
      lab.app.apiKey,
      ...more,
    ],
  ]);

test("a gate that passes ends with 0, one that fails with 1 and its causes", async () => {
  const good = await gate(opened({ "src/home/a.ts": "1" }));
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining("The gate passes.") });
  // It looks every two seconds: a quick run is over by the second look.
  expect(good.stderr).toMatch(/^(?:queued|running 1 scenario)\n/);
  expect(good.stderr).toContain("passed  home works\n");
  const bad = await gate(opened({ "src/gone/a.ts": "1" }));
  expect(bad.code).toBe(1);
  expect(bad.stdout).toContain('Expected the text "Nowhere"');
  expect(bad.stdout).toContain("it's.scenario.md:8");
  expect(bad.stdout).toMatch(/\/traces\/[0-9a-f-]{36}\?step=s2/);
});

test("what is wrong with the call is said: a commit that is not there, a key that opens nothing", async () => {
  const pull = opened({ "src/home/b.ts": "1" });
  const missing = await gate({ ...pull, headSha: "f".repeat(40) });
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("fetch-depth: 0") });
  const short = await gate({ ...pull, headSha: "abc" });
  expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining("whole commit hash") });
  const stranger = await gate(pull, ["--api-key", "product_sk_none"]);
  expect(stranger.code).toBe(1);
});

/** The script of the action's one step, with what a workflow run of the host puts into it. */
async function action(
  pull: { number: number; headSha: string; headRef: string },
  comment: string,
): Promise<Outcome> {
  const text = readFileSync(join(root, ".github/actions/gate/action.yml"), "utf8");
  const { runs } = Bun.YAML.parse(text) as {
    runs: { steps: { run: string; env: Record<string, string> }[] };
  };
  const [step] = runs.steps;
  const summary = join(checkout, ".git", "summary.md");
  writeFileSync(summary, "");
  const values: Record<string, string> = {
    "inputs.tracedeck": PROGRAM.join(" "),
    "inputs.server": server,
    "inputs.api-key": lab.app.apiKey,
    "inputs.url": lab.shop.url,
    "inputs.checkout": checkout,
    "inputs.timeout": "5",
    "inputs.comment-token": comment,
    "github.event.pull_request.number": String(pull.number),
    "github.event.pull_request.title": 'Quotes " and $(touch /tmp/never) `x`',
    "github.event.pull_request.head.ref": pull.headRef,
    "github.event.pull_request.head.sha": pull.headSha,
    "github.event.pull_request.base.sha": base,
    "github.event.pull_request.updated_at": new Date(lab.app.clock.now()).toISOString(),
    "github.event.pull_request.head.repo.full_name != github.repository": "false",
  };
  const env = Object.fromEntries(
    Object.entries(step!.env).map(([name, template]) => {
      const [, expression] = /^\$\{\{ (.+) \}\}$/.exec(template)!;
      expect([name, Object.hasOwn(values, expression!)]).toEqual([name, true]);
      return [name, values[expression!]!];
    }),
  );
  return shell(step!.run, {
    ...env,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_API_URL: lab.host.apiUrl,
  });
}

async function shell(script: string, env: Record<string, string>): Promise<Outcome> {
  const child = Bun.spawn(["bash", "-eo", "pipefail", "-c", script], {
    cwd: checkout,
    env: { PATH: process.env.PATH!, HOME: "/nonexistent", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

test("the action gates, writes the job's summary, and one comment with the run's own token", async () => {
  const pull = opened({ "src/gone/c.ts": "1" });
  const first = await action(pull, lab.host.asToken.token);
  expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("failed")]);
  const summary = readFileSync(join(checkout, ".git", "summary.md"), "utf8");
  expect(summary).toStartWith("### The gate fails");
  expect(lab.comment(pull)).toContain("#### ❌ gone works");
  await action(pull, lab.host.asToken.token);
  expect(lab.host.model.comments.filter(({ number }) => number === pull.number)).toHaveLength(1);
  const [row] = await lab.gates(`&pr=${pull.number}`);
  expect(row).toMatchObject({ attempt: 2, trigger: "api" });
});

test("the shell recipe of the documentation does the same with curl and jq", async () => {
  const text = readFileSync(join(root, "viewer/docs/gate.md"), "utf8");
  const [, recipe] = /### With curl[\s\S]*?```sh\n([\s\S]*?)```/.exec(text)!;
  const run = (pull: { number: number; headSha: string }) =>
    shell(recipe!, {
      ...{ TRACEDECK_SERVER: server, TRACEDECK_KEY: lab.app.apiKey, PREVIEW_URL: lab.shop.url },
      ...{ PR: String(pull.number), REPO: "acme/shop", HEAD_SHA: pull.headSha, BASE_SHA: base },
    });
  // Before the first scenario there is none.
  const [declared] = /^scenarios\(\) \{[\s\S]*?\n\}/m.exec(recipe!)!;
  const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
  expect(await shell(`${declared}\nscenarios ${emptyTree}`, {})).toEqual({ code: 0, stdout: "", stderr: "" });
  const good = await run(opened({ "src/home/d.ts": "1" }));
  expect([good.code, good.stderr]).toEqual([0, ""]);
  expect(good.stdout).toContain("### The gate passes");
  const bad = await run(opened({ "src/gone/d.ts": "1" }));
  expect([bad.code, bad.stderr]).toEqual([1, ""]);
  expect(bad.stdout).toContain("#### ❌ gone works");
});
