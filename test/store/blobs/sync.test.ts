import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childCommand } from "../../helpers/child.ts";
import { scratchFolder } from "../../helpers/program.ts";

const CHILD = join(import.meta.dir, "../../helpers/durability-child.ts");
const scratch = scratchFolder();
afterAll(() => scratch.remove());

/** Where much waits for the disk nothing goes together, and other tests write too. */
beforeAll(() => void Bun.spawnSync(["sync"]));

let number = 0;

/** A folder with files, which a program brings to the disk. */
function withFiles(count: number) {
  const folder = scratch.at(`files-${++number}`);
  mkdirSync(folder);
  const files = Array.from({ length: count }, (_, at) => `${folder}/${at}`);
  for (const path of files) writeFileSync(path, path);
  const calls = `${folder}-calls`;

  /** @param ends with which code its `sync` does, or that it cannot be started; null for none */
  async function bring(
    what: "files" | "folders",
    paths: readonly string[],
    ends: number | "not started" | null,
  ) {
    const bin = scratch.at(`bin-${++number}`);
    mkdirSync(bin);
    if (ends !== null) {
      const shell = ends === "not started" ? "/no/such/shell" : "/bin/sh";
      writeFileSync(`${bin}/sync`, `#!${shell}\necho "$@" >> ${calls}\nexit ${ends}\n`);
      chmodSync(`${bin}/sync`, 0o700);
    }
    const child = Bun.spawn([...childCommand(CHILD), what, ...paths], {
      env: { PATH: bin },
      stdio: ["ignore", "ignore", "pipe"],
    });
    return { error: await new Response(child.stderr).text(), code: await child.exited };
  }
  const asked = () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []);
  return { folder, files, bring, asked };
}

const WELL = { error: "", code: 0 };

describe.if(process.platform === "linux")("what comes faster than a disk takes it", () => {
  test("is brought there together", async () => {
    const { folder, files, bring, asked } = withFiles(200);
    expect(await bring("files", files, 0)).toEqual(WELL);
    expect(asked().length).toBeLessThan(10);
    expect(new Set(asked())).toEqual(new Set([`-f ${folder}`]));
  });

  test("is brought there one by one where the disk refuses it together, and what cannot be is told", async () => {
    const { files, bring, asked } = withFiles(150);
    expect(await bring("files", files, 1)).toEqual(WELL);
    expect(asked()).toHaveLength(1);
    const lost = await bring("files", [...files, scratch.at("nowhere")], 1);
    expect(lost).toEqual({ error: expect.stringMatching(/ENOENT.*nowhere/), code: 1 });
  });

  test("is brought there one by one where no program does it together", async () => {
    const { folder, files, bring } = withFiles(120);
    expect(await bring("files", files, null)).toEqual(WELL);
    const lost = await bring("files", [...files, scratch.at("nowhere")], null);
    expect(lost).toEqual({ error: expect.stringMatching(/ENOENT.*nowhere/), code: 1 });
    expect(await bring("folders", Array(40).fill(folder), null)).toEqual(WELL);
    expect(await bring("files", files, "not started")).toEqual(WELL);
    expect(await bring("folders", Array(40).fill(folder), "not started")).toEqual(WELL);
  });

  test("is not worth a program for a few", async () => {
    const { folder, files, bring, asked } = withFiles(20);
    expect(await bring("files", files, 0)).toEqual(WELL);
    expect(await bring("folders", [folder], 0)).toEqual(WELL);
    expect(asked()).toEqual([]);
  });

  test("goes for folders as for files", async () => {
    const { folder, bring, asked } = withFiles(0);
    expect(await bring("folders", Array(40).fill(folder), 0)).toEqual(WELL);
    expect(asked()).toEqual([`-f ${folder}`]);
  });
});
