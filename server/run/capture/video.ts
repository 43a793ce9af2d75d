import { rm } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "../../platform/temp-folder.ts";
import type { Frame } from "./screencast.ts";

const FRAMES_A_SECOND = 10;
const LAST_MS = 1000;
const LONGEST_FILM_MS = 10 * 60_000;
const LIST = "pictures.txt";
/** Encoding holds up the next run of this process: longer than this no video is worth it. */
const LONGEST_MS = 60_000;
const LONGEST_PROBLEM = 300;

/** What browsers play, best first. */
const FORMATS = [
  {
    encoder: "libvpx",
    options: ["-b:v", "1M", "-deadline", "realtime", "-cpu-used", "8"],
    container: "webm",
  },
  { encoder: "libx264", options: ["-preset", "veryfast", "-pix_fmt", "yuv420p"], container: "mp4" },
] as const;
type Format = (typeof FORMATS)[number];

export interface Video {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: `video/${Format["container"]}`;
}

/**
 * Makes a video of a film's pictures with the ffmpeg that is installed here, each shown for as long as it was the newest.
 * @param from epoch ms that the video's first moment shows
 * @returns null without pictures, or where no ffmpeg is that encodes what browsers play
 * @throws Error with ffmpeg's own words
 */
export async function encodeVideo(
  frames: readonly Frame[],
  from: number,
  ffmpeg: string | null = Bun.which("ffmpeg"),
): Promise<Video | null> {
  if (frames.length === 0 || ffmpeg === null) return null;
  const format = await formatOf(ffmpeg);
  if (!format) return null;
  const folder = tempFolder();
  try {
    const path = join(folder, `video.${format.container}`);
    await writePictures(
      folder,
      frames.filter(({ ts }) => ts - from < LONGEST_FILM_MS),
      from,
    );
    await encode(ffmpeg, format, folder, path);
    return { bytes: await Bun.file(path).bytes(), mediaType: `video/${format.container}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How long each picture is shown, in seconds: until the next one, the first one from the beginning on. */
export function durations(frames: readonly Frame[], from: number): number[] {
  return frames.map((frame, at) => {
    const begin = at === 0 ? Math.min(from, frame.ts) : frame.ts;
    const end = frames[at + 1]?.ts ?? frame.ts + LAST_MS;
    return Math.max(0, end - begin) / 1000;
  });
}

/** The pictures as files, and the list that ffmpeg reads them by (its concat demuxer). */
async function writePictures(folder: string, frames: readonly Frame[], from: number): Promise<void> {
  const lines = ["ffconcat version 1.0"];
  for (const [at, seconds] of durations(frames, from).entries()) {
    const name = `${at}.jpg`;
    await Bun.write(join(folder, name), frames[at]!.bytes);
    lines.push(`file ${name}`, `duration ${seconds.toFixed(3)}`);
  }
  // The demuxer leaves the last duration out unless its file stands there once more.
  lines.push(`file ${frames.length - 1}.jpg`);
  await Bun.write(join(folder, LIST), `${lines.join("\n")}\n`);
}

const known = new Map<string, Promise<Format | null>>();

function formatOf(ffmpeg: string): Promise<Format | null> {
  const found = known.get(ffmpeg) ?? probe(ffmpeg);
  known.set(ffmpeg, found);
  return found;
}

async function probe(ffmpeg: string): Promise<Format | null> {
  const child = Bun.spawn([ffmpeg, "-hide_banner", "-encoders"], { stdio: ["ignore", "pipe", "ignore"] });
  const encoders = await new Response(child.stdout).text();
  return FORMATS.find(({ encoder }) => encoders.includes(` ${encoder} `)) ?? null;
}

async function encode(ffmpeg: string, format: Format, folder: string, path: string): Promise<void> {
  const child = Bun.spawn(
    [
      ffmpeg,
      ...["-hide_banner", "-loglevel", "error", "-f", "concat", "-i", LIST, "-an"],
      // Encoders want even sides; pages may change theirs.
      ...[
        "-vf",
        `fps=${FRAMES_A_SECOND},scale=1280:720:force_original_aspect_ratio=decrease,pad=1280:720:(ow-iw)/2:(oh-ih)/2`,
      ],
      ...["-c:v", format.encoder, ...format.options, "-y", path],
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"], timeout: LONGEST_MS, killSignal: "SIGKILL" },
  );
  const said = await new Response(child.stderr).text();
  if ((await child.exited) !== 0)
    throw new Error(said.trim().slice(0, LONGEST_PROBLEM) || "ffmpeg ended without a word.");
}
