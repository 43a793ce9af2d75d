import { open } from "node:fs/promises";
import { join } from "node:path";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { BLOB_REFERENCE, type TraceEvent } from "../format/event.ts";
import { describeOutput, type OutputFile } from "./output-files.ts";

const FRAME = 1 << 20;
const LAST_TYPE = 6;

/**
 * Collects the DOM recording that events carry: a field `rrweb` holding one event of rrweb's own format (`type` 0 to 6,
 * `timestamp`, `data`). Written as NDJSON in zstd frames, so that `zstdcat` reads it.
 * @param textOf a string that was too long for its event's line, by the SHA-256 that stands there; null for any other
 */
export function createRrwebExtract(folder: string, textOf: (hash: string) => Promise<string> | null) {
  const path = join(folder, TRACE_FILES.rrweb);
  let file: Awaited<ReturnType<typeof open>> | null = null;
  let pending: string[] = [];
  let size = 0;

  async function flush() {
    file ??= await open(path, "w", 0o600);
    // `write` alone may take a part and say so: on a full disk that would be a shorter recording.
    await file.writeFile(await Bun.zstdCompress(pending.join(""), { level: 3 }));
    pending = [];
    size = 0;
  }

  function put(line: string): void | Promise<void> {
    pending.push(`${line}\n`);
    size += line.length;
    if (size >= FRAME) return flush();
  }

  async function putWhole(line: string) {
    const parts: string[] = [];
    let copied = 0;
    for (const match of line.matchAll(BLOB_REFERENCE)) {
      const text = await textOf(match[1]!);
      if (text === null) continue;
      parts.push(line.slice(copied, match.index), JSON.stringify(text));
      copied = match.index + match[0].length;
    }
    await put(parts.join("") + line.slice(copied));
  }

  return {
    add(event: TraceEvent): void | Promise<void> {
      const { rrweb } = event;
      if (!isRrweb(rrweb)) return;
      const line = JSON.stringify(rrweb);
      return line.includes('"sha256:') ? putWhole(line) : put(line);
    },
    /** Null when no event carried any. */
    async finish(): Promise<OutputFile | null> {
      if (pending.length > 0) await flush();
      if (!file) return null;
      await file.sync();
      await file.close();
      file = null;
      return describeOutput(folder, {
        kind: "rrweb",
        name: TRACE_FILES.rrweb,
        mediaType: "application/zstd",
      });
    },
    async abort() {
      await file?.close();
      file = null;
    },
  };
}

function isRrweb(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type, timestamp } = value as Record<string, unknown>;
  return (
    Number.isInteger(type) && Number(type) >= 0 && Number(type) <= LAST_TYPE && Number.isFinite(timestamp)
  );
}
