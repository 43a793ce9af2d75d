import { existsSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { createEventFiles } from "../../../store/events/files.ts";
import type { ByteLocation, Files, FilesAddress } from "../../../store/files/files.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import type { TraceStatus } from "../../../store/records/schema.ts";
import { isNestedTooDeep } from "../../platform/json-depth.ts";
import { type Comparison, isTelling, type RunSource } from "../causes/source.ts";
import type { CauseAndLoss } from "../causes/task.ts";
import { createRunReader } from "../format/cause/run/run-reader.ts";
import { createCoverage } from "../format/coverage.ts";
import { readEvent, type TraceEvent } from "../format/event.ts";
import type { PlaywrightResult } from "../format/playwright/source.ts";
import { createSearchText, type SearchText, stepsAndKinds } from "../format/search-text.ts";
import type { Summary } from "../format/summary.ts";
import { createSummaryBuilder, type SummaryMeta } from "../format/summary-builder.ts";
import { MOST_UPLOADED_SUMMARY } from "../kinds.ts";
import type { ReadAhead } from "../read-ahead.ts";
import type { ArchivedBlob } from "./archive-hashes.ts";
import { convertPlaywright } from "./convert.ts";
import { type OutputFile, writeOutput } from "./output-files.ts";
import { createReferences, type Reference } from "./references.ts";
import { createRrwebExtract } from "./rrweb.ts";
import { extractSnapshots } from "./snapshots.ts";

export interface ProcessInput {
  traceId: string;
  /** Empty folder for what is made. */
  folder: string;
  files: FilesAddress;
  /** Leased while the task runs; null when the trace has no such file. Without events, the Playwright archive is converted. */
  events: { path: string; indexPath: string } | null;
  playwright: string | null;
  /** What has been read of the archive while it came in. */
  known: ReadAhead;
  /** A summary that came with the recording. */
  summary: string | null;
  hasRrweb: boolean;
  meta: Omit<SummaryMeta, "redactionCount">;
  /** Where the strings lie that were too long for their events, by hash. */
  texts: Map<string, ByteLocation>;
  /** Blobs whose bytes are known, with their sizes. */
  blobSizes: Map<string, number>;
  /** Whether the cause of a failure is looked for. */
  isCauseWanted: boolean;
}

/** What the task asks for, once, when the run has failed; it is answered with `ComparedWith`. */
const COMPARED_WITH = "compared with";

export interface ComparedWith extends Pick<Comparison, "passes"> {
  /** What is on record of the run. */
  recorded: Pick<RunSource, "blobs" | "snapshots">;
}

/** The blobs of a trace. */
export interface NamedBlobs {
  /** The hashes that the events name. */
  references: Reference[];
  /** Those that lie in the Playwright archive. */
  archived: ArchivedBlob[];
}

export interface ProcessOutput {
  /** Without what only the file needs. */
  summary: Omit<Summary, "steps" | "filmstrip" | "lanes">;
  search: SearchText;
  files: OutputFile[];
  /** Why it failed; null where it did not, and where nobody looks for it. */
  cause: CauseAndLoss | null;
  /** Paths of the scripts and style sheets that were used; null when nobody recorded it. */
  coverage: string[] | null;
}

const EVENTS_PER_PROGRESS = 5_000;

/**
 * The task `trace.process`: reads the events of a trace once (making them first from a Playwright archive where there
 * are none) and writes summary, manifest and DOM recording to the work folder, fsynced.
 * @param progress told numbers as a sign of life, and once the trace's blobs, which others can see to while a cause is looked for
 * @param ask for what a failure is compared with
 */
export async function processTrace(
  input: ProcessInput,
  progress: (progress: number | NamedBlobs) => void,
  ask: (question: typeof COMPARED_WITH) => Promise<ComparedWith>,
): Promise<ProcessOutput> {
  progress(0);
  const builder = createSummaryBuilder({
    ...input.meta,
    redactionCount: await redactionCount(input.summary),
  });
  const search = createSearchText();
  const references = createReferences();
  const coverage = createCoverage();
  const stored = createLocalFiles(input.files);
  const rrweb = input.hasRrweb
    ? null
    : createRrwebExtract(input.folder, (hash) => {
        const location = input.texts.get(hash);
        return location ? readText(stored, location) : null;
      });
  // Of a run that passed nobody asks why it failed.
  const run = input.isCauseWanted && input.meta.claimedStatus !== "passed" ? createRunReader() : null;
  let work = 0;

  function onWork() {
    if (++work % EVENTS_PER_PROGRESS === 0) progress(work);
  }
  function each(event: TraceEvent, line: string): void | Promise<void> {
    builder.add(event);
    search.add(event);
    references.add(line, event);
    coverage.add(event);
    run?.add(event);
    return rrweb?.add(event);
  }

  const writing: Promise<OutputFile | OutputFile[]>[] = [];
  /** Files that come to the disk while the rest is made. */
  function write(files: Promise<OutputFile | OutputFile[]>) {
    writing.push(files);
    // Told to whoever awaits it, which may be later than the runtime likes.
    files.catch(() => {});
  }

  try {
    const converted = input.events ? null : await convertPlaywright(archiveOf(input), each, onWork);
    if (input.events) await readEvents(input.events, each, onWork);
    if (converted) write(converted.files);
    const files: OutputFile[] = [];
    const recording = await rrweb?.finish();
    if (recording) files.push(recording);

    const pages = converted ? null : await pagesApart(input, onWork);
    if (pages?.file) files.push(pages.file);

    const late = converted
      ? fromArchive(input, converted.result, converted.warnings)
      : pages?.warning
        ? { warnings: [...input.meta.warnings, pages.warning] }
        : {};
    const summary = builder.finish(late);
    write(writeSummary(input.folder, summary));
    const archived: ArchivedBlob[] = [];
    for (const reference of references.found.values()) {
      const place = converted?.locate(reference.hash);
      if (!place) continue;
      archived.push(place);
      input.blobSizes.set(place.hash, place.size);
      reference.mediaType ??= converted!.mediaTypeOf(reference.hash);
    }
    write(writeManifest(input, references.found));
    const named = { references: [...references.found.values()], archived };
    const asking = summary.failure && run ? ask(COMPARED_WITH) : null;
    progress(named);
    const cause =
      asking && run
        ? await (await causeEngine()).causeOfKnown(
            asking.then((against) => comparisonOf(input, named, against)),
            { summary, facts: run.finish() },
            () => progress(++work),
          )
        : null;
    const { steps: _steps, filmstrip: _filmstrip, lanes: _lanes, ...head } = summary;
    return {
      summary: head,
      search: {
        ...search.finish({ title: summary.title, failure: failureText(summary) }),
        ...stepsAndKinds(summary),
      },
      files: [...files, ...(await Promise.all(writing)).flat()],
      cause,
      coverage: coverage.finish(),
    };
  } finally {
    await rrweb?.abort();
    // Nothing may be at work in a folder that is about to go.
    await Promise.allSettled(writing);
  }
}

/** Loaded when a run has failed: most of what a new worker has to read is this. */
const causeEngine = () => import("../causes/task.ts");

/** What a cause is looked for in: of the run itself, what has just been written. */
function comparisonOf(
  input: ProcessInput,
  { references, archived }: NamedBlobs,
  { passes, recorded }: ComparedWith,
): Comparison {
  const { files, folder } = input;
  const keyOf = (path: string) => relative(files.root, path);
  const types = new Map(references.map(({ hash, mediaType }) => [hash, mediaType]));
  const blobs = new Map(recorded.blobs);
  for (const { hash, ...place } of archived)
    if (!blobs.has(hash) && isTelling(types.get(hash) ?? null, place.size))
      blobs.set(hash, { ...place, key: keyOf(input.playwright!) });
  const pages = join(folder, TRACE_FILES.snapshots);
  const size = existsSync(pages) ? statSync(pages).size : null;
  return {
    files,
    run: {
      events: input.events ?? {
        path: join(folder, TRACE_FILES.events),
        indexPath: join(folder, TRACE_FILES.eventIndex),
      },
      blobs,
      snapshots:
        size === null
          ? recorded.snapshots
          : { key: keyOf(pages), offset: 0, storedSize: size, size, method: 0 },
      environment: input.meta.environment,
    },
    passes,
  };
}

const readText = async (files: Files, location: ByteLocation) =>
  new TextDecoder().decode(await files.read(location));

function archiveOf(input: ProcessInput) {
  if (input.playwright === null) throw new Error("The trace has neither events nor a Playwright archive.");
  const { hashes, begun } = input.known;
  return { archive: input.playwright, folder: input.folder, known: hashes, begun };
}

/** The page snapshots of a trace that came with both events and an archive. */
async function pagesApart(input: ProcessInput, onWork: () => void) {
  if (input.playwright === null) return null;
  onWork();
  return extractSnapshots(input.playwright, input.folder);
}

async function readEvents(
  files: { path: string; indexPath: string },
  each: (event: TraceEvent, line: string) => void | Promise<void>,
  onWork: () => void,
) {
  const store = createEventFiles();
  try {
    const file = await store.open(files.path, files.indexPath);
    for await (const lines of file.lineBatches()) {
      for (const line of lines) {
        const waiting = each(readEvent(line), line);
        if (waiting) await waiting;
        onWork();
      }
    }
  } finally {
    store.close();
  }
}

/** What a Playwright archive says of itself; what the uploader said wins. */
function fromArchive(
  input: ProcessInput,
  result: PlaywrightResult,
  warnings: string[],
): Partial<SummaryMeta> {
  const { meta } = input;
  const found: Record<string, unknown> = {
    test: result.title,
    browser: result.browserName,
    channel: result.channel,
    platform: result.platform,
    base_url: result.baseURL,
    viewport: result.viewport && `${result.viewport.width} × ${result.viewport.height}`,
    device_scale_factor: result.deviceScaleFactor,
    timezone: result.timezone,
    locale: result.locale,
    playwright_version: result.playwrightVersion,
    sdk_language: result.sdkLanguage,
    trace_version: result.version,
  };
  const status: TraceStatus = meta.claimedStatus ?? result.status;
  const { failure } = result;
  return {
    claimedStatus: status,
    runnerErrors: failure
      ? [{ message: failure.message, stepId: failure.step_id, stack: failure.stack }]
      : [],
    startedAt: meta.startedAt ?? result.startedAt,
    endedAt: meta.endedAt ?? result.endedAt,
    environment: { ...found, ...meta.environment },
    warnings: [...meta.warnings, ...warnings.filter((warning) => !meta.warnings.includes(warning))],
  };
}

function failureText(summary: Summary): string | null {
  const { failure } = summary;
  if (!failure) return null;
  return failure.title === failure.message ? failure.message : `${failure.title}\n${failure.message}`;
}

async function writeSummary(folder: string, summary: Summary): Promise<OutputFile> {
  const file = { kind: "summary", name: TRACE_FILES.summary, mediaType: "application/json" } as const;
  return writeOutput(folder, file, JSON.stringify(summary));
}

/** Every blob that the events name: `{ version, trace_id, blobs: [{ hash, size, media_type, seq }] }`, size null when the bytes are nowhere. */
async function writeManifest(input: ProcessInput, references: Map<string, Reference>): Promise<OutputFile> {
  const blobs = [...references.values()].map(({ hash, seq, mediaType }) => ({
    hash,
    size: input.blobSizes.get(hash) ?? null,
    media_type: mediaType,
    seq,
  }));
  const file = { kind: "manifest", name: TRACE_FILES.manifest, mediaType: "application/json" } as const;
  return writeOutput(input.folder, file, JSON.stringify({ version: 1, trace_id: input.traceId, blobs }));
}

/** What whoever recorded the trace says it masked; 0 when nobody says, or at too great length to be read. */
export async function redactionCount(path: string | null): Promise<number> {
  if (path === null) return 0;
  try {
    // Older versions stored one of any size, and reading it would take the whole server down.
    if ((await stat(path)).size > MOST_UPLOADED_SUMMARY) return 0;
    const bytes = await readFile(path);
    if (isNestedTooDeep(bytes)) return 0;
    const { redaction_count: count } = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
    return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : 0;
  } catch (error) {
    // An uploaded summary may be anything; it is replaced, so it must not fail the trace.
    const isOfItsMaker = error instanceof SyntaxError || error instanceof TypeError;
    if (isOfItsMaker || (error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
