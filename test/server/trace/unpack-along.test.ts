import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaskError, type TaskOptions, type TaskPool } from "../../../server/platform/tasks.ts";
import type { UnpackInput } from "../../../server/trace/ingest/staged.ts";
import { createUnpackAlong } from "../../../server/trace/ingest/unpack-along.ts";
import { blob, bundle, eventLines, events, manifest } from "../../helpers/bundles.ts";
import { runTaskHere } from "../../helpers/task-here.ts";
import { until } from "../../helpers/until.ts";

const pictures = Array.from({ length: 6 }, () => blob(crypto.getRandomValues(new Uint8Array(60_000))));
const BUNDLE = bundle([manifest(), events(eventLines(50)), ...pictures]);

let folder: string;
let input: UnpackInput;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tracedeck-along-"));
  input = staged("along");
});
afterEach(() => rmSync(folder, { recursive: true }));

function staged(name: string): UnpackInput {
  const at = (part: string) => join(folder, name, part);
  for (const part of ["blobs", "trace"]) mkdirSync(at(part), { recursive: true });
  const caps = { isOwned: true, sha256: null, maxUnpackedBytes: 1e9 };
  return { upload: at("upload"), blobs: at("blobs"), trace: at("trace"), ...caps };
}

/** The tasks themselves, with errors as they come out of a worker. */
const tasks: Pick<TaskPool, "run"> = {
  run: async <Result>(name: string, given: unknown) => {
    try {
      return await runTaskHere<Result>(name, given);
    } catch (error) {
      const { message, kind } = error as Error & { kind?: string };
      throw new TaskError(message, kind ?? null);
    }
  },
};

/** Writes a file in pieces, and tells of each. */
function writer(content: Uint8Array) {
  const along = createUnpackAlong(tasks, input);
  let at = 0;
  writeFileSync(input.upload, "");
  const write = async (bytes: number) => {
    appendFileSync(input.upload, content.subarray(at, at + bytes));
    at = Math.min(content.length, at + bytes);
    along.written(at);
    // A turn of the reader.
    await Bun.file(input.upload).bytes();
  };
  return { along, write };
}

async function unpackWhole(content: Uint8Array) {
  const whole = staged("whole");
  writeFileSync(whole.upload, content);
  return tasks.run("ingest.unpack", whole).catch(({ message, kind }: TaskError) => ({ message, kind }));
}

test("a bundle that is taken apart while it comes in is what it is when it came at once", async () => {
  const { along, write } = writer(BUNDLE);
  for (let at = 0; at < BUNDLE.length; at += 37_000) await write(37_000);
  expect(await along.finish()).toEqual((await unpackWhole(BUNDLE)) as never);
  for (const part of ["blobs", "trace"])
    expect(readdirSync(join(folder, "along", part)).sort()).toEqual(
      readdirSync(join(folder, "whole", part)).sort(),
    );
});

test("what is wrong with a bundle is told in the same words", async () => {
  const damaged = Uint8Array.from(BUNDLE);
  damaged.fill(7, BUNDLE.length >> 1, (BUNDLE.length >> 1) + 2000);
  const cut = BUNDLE.subarray(0, BUNDLE.length - 500);
  for (const [at, content] of [damaged, cut].entries()) {
    input = staged(`along-${at}`);
    const { along, write } = writer(content);
    await write(50_000);
    await write(content.length);
    const told = await along.finish().catch(({ message, kind }: TaskError) => ({ message, kind }));
    expect(told).toEqual((await unpackWhole(content)) as never);
    expect(told).toMatchObject({ kind: expect.any(String) });
    rmSync(join(folder, "whole"), { recursive: true });
  }
});

test("a bundle that comes slowly is left while others wait for the worker, and the folders are empty for who takes it apart later", async () => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const { run } = tasks;
  let want = () => {};
  const along = createUnpackAlong(
    {
      run: <Result>(name: string, given: unknown, { onWanted }: TaskOptions = {}) => {
        want = onWanted!;
        return run<Result>(name, given).finally(resolve);
      },
    },
    input,
  );
  writeFileSync(input.upload, BUNDLE.subarray(0, 200_000));
  along.written(200_000);
  await until("something is taken out of it", () => readdirSync(input.blobs).length > 0);
  want();
  await over;
  writeFileSync(input.upload, BUNDLE);
  along.written(BUNDLE.length);
  expect(await along.finish()).toBeNull();
  expect([...readdirSync(input.blobs), ...readdirSync(input.trace)]).toEqual([]);
  expect(await tasks.run("ingest.unpack", input)).toEqual((await unpackWhole(BUNDLE)) as never);
});

test("a bundle that finds all workers busy is begun once one is free, or not at all", async () => {
  let isBusy = true;
  const whenFree: Pick<TaskPool, "run"> = {
    run: (name, given) =>
      isBusy ? Promise.reject(new TaskError("All workers are busy.", "busy")) : tasks.run(name, given),
  };
  writeFileSync(input.upload, BUNDLE);
  const never = createUnpackAlong(whenFree, input);
  never.written(100_000);
  expect(await never.finish()).toBeNull();

  const later = createUnpackAlong(whenFree, input);
  later.written(100_000);
  await Bun.file(input.upload).bytes();
  isBusy = false;
  later.written(BUNDLE.length);
  expect(await later.finish()).toEqual((await unpackWhole(BUNDLE)) as never);
});

test("nothing is at work in the folders of an upload that was given up", async () => {
  const { along, write } = writer(BUNDLE);
  await write(200_000);
  await along.abandon();
  rmSync(join(folder, "along"), { recursive: true });
  await along.abandon();
  input = staged("whole, and not wanted");
  const late = writer(BUNDLE);
  await late.write(BUNDLE.length);
  void late.along.finish();
  await late.along.abandon();
  rmSync(join(folder, "whole, and not wanted"), { recursive: true });
  const unused = createUnpackAlong(tasks, input);
  await unused.abandon();
  expect(await unused.finish()).toBeNull();
});
