import { afterAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import { fileWithin, isWithin } from "../../../server/platform/file-within.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "tracedeck-within-")));
afterAll(() => rmSync(root, { recursive: true }));
const home = join(root, "home");
mkdirSync(join(home, "sub"), { recursive: true });
writeFileSync(join(root, "secret.txt"), "secret");
writeFileSync(join(home, "a.txt"), "a");
writeFileSync(join(home, "..b.txt"), "b");
symlinkSync("a.txt", join(home, "inner.txt"));
symlinkSync("../secret.txt", join(home, "outer.txt"));
symlinkSync("..", join(home, "up"));
symlinkSync("loop", join(home, "loop"));
symlinkSync("nowhere", join(home, "dangling"));
symlinkSync(home, join(root, "entrance"));

const refusal = (name: string, folder = home) =>
  fileWithin(folder, name).then(String, ({ message }) => message);

describe("a file that a scenario names", () => {
  test("is one of its folder, as it really is called", async () => {
    expect(await fileWithin(home, "a.txt")).toBe(join(home, "a.txt"));
    expect(await fileWithin(home, "sub/../..b.txt")).toBe(join(home, "..b.txt"));
    expect(await fileWithin(home, "inner.txt")).toBe(join(home, "a.txt"));
    expect(await fileWithin(join(root, "entrance"), "a.txt")).toBe(join(home, "a.txt"));
  });

  test("lies not outside, by its name or by a link", async () => {
    const outside = (name: string) => `The file ${name} lies outside of the scenario's folder.`;
    const names = [
      "../secret.txt",
      "..",
      ".",
      "",
      "/etc/passwd",
      "../none",
      "outer.txt",
      "up/secret.txt",
      "up",
    ];
    for (const name of names) expect([name, await refusal(name)]).toEqual([name, outside(name)]);
    expect(await refusal("outer.txt", join(root, "entrance"))).toBe(outside("outer.txt"));
  });

  test("is there, and is a plain file", async () => {
    for (const name of ["none", "dangling", "loop", "a.txt/b", "a\0.txt"])
      expect([name, await refusal(name)]).toEqual([name, `There is no file ${name} beside the scenario.`]);
    execFileSync("mkfifo", [join(home, "pipe")]);
    for (const name of ["sub", "pipe"]) expect(await refusal(name)).toBe(`${name} is no plain file.`);
  });
});

test("another drive, and another share, is outside", () => {
  const folder = "C:\\work\\scenarios";
  const outside = [
    "D:\\secret.txt",
    "C:\\work\\secret.txt",
    "\\\\host\\share\\a",
    folder,
    "C:\\work\\scenarios2\\a",
  ];
  for (const path of outside) expect([path, isWithin(folder, path, win32)]).toEqual([path, false]);
  for (const path of ["C:\\work\\scenarios\\a", "c:\\WORK\\scenarios\\..a\\b"])
    expect([path, isWithin(folder, path, win32)]).toEqual([path, true]);
});
