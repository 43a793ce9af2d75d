import { join, relative } from "node:path";
import { createEventWriter } from "../../store/events/writer.ts";
import { findArtifact } from "../../store/records/artifacts.ts";
import type { TestApp } from "./app.ts";
import { eventLines, events } from "./bundles.ts";
import { uploadTrace } from "./traces.ts";

/** A trace whose event file holds lines that an upload of today would be refused for, as those of older versions may. */
export async function traceWithLines(
  app: TestApp,
  lines: Iterable<{ kind: string; line: string }>,
  count = [...lines].length,
): Promise<{ id: string; shortId: string }> {
  const trace = await uploadTrace(app, { entries: [events(eventLines(count))] });
  const pathOf = async (kind: string) =>
    join(app.dataDir, (await findArtifact(app.store.records, trace.id, kind))!.path);
  const place = { path: await pathOf("ndjson"), indexPath: await pathOf("event_index") };
  const writer = await createEventWriter(place);
  let seq = 0;
  for (const { kind, line } of lines) {
    await writer.append(line, { seq, ts: seq, kind });
    seq += 1;
  }
  await writer.finish();
  app.store.events.invalidate(relative(app.dataDir, place.path));
  const { size } = Bun.file(place.path);
  await app.store.records
    .updateTable("artifacts")
    .set({ size })
    .where("trace_id", "=", trace.id)
    .where("kind", "=", "ndjson")
    .execute();
  return trace;
}

/** An event's line of so many bytes. */
export function longLine(seq: number, bytes: number, kind = "console.log"): { kind: string; line: string } {
  const event = { seq, ts: seq, kind, text: "" };
  const text = "x".repeat(bytes - JSON.stringify(event).length);
  return { kind, line: JSON.stringify({ ...event, text }) };
}

/** An event's line whose value lies so many lists deep. */
export function deepLine(seq: number, levels: number, kind = "console.log", field = "value") {
  const rest = JSON.stringify({ seq, ts: seq, kind, text: "deep", message: "deep", ok: false });
  return { kind, line: `${rest.slice(0, -1)},"${field}":${"[".repeat(levels)}${"]".repeat(levels)}}` };
}
