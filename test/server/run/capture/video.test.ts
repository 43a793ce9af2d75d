import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Frame } from "../../../../server/run/capture/screencast.ts";
import { durations, encodeVideo } from "../../../../server/run/capture/video.ts";
import { scratchFolder } from "../../../helpers/program.ts";

const frame = (ts: number): Frame => ({ ts, bytes: Buffer.from(String(ts)) });

test("a picture is shown until the next one, the first one from the beginning on", () => {
  expect(durations([frame(1050), frame(1120), frame(1400)], 1000)).toEqual([0.12, 0.28, 1]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 50 }), (times) => {
      const sorted = times.toSorted((a, b) => a - b).map(frame);
      const total = durations(sorted, 0).reduce((sum, seconds) => sum + seconds, 0);
      expect(total).toBeCloseTo(sorted.at(-1)!.ts / 1000 + 1);
    }),
  );
});

test("no pictures give no video, and neither does a machine without ffmpeg", async () => {
  expect(await encodeVideo([], 0, "/bin/true")).toBeNull();
  expect(await encodeVideo([frame(0)], 0, null)).toBeNull();
});

test("an ffmpeg that encodes nothing that browsers play makes none; one that fails says why", async () => {
  const folder = scratchFolder();
  const program = (name: string, script: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  expect(await encodeVideo([frame(0)], 0, program("bare", 'echo " V..... mpeg4 MPEG-4 part 2"'))).toBeNull();
  const failing = 'case "$*" in *encoders*) echo " V..... libvpx VP8";; *) echo no space >&2; exit 1;; esac';
  await expect(encodeVideo([frame(0)], 0, program("failing", failing))).rejects.toThrow("no space");
  const dying = 'case "$*" in *encoders*) echo " V..... libvpx VP8";; *) exit 3;; esac';
  await expect(encodeVideo([frame(0)], 0, program("dying", dying))).rejects.toThrow("ffmpeg ended");
  folder.remove();
});
