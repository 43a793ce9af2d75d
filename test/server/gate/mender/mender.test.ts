import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reword, step } from "../../../../fixtures/mender/say.ts";
import type { AttemptAnswer, Preview } from "../../../../server/gate/mender/model.ts";
import { lookAtRun } from "../../../../server/gate/mender/work.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { type MenderLab, menderLab } from "../../../helpers/mender.ts";
import { otherOrg } from "../../../helpers/traces.ts";

setDefaultTimeout(240_000);

const STEPS = [
  'go to "/"',
  step('click button "Add to cart" near heading "House beans, 1 kg"'),
  step('expect text "Cart (1)"'),
];
const RENAMED = reword({ "Add to cart": "Add to basket" });
const FILE = "scenarios/seed-1.scenario.md";

let app: TestApp;
let lab: MenderLab;
let repository: string;
let attempt: AttemptAnswer;
let traceId: string;

function git(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], {
    cwd: repository,
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString().trimEnd();
}

async function post(path: string, body?: unknown) {
  const response = await lab.post(path, body ?? {});
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Every program that git could be made to start leaves a file. */
function layTraps(): void {
  const trap = join(repository, "trapped");
  for (const hook of ["post-commit", "reference-transaction", "post-index-change", "pre-commit"]) {
    const path = join(repository, ".git", "hooks", hook);
    mkdirSync(join(repository, ".git", "hooks"), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho ${hook} >> ${trap}\n`);
    chmodSync(path, 0o755);
  }
  writeFileSync(join(repository, ".git", "info", "attributes"), "* filter=trap\n");
  git("config", "filter.trap.clean", `sh -c 'echo clean >> ${trap}; cat'`);
  git("config", "commit.gpgsign", "true");
  git("config", "gpg.program", `${trap}.sh`);
}

beforeAll(async () => {
  repository = mkdtempSync(join(tmpdir(), "tracedeck-repository-"));
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  app = await testApp({ settings: { code_host: { repository_path: repository } } });
  lab = menderLab(app);
  const made = await lab.seed({ steps: STEPS, fault: RENAMED });
  traceId = made.traceId;
  attempt = await lab.json(`/v1/mender/${made.attempt!.id}`);
  const { base_text } = (await lab.attemptsOf(made.scenarioId))[0]!;
  mkdirSync(join(repository, "scenarios"));
  writeFileSync(join(repository, FILE), base_text);
  git("add", ".");
  git("commit", "--quiet", "-m", "The scenario");
  layTraps();
});
afterAll(async () => {
  await app.close();
  await lab.stop();
  rmSync(repository, { recursive: true, force: true });
});

describe("a scenario whose product has changed", () => {
  test("gets a patch that a replay has verified, with what speaks for it", async () => {
    expect(attempt).toMatchObject({
      status: "verified",
      stage: "ended",
      classification: "locator_drift",
      trace_id: traceId,
      summary: 'The button "Add to cart" is the button "Add to basket" now.',
      verification: { status: "passed", unchanged: { outcome: "failed" }, from_step: 2 },
      tokens_used: 0,
      pr_url: null,
    });
    expect(attempt.evidence.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('the test id "add-beans"'),
    );
    const replayed: { status: string; parent_trace_id: string } = await lab.json(
      `/v1/traces/${attempt.verification!.trace_id}`,
    );
    expect(replayed).toMatchObject({ status: "passed", parent_trace_id: traceId });
    const preview: Preview = await lab.json(`/v1/mender/${attempt.id}/preview`);
    expect(preview.files).toEqual([{ path: "lab.scenario.md", additions: 1, deletions: 1 }]);
    expect(preview.patch).toContain(
      '+2. click button "Add to basket" near heading "House beans, 1 kg" within 4s',
    );
  });

  test("is looked at once, however often it fails alike and whoever looks", async () => {
    await lab.record(attempt.scenario_id, lab.shop.url);
    await Promise.all([lookAtRun(app.deps, attempt.run_id), lookAtRun(app.deps, attempt.run_id)]);
    await app.runJobs();
    expect(await lab.attemptsOf(attempt.scenario_id)).toHaveLength(1);
    const list: { items: AttemptAnswer[] } = await lab.json(`/v1/mender?trace=${traceId}&scenario=seed-1`);
    expect(list.items.map(({ id }) => id)).toEqual([attempt.id]);
  });

  test("is another org's business", async () => {
    const { api } = await otherOrg(app);
    const asked = await api(`/v1/mender/${attempt.id}`);
    expect(asked.status).toBe(403);
    expect((await app.api("/v1/mender/nothing")).status).toBe(404);
  });

  test("whose file in the repository is another one by now gets no branch", async () => {
    // It lies under another name there, too.
    await app.store.records
      .updateTable("mender_attempts")
      .set({ path: "seed-1.scenario.md" })
      .where("id", "=", attempt.id)
      .execute();
    const before = readFileSync(join(repository, FILE), "utf8");
    writeFileSync(join(repository, FILE), `${before}\nMore prose.\n`);
    git("-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-am", "Prose");
    const { status, body } = await post(`/v1/mender/${attempt.id}/apply`);
    expect({ status, error: body.error }).toEqual({ status: 409, error: "conflict" });
    expect(body.message).toContain("was changed since the scenario failed");
    expect(git("branch", "--list", "tracedeck/*")).toBe("");
    git("-c", "core.hooksPath=/dev/null", "reset", "--quiet", "--hard", "HEAD~1");
    rmSync(join(repository, "trapped"), { force: true });
  });

  test("is committed on a branch of its own, once; nothing else in the repository changes, and no program of it runs", async () => {
    const before = { head: git("rev-parse", "HEAD"), status: git("status", "--porcelain", "-uno") };
    rmSync(join(repository, "trapped"), { force: true });
    const { status, body } = await post(`/v1/mender/${attempt.id}/apply`);
    expect({ status, applied: body.status }).toEqual({ status: 200, applied: "applied" });
    expect(String(body.pr_url)).toMatch(new RegExp(`^http://localhost(:\\d+)?/mender/${attempt.id}$`));
    expect(existsSync(join(repository, "trapped"))).toBe(false);
    const branch = `tracedeck/fix-${attempt.id.slice(-12)}`;
    expect(git("show", `${branch}:${FILE}`)).toContain('2. click button "Add to basket"');
    expect(git("diff", "--name-only", "main", branch)).toBe(FILE);
    expect(git("log", "-1", "--format=%B", branch)).toContain("What it does not weaken");
    expect({ head: git("rev-parse", "HEAD"), status: git("status", "--porcelain", "-uno") }).toEqual(before);
    const commit = git("rev-parse", branch);
    const again = await post(`/v1/mender/${attempt.id}/apply`);
    expect(again.body).toMatchObject({ status: "applied", pr_url: body.pr_url });
    expect(git("rev-parse", branch)).toBe(commit);
    const told = await app.store.records
      .selectFrom("notices")
      .selectAll()
      .where("event", "=", "fix.pr_opened")
      .execute();
    expect(told.map(({ mender_attempt_id, channels }) => ({ mender_attempt_id, channels }))).toEqual([
      { mender_attempt_id: attempt.id, channels: null },
    ]);
    expect((await post(`/v1/mender/${attempt.id}/reject`, { reason: "Too late" })).status).toBe(409);
  });

  test("is not proposed the same patch again once somebody has rejected it", async () => {
    const slug = "rejected";
    const frontmatter = "mender: { mode: suggestive, cache: never }\n";
    const text = (prose: string) =>
      `---\nslug: ${slug}\ntitle: ${slug}\n${frontmatter}---\n${prose}\n\n${STEPS.map((one, at) => `${at + 1}. ${one}`).join("\n")}\n`;
    const scenarioId = await lab.sync(text("One."));
    lab.shop.spoil(null);
    await lab.record(scenarioId, lab.shop.url);
    lab.shop.spoil(RENAMED);
    await lab.record(scenarioId, lab.shop.url);
    const [first] = await lab.attemptsOf(scenarioId);
    expect(first?.status).toBe("verified");
    expect((await post(`/v1/mender/${first!.id}/reject`, {})).status).toBe(422);
    expect((await post(`/v1/mender/${first!.id}/reject`, { reason: "It comes back" })).body).toMatchObject({
      status: "rejected",
      reject_reason: "It comes back",
    });
    expect((await post(`/v1/mender/${first!.id}/apply`)).body.error).toBe("invalid_transition");
    await lab.sync(text("Two."));
    await lab.record(scenarioId, lab.shop.url);
    const [second] = await lab.attemptsOf(scenarioId);
    expect(second).toMatchObject({ status: "failed", patch: null, classification: "locator_drift" });
    expect(second!.evidence).toContain("was rejected before, and is not proposed again");
  });
});

describe("a replay that passed with changes", () => {
  test("is promoted to a fix, once, and what would weaken the scenario is refused", async () => {
    lab.shop.spoil(RENAMED);
    const replayOf = async (from: string, to: string) => {
      const diff = `--- a/x\n+++ b/x\n@@ -6,3 +6,3 @@\n 1. go to "/"\n-${from}\n+${to}\n ${"3. "}${STEPS[2]}\n`;
      return lab.replay(traceId, { from_step: 2, edits: { scenario_diff: diff } });
    };
    const old = `2. ${STEPS[1]}`;
    const good = await replayOf(old, old.replace("Add to cart", "Add to basket"));
    expect(good.status).toBe("succeeded");
    const longer = await replayOf(
      old,
      old.replace("Add to cart", "Add to basket").replace("within 4s", "within 20s"),
    );
    const path = `/v1/traces/${traceId}/promote-fix`;
    const refused = await post(path, { replay_id: longer.id, summary: "Slow" });
    expect({ status: refused.status, error: refused.body.error }).toEqual({
      status: 400,
      error: "invalid_request",
    });
    expect(refused.body.message).toContain("may not wait longer");
    // The repository knows the file by its own name.
    git("-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "-b", "other");
    const name = "lab.scenario.md";
    writeFileSync(join(repository, name), readFileSync(join(repository, FILE), "utf8"));
    git("add", name);
    git("-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "Named");
    const made = await post(path, { replay_id: good.id, summary: "The button is called basket now" });
    expect(made).toMatchObject({ status: 200, body: { status: "applied" } });
    expect((await post(path, { replay_id: good.id, summary: "Again" })).body).toEqual(made.body);
    const shown: AttemptAnswer = await lab.json(`/v1/mender/${made.body.mender_attempt_id}`);
    expect(shown).toMatchObject({
      origin: "replay",
      summary: "The button is called basket now",
      status: "applied",
    });
  });
});
