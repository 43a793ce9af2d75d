import { expect, test } from "bun:test";
import { createSemaphore } from "../../../server/platform/semaphore.ts";

const never = new AbortController().signal;

test("so many of one key go on at once; others wait, but not those of another key", async () => {
  const semaphore = createSemaphore(10, () => new Error("ended before it began"));
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const take = (org: string, name: string, signal = never) =>
    semaphore.run(org, signal, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = Array.from({ length: 11 }, (_, at) => take("a", `a${at}`));
  const given = new AbortController();
  const cancelled = take("a", "cancelled", given.signal);
  const other = take("b", "b0");
  expect(begun).toEqual([...Array.from({ length: 10 }, (_, at) => `a${at}`), "b0"]);
  given.abort();
  expect(cancelled).rejects.toThrow("ended before it began");
  ends[0]?.();
  await all[0];
  await Promise.resolve();
  expect(begun.at(-1)).toBe("a10");
  for (const end of ends) end();
  await Promise.all([...all, other]);
});
