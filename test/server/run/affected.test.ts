import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { reasonsFor } from "../../../server/run/scenarios/affected.ts";
import { putCoverage } from "../../../store/records/coverage.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";

let app: TestApp;
let repository: string;
const commits: string[] = [];

function git(...args: string[]): string {
  const { stdout, stderr, success } = Bun.spawnSync(
    ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", ...args],
    { cwd: repository },
  );
  if (!success) throw new Error(String(stderr));
  return String(stdout).trim();
}

function commit(files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "x");
  return git("rev-parse", "HEAD");
}

beforeAll(async () => {
  repository = mkdtempSync(join(tmpdir(), "tracedeck-repository-"));
  git("init", "-q", "-b", "main");
  commits.push(commit({ "src/checkout/pay.ts": "1", "readme.md": "1" }));
  commits.push(commit({ "src/checkout/.env": "1", "web/public/assets/cart.js": "1", "docs/a b\nc.md": "1" }));
  commits.push(commit({ "e2e/buys.scenario.md": "1", "readme.md": "2" }));
  app = await testApp({ settings: { code_host: { repository_path: repository } } });
  const text = `---\nslug: buys\ntitle: Buys\ncovers: ["src/checkout/**"]\n---\n1. go to "http://x"\n`;
  const files = [{ path: "buys.scenario.md", text }];
  await app.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
  const scenario = (await (await app.api("/v1/scenarios/buys")).json()) as { id: string };
  await putCoverage(app.deps.store.records, scenario.id, {
    paths: ["/assets/cart.js"],
    isWhole: true,
    now: 1,
  });
});
afterAll(async () => {
  await app.close();
  rmSync(repository, { recursive: true, force: true });
});

async function ask(sha: string, slug = "buys") {
  const answer = await app.api(`/v1/scenarios/${slug}/affected_by/${sha}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe("a commit", () => {
  test("concerns a scenario by what it covers, what its runs used, or its own file", async () => {
    expect(await ask(commits[0]!)).toEqual({
      status: 200,
      body: { affected: true, reasons: [{ path: "src/checkout/pay.ts", rule: "covers" }] },
    });
    expect((await ask(commits[1]!.slice(0, 8).toUpperCase())).body.reasons).toEqual([
      { path: "src/checkout/.env", rule: "covers" },
      { path: "web/public/assets/cart.js", rule: "coverage" },
    ]);
    expect((await ask(commits[2]!)).body).toEqual({
      affected: true,
      reasons: [{ path: "e2e/buys.scenario.md", rule: "scenario_file" }],
    });
    expect((await ask(commit({ "readme.md": "3" }))).body).toEqual({ affected: false, reasons: [] });
  });

  test("that merges counts by what it brought to its first parent", async () => {
    git("checkout", "-q", "-b", "topic", commits[0]!);
    commit({ "src/checkout/new.ts": "1" });
    git("checkout", "-q", "main");
    git("merge", "-q", "--no-ff", "-m", "merge", "topic");
    expect((await ask(git("rev-parse", "HEAD"))).body.reasons).toEqual([
      { path: "src/checkout/new.ts", rule: "covers" },
    ]);
  });

  test("that is not there, or is no commit's name, is refused in words; so is a server without a repository", async () => {
    expect(await ask("0000000000")).toMatchObject({
      status: 422,
      body: { error: "validation_failed", message: expect.stringContaining("no commit 0000000000") },
    });
    for (const sha of ["HEAD", "abc", "--output=x", "a".repeat(65)])
      expect((await ask(sha)).status).toBe(422);
    expect((await ask(commits[0]!, "none")).status).toBe(404);
    const bare = await testApp();
    const text = `---\nslug: buys\ntitle: Buys\n---\n1. go to "http://x"\n`;
    await bare.api("/v1/scenarios/sync", {
      method: "POST",
      body: JSON.stringify({ files: [{ path: "buys.scenario.md", text }] }),
    });
    const answer = await bare.api(`/v1/scenarios/buys/affected_by/${commits[0]}`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining("repository_path") });
    await bare.close();
  });

  test("of a line that was never merged counts as any other: its own change is what is asked for", async () => {
    git("checkout", "-q", "--orphan", "elsewhere");
    git("rm", "-q", "-rf", ".");
    const sha = commit({ "src/checkout/elsewhere.ts": "1" });
    git("checkout", "-q", "main");
    expect((await ask(sha)).body.reasons).toEqual([{ path: "src/checkout/elsewhere.ts", rule: "covers" }]);
    expect((await ask("HEAD")).body.message).toBe(
      'The path parameter "sha" must be text that matches ^[0-9a-fA-F]{4,64}$.',
    );
  });

  test("cannot be asked for of a repository that is gone, no folder, or no repository; which one is said", async () => {
    const gone = join(repository, "gone");
    const plain = mkdtempSync(join(tmpdir(), "tracedeck-plain-"));
    const text = `---\nslug: buys\ntitle: Buys\n---\n1. go to "http://x"\n`;
    for (const [folder, said] of [
      [gone, `there is no folder ${gone}`],
      [join(repository, "readme.md"), "is no folder that can be read as a git repository"],
      [plain, `${plain} cannot be read as a git repository: `],
    ] as const) {
      const other = await testApp({ settings: { code_host: { repository_path: folder } } });
      const files = [{ path: "buys.scenario.md", text }];
      await other.api("/v1/scenarios/sync", { method: "POST", body: JSON.stringify({ files }) });
      const answer = await other.api(`/v1/scenarios/buys/affected_by/${commits[0]}`);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({
        error: "unavailable",
        message: expect.stringContaining(said),
      });
      await other.close();
    }
    rmSync(plain, { recursive: true });
  });
});

test("a script is known by the end of its path, never by a bare name alone", () => {
  const scenario = { path: null, compiled: null };
  const rules = (used: string[], changed: string[]) =>
    reasonsFor(scenario, used, changed).map(({ path }) => path);
  expect(rules(["/shop/assets/cart.js"], ["assets/cart.js"])).toEqual(["assets/cart.js"]);
  expect(rules(["/shop/assets/index.js"], ["index.js", "lib/index.js"])).toEqual([]);
  expect(rules(["/main.js"], ["web/main.js", "web/domain.js"])).toEqual(["web/main.js"]);
  expect(rules(["/"], ["a/b"])).toEqual([]);
});
