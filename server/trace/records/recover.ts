import { join } from "node:path";
import { openZip } from "../../../store/archives/zip.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import { eventIndexPath, TRACE_FILES } from "../../../store/files/names.ts";
import type { Layout } from "../../../store/layout.ts";
import type { BlobLocation } from "../../../store/records/blobs.ts";
import { wordsOf } from "../../../store/records/search.ts";
import type { RecordedArtifact, RecordedWords } from "../../../store/records/trace-record.ts";
import type { TraceEvent } from "../format/event.ts";
import { createSearchText, stepsAndKinds } from "../format/search-text.ts";
import type { Summary } from "../format/summary.ts";
import { hashMembers } from "../process/archive-hashes.ts";
import { readJson } from "./read.ts";

/** Of some hashes, those that are members of the trace's Playwright archive, with their places. */
export async function placesInArchive(
  paths: Layout,
  artifacts: readonly RecordedArtifact[],
  hashes: ReadonlySet<string>,
): Promise<BlobLocation[]> {
  const archive = artifacts.find(({ kind }) => kind === "playwright");
  if (!archive || hashes.size === 0) return [];
  const zip = await openZip(join(paths.root, archive.path));
  try {
    const members = await hashMembers(
      zip,
      () => true,
      () => {},
    );
    return [...hashes].flatMap((hash) => {
      const place = members.locate(hash);
      return place ? [{ ...place, container: archive.path }] : [];
    });
  } finally {
    await zip.close();
  }
}

/** The words that the search finds a trace by, read from its events and summary. */
export async function wordsIn(
  paths: Layout,
  traceId: string,
  artifacts: readonly RecordedArtifact[],
): Promise<RecordedWords | null> {
  const events = artifacts.find(({ kind }) => kind === "ndjson");
  const summary = (await readJson(join(paths.trace(traceId), TRACE_FILES.summary))) as Summary | null;
  if (!events || !summary) return null;
  const search = createSearchText();
  const files = createEventFiles();
  try {
    const path = join(paths.root, events.path);
    for await (const lines of (await files.open(path, eventIndexPath(path))).lineBatches())
      for (const line of lines) search.add(JSON.parse(line) as TraceEvent);
  } finally {
    files.close();
  }
  const found = search.finish({ title: summary.title, failure: summary.failure?.message ?? null });
  return wordsOf({ ...found, ...stepsAndKinds(summary) });
}
