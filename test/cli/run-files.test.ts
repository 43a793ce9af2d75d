import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runProgram, scratchFolder } from "../helpers/program.ts";

setDefaultTimeout(180_000);

const folder = scratchFolder();
const data = folder.at("data");
const home = folder.at("scenarios");
const secret = folder.at("secret.txt");
mkdirSync(home);
writeFileSync(secret, "what nobody is to read");
writeFileSync(join(home, "real.txt"), "what is inside");
symlinkSync(secret, join(home, "inside.txt"));
symlinkSync("real.txt", join(home, "same.txt"));
symlinkSync("..", join(home, "up"));
afterAll(() => folder.remove());

const PAGE = `data:text/html,${encodeURIComponent(
  `<input type=file aria-label=File onchange="this.files[0].text().then((text) => document.body.append(text))">`,
)}`;

function scenario(slug: string, steps: string[], more = ""): string {
  const path = join(home, `${slug}.scenario.md`);
  const numbered = steps.map((step, at) => `${at + 1}. ${step}`).join("\n");
  writeFileSync(path, `---\nslug: ${slug}\ntitle: ${slug}\n${more}---\n${numbered}\n`);
  return path;
}

interface Run {
  status: string;
  error: { reason: string | null; message: string } | null;
}

test("run uploads files of the scenario's folder, whatever links say, and opens none", async () => {
  const uploads = (name: string) => [`go to "${PAGE}"`, `upload "${name}" to field "File"`];
  const inside = scenario("inside", [
    ...uploads("real.txt"),
    ...uploads("same.txt"),
    'expect text "what is inside"',
  ]);
  const refused = ["inside.txt", "up/secret.txt", "../secret.txt", "/etc/hostname", "up"].map((name, at) =>
    scenario(`outside-${at}`, uploads(name)),
  );
  const opened = scenario("opened", [`go to "${pathToFileURL(secret)}"`]);
  const { code, stdout } = await runProgram(["run", inside, ...refused, opened, "--data", data, "--json"]);
  expect(code).toBe(1);
  const [passed, ...others] = (JSON.parse(stdout) as { runs: Run[] }).runs;
  expect(passed).toMatchObject({ status: "passed", error: null });
  const last = others.pop();
  expect(last).toMatchObject({ status: "error", error: { reason: "url_not_allowed" } });
  expect(others).toHaveLength(refused.length);
  for (const { status, error } of others) {
    expect({ status, reason: error?.reason }).toEqual({ status: "error", reason: "file_missing" });
    expect(error?.message).toContain("lies outside of the scenario's folder");
  }
});

test("run and sync read recorded answers of the scenario's folder, not what links lead to", async () => {
  writeFileSync(folder.at("secret.har"), '{"log":{"entries":[]}}');
  symlinkSync(folder.at("secret.har"), join(home, "linked.har"));
  const file = scenario(
    "linked",
    ['go to "about:blank"'],
    'clones: [{ service: record, match: "**", har: linked.har }]\n',
  );
  const why = "The file linked.har lies outside of the scenario's folder.";
  const ran = await runProgram(["run", file, "--data", data]);
  expect(ran.stderr).toContain(why);
  const synced = await runProgram(["scenarios", "sync", home, "--data", data]);
  expect(synced.stderr).toContain(why);
  expect([ran.code, synced.code]).toEqual([1, 1]);
});

test("run refuses private targets where the settings of its data folder do", async () => {
  const guarded = folder.at("guarded");
  mkdirSync(guarded);
  writeFileSync(join(guarded, "settings.json"), '{ "browser": { "allow_private_targets": false } }');
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("<h1>Hello</h1>") });
  const file = scenario("near", [`go to "${server.url.href}"`]);
  const [refused, opened] = [
    await runProgram(["run", file, "--data", guarded, "--json"]),
    await runProgram(["run", file, "--data", data, "--json"]),
  ];
  await server.stop(true);
  const [run] = (JSON.parse(refused.stdout) as { runs: Run[] }).runs;
  expect(run).toMatchObject({ status: "error", error: { reason: "url_not_allowed" } });
  expect([refused.code, opened.code]).toEqual([1, 0]);
});
