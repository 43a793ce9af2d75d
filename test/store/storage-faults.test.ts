import { describe, expect, test } from "bun:test";
import { TaskError } from "../../server/platform/tasks.ts";
import { storageFault } from "../../store/storage-faults.ts";

const withCode = (code: string) => Object.assign(new Error(`${code}: at /home/somebody`), { code });

describe("what the machine refuses", () => {
  test.each([
    ["ENOSPC", /disk is full/],
    ["SQLITE_FULL", /disk is full/],
    ["EDQUOT", /quota/],
    ["EIO", /disk fails/],
    ["SQLITE_IOERR", /disk fails/],
    ["SQLITE_IOERR_FSYNC", /disk fails/],
    ["EROFS", /read-only/],
    ["SQLITE_READONLY", /read-only/],
    ["SQLITE_READONLY_DBMOVED", /read-only/],
    ["SQLITE_BUSY", /busy/],
    ["SQLITE_BUSY_SNAPSHOT", /busy/],
    ["EMFILE", /too many files/],
    ["ENFILE", /too many files/],
  ])("is told in words for %s, however deep it lies", (code, words) => {
    const error = withCode(code);
    expect(storageFault(error)).toMatch(words);
    expect(storageFault(new Error("outer", { cause: new Error("middle", { cause: error }) }))).toMatch(words);
    expect(storageFault(new TaskError("in a worker", code))).toMatch(words);
    expect(storageFault(error)).not.toContain("/home");
  });

  test.each([["ENOENT"], ["EACCES"], ["SQLITE_CONSTRAINT_UNIQUE"], ["SQLITE"], ["toString"]])(
    "is not what %s comes from",
    (code) => {
      expect(storageFault(withCode(code))).toBeNull();
    },
  );

  test("is nothing that goes round in circles", () => {
    const error = new Error("a");
    error.cause = error;
    expect(storageFault(error)).toBeNull();
    expect(storageFault("text")).toBeNull();
  });
});
