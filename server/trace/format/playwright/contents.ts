import type { TraceFile } from "./source.ts";

/** The trace files among an archive's names. */
export function traceFiles(entries: string[]): TraceFile[] {
  return entries
    .filter((name) => name.endsWith(".trace") && !name.startsWith("__MACOSX/"))
    .map((name) => ({
      prefix: name.slice(0, -".trace".length),
      folder: name.slice(0, name.lastIndexOf("/") + 1),
    }));
}

/** Why an archive without a trace file is none, and what to send instead. */
export function describeContents(entries: string[]): string {
  const wanted = "A Playwright trace holds a file ending in .trace, such as trace.trace or test.trace.";
  if (entries.length === 0) return `The archive is empty. ${wanted}`;
  const nested = entries.find((name) => name.endsWith(".zip"));
  if (entries.includes("index.html") || entries.includes("report.json"))
    return `The archive looks like an HTML report, not a trace. ${wanted} Send a zip from the report's data folder instead.`;
  if (entries.some((name) => name.endsWith("report.jsonl")))
    return `The archive looks like a blob report, not a trace. ${wanted} Send one of the zips in its resources instead.`;
  if (nested)
    return `The archive holds other archives (${JSON.stringify(nested.slice(0, 200))}). ${wanted} Send that one instead.`;
  const shown = entries.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  const more = entries.length > shown.length ? ` and ${entries.length - shown.length} more` : "";
  return `The archive holds no trace file, only ${shown.join(", ")}${more}. ${wanted}`;
}
