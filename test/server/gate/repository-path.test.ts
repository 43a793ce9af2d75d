import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GateAnswer } from "../../../server/gate/gates/model.ts";
import { type GateLab, gateLab, scenarioFile } from "../../helpers/gates.ts";
import { createRepository, type Repository } from "../../helpers/host-api/repository.ts";
import { send } from "../../helpers/watch.ts";

setDefaultTimeout(180_000);

// The server reads a repository on its own disk; nobody named a code host.
const repository: Repository = createRepository();
const base = repository.commit("main", {
  "shop/home.scenario.md": scenarioFile("home", ['go to "/"'], 'covers: ["src/home/**"]\n'),
  "shop/gone.scenario.md": scenarioFile(
    "gone",
    ['go to "/"', 'expect text "Nowhere" within 100ms'],
    'covers: ["src/gone/**"]\n',
  ),
  "src/home/a.ts": "1",
});
let lab: GateLab;
beforeAll(async () => {
  const code_host = { repository: "acme/shop", repository_path: repository.folder };
  lab = await gateLab({ settings: { code_host } });
});
afterAll(async () => {
  await lab.close();
  repository.close();
});

let pr = 0;
async function judged(head: string, more: Record<string, unknown> = {}): Promise<GateAnswer> {
  const body = { pr: ++pr, head_sha: head, base_sha: base, url: lab.shop.url, ...more };
  const asked = await send(lab.app, "POST", "/v1/gates", body);
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as GateAnswer;
  await lab.work();
  return lab.gate(id);
}

test("a commit is planned from the repository on this machine's disk: what changed, and the files of the commit", async () => {
  const good = repository.commit("good", { "src/home/a.ts": "2" });
  expect(await judged(good)).toMatchObject({
    ...{ status: "passed", repo: "acme/shop" },
    scenarios: [
      { slug: "home", path: "shop/home.scenario.md", reasons: [{ path: "src/home/a.ts", rule: "covers" }] },
    ],
  });
  const bad = repository.commit("bad", { "src/gone/a.ts": "2" });
  expect(await judged(bad)).toMatchObject({ status: "failed", scenarios: [{ slug: "gone" }] });
  const nothing = repository.commit("docs", { "README.md": "2" });
  expect(await judged(nothing)).toMatchObject({ status: "passed", scenario_count: 0 });
});

test("what came with the request goes before the repository", async () => {
  const head = repository.commit("given", { "src/gone/b.ts": "2" });
  const gate = await judged(head, { changed: ["src/home/a.ts"] });
  expect(gate.scenarios).toMatchObject([{ slug: "home", finding: { outcome: "passed" } }]);
});

test("a file that a branch renamed concerns the scenarios of both names", async () => {
  const head = repository.commit("moved", { "src/home/a.ts": null, "docs/a.ts": "1" });
  expect(await judged(head)).toMatchObject({ scenarios: [{ slug: "home" }] });
});

test("what did not compile where the branch began is not laid to it, also when the base got mended since", async () => {
  const old = "shop/old.scenario.md";
  const began = repository.commit("next", { [old]: scenarioFile("old", ['go too "/"']) });
  const head = repository.commit("tidy", { "shop/gone.scenario.md": null }, { from: "next" });
  const mended = repository.commit("next", { [old]: scenarioFile("old", ['go to "/"']) });
  for (const base_sha of [began, mended])
    expect(await judged(head, { base_sha })).toMatchObject({
      ...{ status: "passed", problems: [{ path: old, isNew: false }] },
    });
  const worse = repository.commit("worse", { "shop/home.scenario.md": "none" }, { from: "next" });
  const gate = await judged(worse, { base_sha: mended });
  expect([gate.status, gate.problems[0]]).toEqual([
    "failed",
    expect.objectContaining({ path: "shop/home.scenario.md", isNew: true }),
  ]);
});

test("a commit that the repository does not have, or no repository, is our fault and no pass, and says what is missing", async () => {
  const gone = await judged("f".repeat(40));
  expect(gone).toMatchObject({ status: "error", passes: false });
  expect(gone.reason).toContain("f".repeat(40).slice(0, 7));
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-none-"));
  for (const repository_path of [folder, join(folder, "not-there")]) {
    await using other = await gateLabAt(repository_path);
    const gate = await other.judged();
    expect(gate).toMatchObject({ status: "error", passes: false, reason: expect.stringContaining(folder) });
  }
  rmSync(folder, { recursive: true });
});

/** A server of its own, whose settings name another folder. */
async function gateLabAt(repository_path: string) {
  const other = await gateLab({ settings: { code_host: { repository: "acme/shop", repository_path } } });
  return {
    async judged(): Promise<GateAnswer> {
      const body = { pr: 1, head_sha: base, base_sha: base, url: other.shop.url };
      const { id } = (await (await send(other.app, "POST", "/v1/gates", body)).json()) as GateAnswer;
      await other.work();
      return other.gate(id);
    },
    [Symbol.asyncDispose]: () => other.close(),
  };
}
