import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../helpers/program.ts";

test("a reader that goes away is no failure: what a command does is done to its end, without a stack trace", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tracedeck-pipe-"));
  try {
    for (const args of [["playwright", "init", folder], ["--help"], ["scenarios", "schema"], ["licenses"]]) {
      // The reader is gone before the first word comes.
      const script = '("$@"; echo "code $?" >&2) | true';
      const child = Bun.spawn(["sh", "-c", script, "sh", ...PROGRAM, ...args], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      const said = await new Response(child.stderr).text();
      expect(said.trim()).toBe("code 0");
    }
    expect(readdirSync(folder)).toContain("tracedeck-fixture.cjs");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(process.platform !== "linux")(
  "output that a full disk does not take is a failure told in one line",
  async () => {
    const child = Bun.spawn(["sh", "-c", '"$@" > /dev/full', "sh", ...PROGRAM, "scenarios", "schema"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const said = await new Response(child.stderr).text();
    expect([await child.exited, said.trim().split("\n")]).toEqual([
      1,
      [expect.stringContaining("The output could not be written: ENOSPC")],
    ]);
  },
);
