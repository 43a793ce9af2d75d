import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Shop, startShop } from "../../fixtures/app/shop.ts";
import { PROGRAM, runProgram } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

setDefaultTimeout(120_000);

let folder: string;
let shop: Shop;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-run-"));
  shop = startShop();
  write("buys", ['go to "/"', 'click testid "add-beans"', 'expect text "Cart (1)"']);
  write("fails", ['go to "/"', 'expect title "Sold out" within 200ms']);
  write("waits", ["wait 1h"], "timeout: 5s\n");
  write("wrong", ["clik it"]);
});
afterAll(async () => {
  await shop.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(slug: string, steps: string[], frontmatter = ""): void {
  const numbered = steps.map((step, at) => `${at + 1}. ${step}`).join("\n");
  writeFileSync(file(slug), `---\nslug: ${slug}\ntitle: The ${slug}\n${frontmatter}---\n${numbered}\n`);
}
const file = (slug: string) => join(folder, `${slug}.scenario.md`);
const run = (args: string[], env: Record<string, string> = {}) =>
  runProgram(["run", ...args, "--base-url", shop.url, "--data", join(folder, "data")], { env });

test("scenarios are run one after the other, each told step by step, and all are in the list of runs", async () => {
  const { stdout, code } = await run([file("buys"), file("fails"), file("waits")]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/The buys \(buys\)\n {2}✓ go to "\/".*\n {2}✓ click testid "add-beans"/);
  expect(stdout).toMatch(/passed in .* tracedeck open \w{12}\n/);
  expect(stdout).toContain('✗ expect title "Sold out" within 200ms');
  expect(stdout).toContain('    expected  a title with "Sold out"\n    received  "Everything for the pour');
  expect(stdout).toMatch(/✗ wait 1h .*\n {4}The run took longer than its 5 s\./);
  expect(stdout).toContain("1 of 3 passed");

  const json = await run(["--json", file("buys"), file("fails")]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    runs: [
      {
        type: "manual",
        trigger: "cli",
        status: "passed",
        scenario_slug: "buys",
        base_url: shop.url,
        trace_id: expect.any(String),
        error: null,
        failure_signature: null,
      },
      {
        status: "failed",
        scenario_slug: "fails",
        failure_signature: expect.stringMatching(/^sig_/),
        error: { reason: null, message: expect.stringContaining("Sold out") },
      },
    ],
  });
});

test("what cannot be run is told in words: a wrong step by its place, a region, a browser that is not there", async () => {
  const wrong = await run([file("buys"), file("wrong")]);
  expect(wrong.stderr).toContain("wrong.scenario.md:5:4: clik is no verb");
  expect(wrong.code).toBe(1);
  const region = await run([file("buys"), "--region", "mars"]);
  expect(region.stderr).toContain('The plan "team" has no region "mars". There are us-east-1,');
  expect(region.code).toBe(2);
  const browser = await run([file("buys")], { TRACEDECK_BROWSER: join(folder, "none") });
  expect(browser.stderr).toContain(
    `TRACEDECK_BROWSER names ${join(folder, "none")}, and there is no such file.`,
  );
  expect(browser.code).toBe(1);
});

/** Windows has no terminals of this kind. */
test.skipIf(process.platform === "win32")(
  "on a terminal the step that is under way moves, in one line however narrow, and Ctrl-C ends the run",
  async () => {
    write("stays", ['go to "/" within 60s', "wait 1h"]);
    let shown = "";
    const child = Bun.spawn(
      [...PROGRAM, "run", file("stays"), "--base-url", shop.url, "--data", join(folder, "pty")],
      {
        env: { PATH: process.env.PATH!, HOME: "/nonexistent", TERM: "xterm-256color" },
        terminal: {
          cols: 24,
          rows: 24,
          data: (_, bytes) => {
            shown += Buffer.from(bytes).toString();
          },
        },
      },
    );
    await until("the second step has gone on for a second", () => /⠏ wait 1h {2}\d+ s/.test(shown), 90_000);
    child.terminal!.write("\x03");
    expect(await child.exited).toBe(1);
    const frames = shown.split("\r\x1b[2K").map((frame) => Bun.stripANSI(frame.split(/[\r\n]/)[0]!));
    expect(
      frames.filter((frame) => /^ {2}[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(frame)).every((frame) => frame.length < 24),
    ).toBe(true);
    expect(shown).toContain("\x1b[32m✓");
    expect(shown).toContain("The run was interrupted.");
    expect(Bun.stripANSI(shown)).toMatch(/aborted in .* tracedeck open/);
  },
);
