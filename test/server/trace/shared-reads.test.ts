import { describe, expect, test } from "bun:test";
import { createSharedReads } from "../../../server/trace/events/shared-reads.ts";

describe("reads of what is new", () => {
  test("are shared by readers at the same place, while they go on and afterwards", async () => {
    const reads = createSharedReads();
    const reading = Promise.withResolvers<string[] | null>();
    let count = 0;
    const read = () => {
      count += 1;
      return reading.promise;
    };
    const both = [reads.get("a", read), reads.get("a", read)];
    reading.resolve(["line"]);
    expect(await Promise.all(both)).toEqual([["line"], ["line"]]);
    expect(await reads.get("a", read)).toEqual(["line"]);
    expect(count).toBe(1);
    await reads.get("b", read);
    expect(count).toBe(2);
  });

  test("are not shared when they failed", async () => {
    const reads = createSharedReads();
    const failing = reads.get("a", () => Promise.reject(new Error("no disk")));
    expect(await failing.catch((error: Error) => error.message)).toBe("no disk");
    expect(await reads.get("a", async () => ["line"])).toEqual(["line"]);
  });

  test("are forgotten beyond the last sixteen", async () => {
    const reads = createSharedReads();
    for (let n = 0; n <= 16; n += 1) await reads.get(String(n), async () => [String(n)]);
    expect(await reads.get("0", async () => null)).toBeNull();
    expect(await reads.get("16", async () => null)).toEqual(["16"]);
  });
});
