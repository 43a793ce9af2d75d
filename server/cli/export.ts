import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { counted } from "../trace/format/words.ts";
import { callJson, callWith } from "./call.ts";
import { type CommonOptions, example, wholeNumber, withRecords } from "./options.ts";
import { fileToWrite } from "./out-file.ts";
import { bytes, note, progress, say, sayJson, UsageError } from "./output.ts";
import { type Session, withSession } from "./session.ts";

/** `traces export`: a trace as a file to take along. */
export function exportCommand(traces: Command) {
  const command = traces
    .command("export")
    .argument("<id>", "trace id, short id or link")
    .description("write a trace as a bundle that `ingest` takes back, or as one page that needs no server")
    .option("--html", "one self-contained HTML page instead")
    .option("--max-bytes <n>", "with --html: the page is at most so large", wholeNumber(1_000_000))
    .option("--out <file>", "file to write (default: trace-<short id>.tar.zst or .html)");
  example(withRecords(command), "tracedeck traces export 7Kd2mQx9PbTz --html --out failed.html");
  command.action(
    async (id: string, options: CommonOptions & { out?: string; html?: true; maxBytes?: number }) => {
      if (options.maxBytes !== undefined && !options.html)
        throw new UsageError("--max-bytes is for --html: a bundle holds the whole trace.");
      await withSession(options, async (session) => {
        const traceId = await session.traceId(id);
        const { short_id } = await callJson<{ short_id: string }>(session.client, `/v1/traces/${traceId}`);
        const file = fileToWrite(options.out ?? `trace-${short_id}.${options.html ? "html" : "tar.zst"}`);
        const query = options.maxBytes === undefined ? "" : `?max_bytes=${options.maxBytes}`;
        const path = `/v1/traces/${traceId}/export${options.html ? `.html${query}` : ""}`;
        const { size, leftOut } = await exportTo(session, path, file);
        const told = options.html ? { left_out: leftOut } : {};
        if (options.json) return sayJson({ trace_id: traceId, short_id, file, size, ...told });
        say(`${file} (${bytes(size)})`);
        if (leftOut.count > 0)
          note(
            `Left out to keep it small: ${counted(leftOut.count, "part")} (${bytes(leftOut.bytes)}). See --max-bytes.`,
          );
      });
    },
  );
}

interface Exported {
  size: number;
  leftOut: { count: number; bytes: number };
}

async function exportTo(session: Session, path: string, file: string): Promise<Exported> {
  const response = await callWith(() => session.client.request(path));
  const [, count = "0", left = "0"] =
    /^parts=(\d+); bytes=(\d+)$/.exec(response.headers.get("x-tracedeck-left-out") ?? "") ?? [];
  const bar = progress("Exporting", Number(response.headers.get("content-length") ?? 0), bytes);
  const partial = `${file}.${session.ids.uuid()}.partial`;
  let size = 0;
  try {
    async function* counted() {
      for await (const chunk of response.body!) {
        size += chunk.byteLength;
        bar.update(size);
        yield chunk;
      }
    }
    await pipeline(Readable.from(counted()), createWriteStream(partial, { flags: "wx" }));
    await rename(partial, file);
    return { size, leftOut: { count: Number(count), bytes: Number(left) } };
  } finally {
    bar.end();
    await rm(partial, { force: true });
  }
}
