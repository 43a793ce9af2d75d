import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ArchiveError, bomb } from "../../../store/archives/errors.ts";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { AppError } from "../../http/errors.ts";
import { createBlobReader, isBlobStart } from "../format/reports/blob.ts";
import { countTests, ReportError } from "../format/reports/common.ts";
import { readJsonReport } from "../format/reports/json.ts";
import { readJunit } from "../format/reports/junit.ts";
import type { ReportedResult, ReportedRun } from "../format/test-run.ts";

export interface ReadReportInput {
  path: string;
  /** Where traces are put. */
  folder: string;
  maxUnpackedBytes: number;
  /** Epoch ms, for reports that name no time. */
  now: number;
}

export interface ReadReport extends Omit<ReportedRun, "results"> {
  /** `archive` is the attempt's trace, unpacked. */
  results: (ReportedResult & { archive: string | null })[];
  tests: number;
}

/** What is taken into memory: of a JSON report or a JUnit file all of it, of a blob report the events that are kept. */
const MOST_TEXT_MIB = 256;
const MOST_TEXT = MOST_TEXT_MIB * 1024 * 1024;
const LONGEST_LINE = 64 * 1024 * 1024;

/**
 * The task `test-runs.read`: reads a report, told by its bytes, and unpacks the traces in it.
 * @throws AppError `bundle_unreadable` saying what is wrong, `bundle_bomb` past a cap
 */
export async function readReport(input: ReadReportInput): Promise<ReadReport> {
  try {
    const start = await readStart(input.path);
    if (start[0] === 0x50 && start[1] === 0x4b) return await readBlob(input);
    const text = await readText(input.path);
    const first = /\S/.exec(text)?.[0];
    if (first === "<") return withoutTraces(readJunit(text, input.now));
    if (first === "{") return withoutTraces(readJsonReport(JSON.parse(text), input.now));
    throw new ReportError("is no Playwright blob report (zip), JSON report or JUnit XML file.");
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof ArchiveError) throw new AppError(error.kind, error.message);
    if (error instanceof ReportError) throw new AppError(error.kind, `The report ${error.message}`);
    // Whatever its parts are, they are not what a report has.
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
      throw new AppError("bundle_unreadable", `The report cannot be read: ${error.message}`);
    throw error;
  }
}

function withoutTraces(report: ReportedRun): ReadReport {
  const results = report.results.map((one) => ({ ...one, archive: null }));
  return { ...report, results, tests: countTests(results) };
}

async function readBlob({ path, folder, maxUnpackedBytes, now }: ReadReportInput): Promise<ReadReport> {
  const zip = await openZip(path, { maxUnpackedBytes });
  try {
    const events = zip.get("report.jsonl");
    if (!events)
      throw new ReportError("is a zip archive without report.jsonl: no blob report of Playwright.");
    const reader = createBlobReader();
    for await (const line of linesOf(zip.stream(events))) reader.take(JSON.parse(line));
    const { results, warnings, ...run } = reader.finish(now);
    const told = [...warnings, ...(zip.lost === null ? [] : [zip.lost])];
    const unpacked: ReadReport["results"] = [];
    const unpack = createUnpacking(zip, folder, maxUnpackedBytes - events.size);
    for (const { trace, ...result } of results) {
      const archive = trace === null ? null : await unpack(trace);
      if (trace !== null && archive === null) told.push(`The trace ${trace} is not in the report.`);
      unpacked.push({ ...result, archive });
    }
    return { ...run, results: unpacked, warnings: told, tests: countTests(unpacked) };
  } finally {
    await zip.close();
  }
}

/**
 * Unpacks each trace once, however many attempts name it. Every naming counts against the cap: each attempt's trace gets
 * a copy of its own.
 */
function createUnpacking(
  zip: ZipArchive,
  folder: string,
  mostBytes: number,
): (name: string) => Promise<string | null> {
  const unpacked = new Map<string, string>();
  let named = 0;
  return async (name) => {
    const member = zip.get(name);
    if (!member) return null;
    named += member.size;
    if (named > mostBytes)
      throw bomb(`The attempts of the report name traces of more than ${mostBytes} bytes together.`);
    const known = unpacked.get(name);
    if (known !== undefined) return known;
    const path = join(folder, `${unpacked.size}.zip`);
    await unpackTrace(zip, member, path);
    unpacked.set(name, path);
    return path;
  };
}

async function unpackTrace(zip: ZipArchive, member: ZipMember, to: string): Promise<void> {
  // Not Bun's writer: on a full disk that rejects a promise which nobody has, and ends as if all were there.
  const file = await open(to, "wx", 0o600);
  try {
    for await (const chunk of zip.stream(member)) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

/** Output and steps of tests are not kept, and may be most of a report. */
const isUnkept = (line: string): boolean => /^\{"method":"on(?:StdIO|StepBegin|StepEnd)"/.test(line);

async function* linesOf(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let isFirst = true;
  let kept = 0;
  const take = function* (lines: string[]) {
    for (const line of lines) {
      if (line.trim() === "" || isUnkept(line)) continue;
      if (isFirst && !isBlobStart(line))
        throw new ReportError("does not begin as a blob report of Playwright.");
      isFirst = false;
      kept += line.length;
      if (kept > MOST_TEXT)
        throw new ReportError(
          `has more than ${MOST_TEXT_MIB} MiB of events beside output and steps.`,
          "bundle_bomb",
        );
      yield line;
    }
  };
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (rest.length > LONGEST_LINE) throw new ReportError("has a line of more than 64 MiB.");
    yield* take(lines);
  }
  yield* take([rest]);
}

async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(4);
    await file.read(bytes, 0, 4, 0);
    return bytes;
  } finally {
    await file.close();
  }
}

async function readText(path: string): Promise<string> {
  if ((await stat(path)).size > MOST_TEXT)
    throw new ReportError(`has more than ${MOST_TEXT_MIB} MiB of text.`);
  const bytes = await readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ReportError("is no text in UTF-8.");
  }
}
