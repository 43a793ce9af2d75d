import { spawnSync } from "node:child_process";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { blob, eventLines, events, manifest, sha256, tarMember } from "../helpers/bundles.ts";
import { executable } from "../helpers/executable.ts";
import { type RunningServer, scratchFolder, startProgram } from "../helpers/program.ts";
import type { BenchOptions, BenchResult } from "./bench.ts";
import { median, untilIdle } from "./served.ts";

const MB = 1_000_000;
/** Bytes of a bundle and of a smaller one, and uploads that are timed. */
const FULL = { large: 100 * MB, small: 25 * MB, rounds: 5 };
const SMALL: typeof FULL = { large: 3 * MB, small: MB, rounds: 1 };
const SETTINGS = JSON.stringify({ rate_limits: { reads_per_minute: 100_000, ingests_per_minute: 100_000 } });

/** Throughput of bundles against the tools that do the least of it, and memory while many come at once. */
export async function bench({ isSmall = false }: BenchOptions = {}): Promise<BenchResult[]> {
  const sizes = isSmall ? SMALL : FULL;
  return [await throughput(sizes), ...(await memory(sizes))];
}

/** From the first byte sent to the answer, against `zstd -dc | tar -x` and `sha256sum` of what came out. */
async function throughput({ large: size, rounds }: typeof FULL): Promise<BenchResult> {
  const scratch = scratchFolder();
  const server = await startServer(scratch.at("data"));
  try {
    const ours: number[] = [];
    const theirs: number[] = [];
    const packed: number[] = [];
    // Each has content of its own, and nothing is removed meanwhile: ext4 creates files many times slower in a folder's
    // group of inodes for seconds after others have gone from it, which would be most of what either of the two takes.
    for (let round = 0; round < rounds; round++) {
      const path = scratch.at(`bundle-${round}.tar.zst`);
      await writeBundle(path, size);
      packed.push(statSync(path).size);
      ours.push(await timed(() => upload(server, path)));
      await untilIdle(server);
      theirs.push(await timed(async () => unpackAndHash(path, scratch.at(`out-${round}`))));
    }
    const [mine, reference, bytes] = [median(ours), median(theirs), median(packed)];
    const rate = (ms: number) => `${Math.round(bytes / MB / (ms / 1000))} MB/s`;
    return {
      name: `ingest: throughput of a ${inMb(size)} bundle against zstd | tar and sha256sum`,
      ratio: reference / mine,
      target: "≥ 1",
      ok: reference / mine >= 1,
      detail: `${rate(mine)} (${mine.toFixed(0)} ms) against ${rate(reference)} (${reference.toFixed(0)} ms)`,
    };
  } finally {
    await server.stop();
    scratch.remove();
  }
}

/** Peak of the server's resident memory with 8 uploads at once, of large bundles and of smaller ones. */
async function memory(sizes: typeof FULL): Promise<BenchResult[]> {
  const large = await peakOfEight(sizes.large);
  const small = await peakOfEight(sizes.small);
  return [
    {
      name: `ingest: peak memory, 8 uploads of ${inMb(sizes.large)} at once, of 300 MB`,
      ratio: large / (300 * MB),
      target: "≤ 1",
      ok: large <= 300 * MB,
      detail: inMb(large),
    },
    {
      name: `ingest: peak memory, 8 × ${inMb(sizes.large)} against 8 × ${inMb(sizes.small)}`,
      ratio: large / small,
      target: "≤ 1.25",
      ok: large / small <= 1.25,
      detail: `${inMb(large)} against ${inMb(small)}`,
    },
  ];
}

async function peakOfEight(size: number): Promise<number> {
  const scratch = scratchFolder();
  const server = await startServer(scratch.at("data"));
  try {
    const paths = Array.from({ length: 8 }, (_, at) => scratch.at(`bundle-${at}.tar.zst`));
    for (const path of paths) await writeBundle(path, size);
    await Promise.all(paths.map((path) => upload(server, path)));
    await untilIdle(server);
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))!;
    return Number(kilobytes) * 1024;
  } finally {
    await server.stop();
    scratch.remove();
  }
}

/** The executable: what is started from the sources holds some 40 MB more, the compiler's. */
async function startServer(dataDir: string): Promise<RunningServer> {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "settings.json"), SETTINGS);
  return startProgram(dataDir, { command: [await executable()] });
}

/** A recording of the usual make-up: a tenth events, a fifth video, the rest pictures and response bodies. */
async function writeBundle(path: string, size: number): Promise<void> {
  async function* members() {
    yield tarMember(manifest());
    const line = eventLines(1, () => ({
      url: "http://localhost/api/items?page=1",
      headers: [],
      step_id: "call@1",
    }));
    const count = Math.floor((size * 0.1) / (line.length + 6));
    yield tarMember(
      events(
        eventLines(count, (seq) => ({
          url: `http://localhost/api/${seq}`,
          headers: [],
          step_id: `call@${seq >> 4}`,
        })),
      ),
    );
    yield tarMember({ name: "video.webm", content: noise(size * 0.2) });
    for (let left = size * 0.7; left > 0; ) {
      const next = left % 3 === 0 ? 20_000 : 250_000;
      yield tarMember(blob(noise(next)));
      left -= next;
    }
    yield Buffer.alloc(1024);
  }
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  await pipeline(Readable.from(members()), zstd, createWriteStream(path));
}

function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor(size));
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
}

function unpackAndHash(path: string, folder: string): void {
  mkdirSync(folder);
  const command = `set -o pipefail; zstd -dcq "$0" | tar -x -C "$1" && find "$1" -type f -print0 | xargs -0 sha256sum > /dev/null`;
  const { status, stderr } = spawnSync("bash", ["-c", command, path, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`zstd | tar | sha256sum failed: ${stderr}`);
}

/** Streams a file as a multipart upload, as a CI client does. */
async function upload(server: RunningServer, path: string): Promise<void> {
  const boundary = sha256(path);
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="scenario_slug"\r\n\r\nbench\r\n--${boundary}\r\ncontent-disposition: form-data; name="bundle"; filename="b"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const answered = Promise.withResolvers<void>();
  const call = request(
    new URL("/v1/traces/ingest", server.url),
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.apiKey}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": head.length + statSync(path).size + tail.length,
      },
    },
    (response) => {
      response.resume();
      if (response.statusCode === 200) answered.resolve();
      else answered.reject(new Error(`The upload was answered ${response.statusCode}.`));
    },
  );
  call.on("error", answered.reject);
  call.write(head);
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), call, { end: false });
  call.end(tail);
  await answered.promise;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const inMb = (bytes: number) => `${Math.round(bytes / MB)} MB`;
