import { open } from "node:fs/promises";
import { join } from "node:path";
import { TRACE_FILES } from "../../../store/layout.ts";
import type { TraceEvent } from "../format/event.ts";
import { describeOutput, type OutputFile } from "./output-files.ts";

const FRAME = 1 << 20;
const LAST_TYPE = 6;

/**
 * Collects the DOM recording that events carry: a field `rrweb` holding one event of rrweb's own format (`type` 0 to 6,
 * `timestamp`, `data`). Written as NDJSON in zstd frames, so that `zstdcat` reads it.
 */
export function createRrwebExtract(folder: string) {
  const path = join(folder, TRACE_FILES.rrweb);
  let file: Awaited<ReturnType<typeof open>> | null = null;
  let pending: string[] = [];
  let size = 0;

  async function flush() {
    file ??= await open(path, "w", 0o600);
    await file.write(await Bun.zstdCompress(pending.join(""), { level: 3 }));
    pending = [];
    size = 0;
  }

  return {
    add(event: TraceEvent): void | Promise<void> {
      const { rrweb } = event;
      if (!isRrweb(rrweb)) return;
      const line = `${JSON.stringify(rrweb)}\n`;
      pending.push(line);
      size += line.length;
      if (size >= FRAME) return flush();
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
