import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadServerId } from "../../../server/platform/server-id.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-id-"));
  path = join(folder, "server.id");
});
afterEach(() => rmSync(folder, { recursive: true }));
const newId = () => crypto.randomUUID();

test("a folder's server has one id from its first start on", () => {
  const first = loadServerId(path, newId);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(loadServerId(path, newId)).toBe(first);
  expect(readdirSync(folder)).toEqual(["server.id"]);
  if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("what is no id is replaced", () => {
  writeFileSync(path, "half of an i");
  const made = loadServerId(path, newId);
  expect(readFileSync(path, "utf8").trim()).toBe(made);
  expect(loadServerId(path, newId)).toBe(made);
});
