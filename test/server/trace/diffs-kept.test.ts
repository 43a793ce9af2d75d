import { expect, test } from "bun:test";
import { createAnswerCache } from "../../../server/trace/diffs/answer-cache.ts";

/** A computation that ends when told to, and tells whether it was given up. */
function work(answers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
  const seen = { starts: 0, isGivenUp: false };
  return {
    seen,
    end: () => resolve(new Map(Object.entries(answers))),
    fail: () => reject(new Error("damaged")),
    compute: (signal: AbortSignal) => {
      seen.starts += 1;
      signal.addEventListener("abort", () => {
        seen.isGivenUp = true;
        reject(signal.reason);
      });
      return promise;
    },
  };
}

const here = () => new AbortController().signal;

test("what was computed once is kept, with what came beside it", async () => {
  const kept = createAnswerCache(100);
  const first = work({ all: "1", part: "2" });
  first.end();
  expect(await kept.take("all", { signal: here(), compute: first.compute })).toBe("1");
  const again = work({});
  expect(await kept.take("part", { signal: here(), compute: again.compute })).toBe("2");
  expect(again.seen.starts).toBe(0);
});

test("who asks for a part while the whole is on its way waits for that", async () => {
  const kept = createAnswerCache(100);
  const [whole, part] = [work({ all: "1", part: "2" }), work({})];
  const one = kept.take("all", { signal: here(), compute: whole.compute });
  const other = kept.take("part", { signal: here(), among: ["all"], compute: part.compute });
  whole.end();
  expect(await Promise.all([one, other])).toEqual(["1", "2"]);
  expect(part.seen.starts).toBe(0);
});

test("work is given up when the last who waits is gone, and begun anew for the next", async () => {
  const kept = createAnswerCache(100);
  const first = work({ all: "1" });
  const [a, b] = [new AbortController(), new AbortController()];
  const one = kept.take("all", { signal: a.signal, compute: first.compute });
  const other = kept.take("all", { signal: b.signal, compute: first.compute });
  a.abort();
  await expect(one).rejects.toThrow();
  expect(first.seen).toEqual({ starts: 1, isGivenUp: false });
  b.abort();
  await expect(other).rejects.toThrow();
  expect(first.seen.isGivenUp).toBe(true);
  const next = work({ all: "3" });
  next.end();
  expect(await kept.take("all", { signal: here(), compute: next.compute })).toBe("3");
});

test("a failure is told to all who wait, and not kept", async () => {
  const kept = createAnswerCache(100);
  const first = work({});
  const one = kept.take("all", { signal: here(), compute: first.compute });
  const other = kept.take("all", { signal: here(), compute: first.compute });
  first.fail();
  for (const { status } of await Promise.allSettled([one, other])) expect(status).toBe("rejected");
  const next = work({ all: "1" });
  next.end();
  expect(await kept.take("all", { signal: here(), compute: next.compute })).toBe("1");
});

test("past the bound the answer that was used longest ago goes", async () => {
  const kept = createAnswerCache(10);
  const starts: string[] = [];
  const ask = (name: string, text: string) =>
    kept.take(name, {
      signal: here(),
      compute: async () => {
        starts.push(name);
        return new Map([[name, text]]);
      },
    });
  await ask("a", "12345");
  await ask("b", "12345");
  await ask("a", "12345");
  await ask("c", "12345");
  await ask("too long", "12345678901");
  expect(starts).toEqual(["a", "b", "c", "too long"]);
  await ask("a", "12345");
  await ask("b", "12345");
  await ask("too long", "12345678901");
  expect(starts).toEqual(["a", "b", "c", "too long", "b", "too long"]);
});
