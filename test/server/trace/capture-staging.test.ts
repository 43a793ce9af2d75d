import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type Member, stageFile, stageMembers } from "../../../server/trace/capture/staging.ts";
import { type TestApp, testApp } from "../../helpers/app.ts";
import { sha256 } from "../../helpers/bundles.ts";

let on: TestApp;
let deps: TestApp["deps"];
beforeAll(async () => {
  on = await testApp();
  const { config } = on.deps;
  deps = { ...on.deps, config: { ...config, limits: { ...config.limits, uploadCapBytes: 100 } } };
});
afterAll(() => on.close());

const left = () => readdirSync(on.store.layout.tmp);
const member = (text: string): Member => ({ hash: sha256(text), bytes: Buffer.from(text) });

describe("what a capture is given without a request", () => {
  test("bytes are on disk while they are used, and gone afterwards", async () => {
    const kept = await stageFile(deps, Buffer.from("a film"), async (file) => {
      expect(readFileSync(file.path, "utf8")).toBe("a film");
      return file;
    });
    expect(kept).toMatchObject({ size: 6, sha256: sha256("a film") });
    expect(Buffer.from(kept.head).toString()).toBe("a film");
    expect(existsSync(kept.path)).toBe(false);
  });

  test("has the cap of uploads, one file and all of several", async () => {
    const large = Buffer.alloc(101);
    const never = () => Promise.reject(new Error("It was used."));
    await expect(stageFile(deps, large, never)).rejects.toMatchObject({ kind: "bundle_too_large" });
    const halves = [member("a".repeat(50)), member("b".repeat(51))];
    await expect(stageMembers(deps, halves, never)).rejects.toMatchObject({ kind: "bundle_too_large" });
    const both = await stageMembers(
      deps,
      [halves[0]!, member("c".repeat(50))],
      async (files) => files.length,
    );
    expect(both).toBe(2);
    expect(left()).toEqual([]);
  });

  test("is at most a thousand files, and no more of them are asked for", async () => {
    let asked = 0;
    function* endless() {
      for (;;) {
        asked += 1;
        yield { hash: "", bytes: new Uint8Array(0) };
      }
    }
    const staging = stageMembers(deps, endless(), async () => {});
    await expect(staging).rejects.toThrow("There are more than 1000 members.");
    expect(asked).toBe(1001);
    expect(left()).toEqual([]);
  });
});
