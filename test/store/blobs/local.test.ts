import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalBlobFiles } from "../../../store/blobs/local.ts";
import { layout } from "../../../store/layout.ts";

let folder: string;
let blobs: ReturnType<typeof createLocalBlobFiles>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-blobs-"));
  blobs = createLocalBlobFiles(layout(folder));
});
afterEach(() => rmSync(folder, { recursive: true }));

function stage(content: string | Uint8Array) {
  const path = join(folder, "staged");
  writeFileSync(path, content);
  return { path, hash: new Bun.CryptoHasher("sha256").update(content).digest("hex") };
}

test("an adopted file lies under the first two bytes of its hash and leaves the staging place", async () => {
  const { path, hash } = stage("hello");
  await blobs.adopt(path, hash);
  expect(existsSync(path)).toBe(false);
  expect(blobs.loosePath(hash)).toBe(
    join(folder, "blobs", "sha256", hash.slice(0, 2), hash.slice(2, 4), hash),
  );
  expect(readFileSync(blobs.loosePath(hash), "utf8")).toBe("hello");
  expect(await blobs.exists(hash)).toBe(true);
});

test("adopting a blob that is there keeps the one that is there and drops the staged file", async () => {
  const first = stage("same");
  await blobs.adopt(first.path, first.hash);
  const second = stage("same");
  await blobs.adopt(second.path, second.hash);
  expect(existsSync(second.path)).toBe(false);
  expect(readFileSync(blobs.loosePath(first.hash), "utf8")).toBe("same");
});

test("a damaged file of another size gives way to the good bytes", async () => {
  const first = stage("whole");
  await blobs.adopt(first.path, first.hash);
  truncateSync(blobs.loosePath(first.hash), 2);
  const second = stage("whole");
  await blobs.adopt(second.path, second.hash);
  expect(readFileSync(blobs.loosePath(first.hash), "utf8")).toBe("whole");
});

test("removing a missing blob is fine, and a held one stays until every holder lets go", async () => {
  const { path, hash } = stage("kept");
  expect(await blobs.remove(hash)).toBe(true);
  await blobs.adopt(path, hash);
  const letGo = blobs.hold([hash, hash]);
  const letGoAgain = blobs.hold([hash]);
  expect(await blobs.remove(hash)).toBe(false);
  letGo();
  letGo();
  expect(await blobs.remove(hash)).toBe(false);
  letGoAgain();
  expect(await blobs.remove(hash)).toBe(true);
  expect(await blobs.exists(hash)).toBe(false);
});
