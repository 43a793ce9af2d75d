import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sweepLeftovers } from "../../server/main.ts";
import { type TestApp, testApp } from "../helpers/app.ts";
import { type SmallDisk, smallDisk } from "../helpers/small-disk.ts";

const KINDS = ["process-", "capture-", "tiers-", "unpacked-", "backup-", "ingest-"];

describe.if(process.getuid?.() === 0)("what a crash has left and nobody can remove", () => {
  let app: TestApp;
  let tmp: string;
  const mounted: SmallDisk[] = [];
  beforeAll(async () => {
    app = await testApp();
    tmp = join(app.dataDir, "tmp");
  });
  afterAll(async () => {
    for (const disk of mounted) disk.unmount();
    await app.close();
  });

  test("keeps neither the start nor the rest, and is told of", async () => {
    for (const kind of KINDS) {
      mkdirSync(join(tmp, `${kind}a-free`));
      // The system does not remove what something is mounted on.
      mounted.push(smallDisk(join(tmp, `${kind}b-stuck`), 1 << 20));
      mkdirSync(join(tmp, `${kind}c-free`));
    }
    await sweepLeftovers(app.deps);
    const left = readdirSync(tmp).filter((name) => !name.endsWith(".held"));
    expect(left.sort()).toEqual(KINDS.map((kind) => `${kind}b-stuck`).sort());
    for (const name of left) expect(app.logged.some((line) => line.includes(name))).toBe(true);
  });
});
