import { expect, test } from "bun:test";
import { merge } from "../../../server/platform/merge.ts";

async function read<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of from) all.push(one);
  return all;
}

test("several sources are one: each in its order, as they come, until all have ended", async () => {
  const late = Promise.withResolvers<void>();
  async function* first() {
    yield "a1";
    await late.promise;
    yield "a2";
  }
  async function* second() {
    yield "b1";
    yield "b2";
    late.resolve();
  }
  expect(await read(merge([first(), second()]))).toEqual(["a1", "b1", "b2", "a2"]);
  expect(await read(merge([]))).toEqual([]);
});

test("one that fails ends all, and another that fails later disturbs nobody", async () => {
  const later = Promise.withResolvers<void>();
  async function* fails(when: Promise<void>, words: string): AsyncIterable<string> {
    yield words;
    await when;
    throw new Error(words);
  }
  const reading = read(merge([fails(Promise.resolve(), "at once"), fails(later.promise, "later")]));
  expect(reading).rejects.toThrow("at once");
  await reading.catch(() => {});
  later.resolve();
  await later.promise;
});
