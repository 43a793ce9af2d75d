import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reword, step } from "../../../../fixtures/mender/say.ts";
import type { AttemptAnswer } from "../../../../server/gate/mender/model.ts";
import { type TestApp, testApp } from "../../../helpers/app.ts";
import { type MenderLab, menderLab } from "../../../helpers/mender.ts";

setDefaultTimeout(120_000);

const ARRIVAL = [
  'go to "/desk"',
  step('click button "Check in" in row "Grace Hopper"'),
  step('expect text "Arrived" in row "Grace Hopper"'),
];
/** The script asks about nobody. */
const BROKEN = reword({ "JSON.stringify(body)": "JSON.stringify({ guest: body.gueste })" });

let app: TestApp;
let lab: MenderLab;
let repository: string;
let script: string;
beforeAll(async () => {
  repository = mkdtempSync(join(tmpdir(), "tracedeck-repository-"));
  app = await testApp({ settings: { code_host: { repository_path: repository } } });
  lab = menderLab(app);
  lab.shop.spoil(BROKEN);
  script = await (await fetch(`${lab.shop.url}/desk/desk.js`)).text();
  mkdirSync(join(repository, "public", "desk"), { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  commitScript(Buffer.from(script));
});
afterAll(async () => {
  await app.close();
  await lab.stop();
  rmSync(repository, { recursive: true, force: true });
});

function git(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], {
    cwd: repository,
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString().trimEnd();
}

function commitScript(content: Uint8Array): void {
  writeFileSync(join(repository, "public", "desk", "desk.js"), content);
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "The desk");
}

describe("an application whose script was broken since the last pass", () => {
  test("gets a patch of that script, and none of the scenario, which a repetition has verified and a commit holds", async () => {
    const { attempt } = await lab.seed({ steps: ARRIVAL, fault: BROKEN });
    expect(attempt).toMatchObject({ status: "verified", origin: "rules", patch: null });
    const shown: AttemptAnswer = await lab.json(`/v1/mender/${attempt!.id}`);
    expect(shown).toMatchObject({ classification: expect.stringMatching(/^app_regression$/) });
    expect(shown.summary).toMatch(/^Since the last pass line \d+ of \/desk\/desk\.js was changed/);
    expect(shown.patch).toContain("--- a/desk/desk.js");
    expect(shown.patch).toMatch(/^\+.*JSON\.stringify\(body\)/m);
    const preview = await lab.json(`/v1/mender/${attempt!.id}/preview`);
    expect(preview).toMatchObject({ files: [{ path: "desk/desk.js", additions: 1, deletions: 1 }] } as never);

    // Written whole, its other bytes would come out changed.
    commitScript(Buffer.concat([Buffer.from(script), Buffer.from("// caf\xe9\n", "latin1")]));
    const refused = await lab.post(`/v1/mender/${attempt!.id}/apply`, {});
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: "conflict", message: expect.stringContaining("public/desk/desk.js is no text in UTF-8") },
    ]);

    commitScript(Buffer.from(script));
    const applied = await lab.post(`/v1/mender/${attempt!.id}/apply`, {});
    expect(applied.status).toBe(200);
    const branch = `tracedeck/fix-${attempt!.id.slice(-12)}`;
    expect(git("diff", "--name-only", "main", branch)).toBe("public/desk/desk.js");
    expect(git("show", `${branch}:public/desk/desk.js`)).toBe(
      script.replace("JSON.stringify({ guest: body.gueste })", "JSON.stringify(body)").trimEnd(),
    );
    expect(git("log", "-1", "--format=%s", branch)).toStartWith("fix: ");
  });

  test("gets none when the same lines are no fault: what the server answers stays the application's", async () => {
    const fault = reword({
      '"state":"Arrived"': '"state":"Expected"',
      "The guest has arrived.": "The guest arrived.",
    });
    const { attempt } = await lab.seed({ steps: ARRIVAL, fault });
    expect(attempt!.status).not.toBe("verified");
  });
});
