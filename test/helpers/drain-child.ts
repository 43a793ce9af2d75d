import { readNdjson } from "../../store/events/read-ndjson.ts";

// Drains the file named first under the cap named second, alone in a process, so that its memory can be told.
const [path = "", maxBytes = "0"] = process.argv.slice(2);
const before = process.memoryUsage.rss();
const reader = readNdjson(path, { maxBytes: Number(maxBytes), maxLineBytes: 4 << 20 });
let peak = 0;
let kind: unknown = null;
try {
  for await (const _ of reader) peak = Math.max(peak, process.memoryUsage.rss());
} catch (error) {
  kind = (error as { kind?: unknown }).kind;
}
console.log(JSON.stringify({ kind, bytes: reader.bytes, grown: peak - before }));
