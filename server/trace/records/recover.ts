import { openZip } from "../../../store/archives/zip.ts";
import { createEventFiles } from "../../../store/events/files.ts";
import type { Files } from "../../../store/files/files.ts";
import { eventIndexPath } from "../../../store/files/names.ts";
import type { BlobLocation } from "../../../store/records/blobs.ts";
import { wordsOf } from "../../../store/records/search-text.ts";
import type { RecordedArtifact, RecordedWords } from "../../../store/records/trace-record.ts";
import type { TraceEvent } from "../format/event.ts";
import { createSearchText, stepsAndKinds } from "../format/search-text.ts";
import type { Summary } from "../format/summary.ts";
import { hashMembers } from "../process/archive-hashes.ts";
import { readJson } from "./read.ts";

/** Of some hashes, those that are members of the trace's Playwright archive, with their places. */
export async function placesInArchive(
  stored: Files,
  artifacts: readonly RecordedArtifact[],
  hashes: ReadonlySet<string>,
): Promise<BlobLocation[]> {
  const archive = artifacts.find(({ kind }) => kind === "playwright");
  if (!archive || hashes.size === 0) return [];
  const { path, release } = await stored.local(archive.path);
  const zip = await openZip(path);
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
    release();
  }
}

/** The words that the search finds a trace by, read from its events and summary. */
export async function wordsIn(
  stored: Files,
  artifacts: readonly RecordedArtifact[],
): Promise<RecordedWords | null> {
  const events = artifacts.find(({ kind }) => kind === "ndjson");
  const told = artifacts.find(({ kind }) => kind === "summary");
  const summary = told ? ((await readJson(stored, told.path)) as Summary | null) : null;
  if (!events || !summary) return null;
  const search = createSearchText();
  const files = createEventFiles();
  const { path, release } = await stored.local(events.path);
  try {
    for await (const lines of (await files.open(path, eventIndexPath(path))).lineBatches())
      for (const line of lines) search.add(JSON.parse(line) as TraceEvent);
  } finally {
    files.close();
    release();
  }
  const found = search.finish({ title: summary.title, failure: summary.failure?.message ?? null });
  return wordsOf({ ...found, ...stepsAndKinds(summary) });
}
