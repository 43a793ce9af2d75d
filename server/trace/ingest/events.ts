import { join } from "node:path";
import { createCollector } from "../../../store/collector.ts";
import { readNdjson } from "../../../store/events/read-ndjson.ts";
import { createEventWriter } from "../../../store/events/writer.ts";
import { TRACE_FILES } from "../../../store/layout.ts";
import type { Budget } from "./budget.ts";
import { createEventCheck, type EventCheck } from "./event-check.ts";
import { hashFile, type StagedArtifact } from "./staged.ts";

/** Bytes of a line as it comes. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** Bytes of long strings between two collections: a line is held in several forms while they are taken out of it. */
const COLLECT_EVERY = 32 * 1024 * 1024;

export interface WrittenEvents {
  artifacts: StagedArtifact[];
  /** Hashes that the events name, with the media types they give. */
  references: EventCheck["references"];
  count: number;
  warnings: string[];
}

/**
 * Checks an uploaded event stream line by line and writes it, in the same pass, as the trace's event file. One that was
 * cut in its last line or frame is kept up to the last full line.
 * @throws ArchiveError or EventStreamError, naming the line.
 */
export async function writeEvents(
  bytes: AsyncIterable<Uint8Array>,
  options: {
    isCompressed: boolean;
    folder: string;
    budget: Budget;
    maxReferences: number;
    /** Stores the bytes of a string that is too long for a line. */
    keep: (bytes: Buffer, sha256: string) => void;
  },
): Promise<WrittenEvents> {
  const { isCompressed, folder, budget } = options;
  const path = join(folder, TRACE_FILES.events);
  const indexPath = join(folder, TRACE_FILES.eventIndex);
  // What is not compressed was counted already, as a part of the bundle.
  const maxBytes = isCompressed ? budget.left : Number.POSITIVE_INFINITY;
  const reader = readNdjson(bytes, { maxBytes, maxLineBytes: LONGEST_LINE });
  const writer = await createEventWriter({ path, indexPath });
  const collect = createCollector(COLLECT_EVERY);
  const keep = (kept: Buffer, sha256: string) => {
    options.keep(kept, sha256);
    collect(kept.length);
  };
  const { check, references } = createEventCheck(options.maxReferences, keep);
  try {
    for await (const lines of reader)
      for (const { number, text } of lines) {
        const event = check(text, number);
        const waiting = writer.append(event.line, event);
        if (waiting) await waiting;
      }
    const { count } = await writer.finish();
    if (isCompressed) budget.spend(reader.bytes);
    return {
      artifacts: [
        {
          kind: "ndjson",
          name: TRACE_FILES.events,
          mediaType: "application/zstd",
          ...(await hashFile(path)),
        },
        {
          kind: "event_index",
          name: TRACE_FILES.eventIndex,
          mediaType: "application/octet-stream",
          ...(await hashFile(indexPath)),
        },
      ],
      references,
      count,
      warnings: reader.cut
        ? [`The events were cut short and are kept up to the last full one. ${reader.lost ?? ""}`.trim()]
        : [],
    };
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
