import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { memoryFolder, removeMemoryFolder } from "./memory-folder.ts";

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "tracedeck-memory-"));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const mount = (...options: string[]) =>
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options.join(), "tmpfs", place]).exitCode === 0;

describe.skipIf(process.platform !== "linux")("the temporary files of a run", () => {
  test("have a folder in memory, which goes with the run", () => {
    const folder = memoryFolder(place, 0)!;
    expect(dirname(folder)).toBe(place);
    removeMemoryFolder(folder);
    expect(existsSync(folder)).toBe(false);
  });

  test("stay on the disk where there is no such place, or no room", () => {
    expect(memoryFolder(join(place, "absent"), 0)).toBeNull();
    expect(memoryFolder(place, 2 ** 60)).toBeNull();
  });

  test("that a killed run left are removed by the next, and those of a run that goes on are not", () => {
    const ended = Bun.spawnSync(["true"]).pid;
    const lost = join(place, `tracedeck-tests-${ended}-abc`);
    const others = join(place, "of-somebody-else");
    for (const folder of [lost, others]) mkdirSync(join(folder, "within"), { recursive: true });
    const mine = memoryFolder(place, 0)!;
    const second = memoryFolder(place, 0)!;
    expect([lost, others, mine, second].map(existsSync)).toEqual([false, true, true, true]);
    for (const folder of [mine, second]) removeMemoryFolder(folder);
  });

  test("stay on the disk where no program may be started from memory", () => {
    if (!mount("noexec", "size=1m")) return;
    try {
      expect(memoryFolder(place, 0)).toBeNull();
    } finally {
      Bun.spawnSync(["umount", place]);
    }
  });
});
