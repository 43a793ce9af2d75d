import { ArchiveError, unreadable } from "../../../store/archives/errors.ts";
import { quote } from "../../../store/archives/policy.ts";
import { openZip, type ZipArchive } from "../../../store/archives/zip.ts";
import type { ZipMember } from "../../../store/archives/zip-member.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import type { BlobLocation } from "../../../store/records/blobs.ts";
import { LATEST_VERSION } from "../format/playwright/source.ts";
import type { Budget } from "./budget.ts";

const LONGEST_FIRST_LINE = 4 * 1024 * 1024;

/**
 * Checks a Playwright archive without reading it whole: members, caps and the format version of every trace in it.
 * @param wanted hashes to look for among its members.
 * @returns warnings, and where those of the wanted hashes lie that were found.
 * @throws ArchiveError
 */
export async function checkPlaywright(
  path: string,
  budget: Budget,
  wanted: readonly string[],
): Promise<{ warnings: string[]; found: BlobLocation[] }> {
  const archive = await openZip(path, { maxUnpackedBytes: budget.left });
  try {
    const { members, partial } = archive;
    budget.spend(members.reduce((sum, member) => sum + member.size, partial?.size ?? 0));
    await checkVersions(archive);
    const warnings = archive.salvaged
      ? [`The Playwright archive was cut short and is kept as it came. ${archive.lost ?? ""}`.trim()]
      : [];
    return { warnings, found: await findHashes(archive, wanted) };
  } finally {
    await archive.close();
  }
}

async function checkVersions(archive: ZipArchive): Promise<void> {
  const { partial } = archive;
  const traces = [...archive.members, ...(partial ? [partial] : [])].filter((member) =>
    member.name.endsWith(".trace"),
  );
  if (traces.length === 0)
    throw unreadable("The zip archive is no Playwright trace: it has no member whose name ends in .trace.");
  const empty: string[] = [];
  for (const member of traces) {
    // One at a time: there may be thousands, each with a line of megabytes.
    const line = await firstLine(archive.stream(member));
    if (line.text === "") empty.push(member.name);
    else checkFirstLine(member.name, line);
  }
  const wrong = empty.length === traces.length ? empty[0] : empty.find((name) => name === "trace.trace");
  if (wrong !== undefined)
    throw unreadable(
      `The member ${quote(wrong)} is empty; a Playwright trace has a JSON object in every line.`,
    );
}

interface FirstLine {
  text: string;
  /** The archive, or this program's patience, ends before the line does. */
  isCut: boolean;
}

/** A line that is cut tells nothing: reading the archive will say what is wrong with it. */
function checkFirstLine(name: string, { text, isCut }: FirstLine): void {
  const event = recordIn(text);
  if (event === null) {
    if (isCut) return;
    throw unreadable(
      `The first line of the member ${quote(name)} is no JSON object; a Playwright trace has one in every line.`,
    );
  }
  // The first recorders, and those of the test runner, wrote none.
  const { version } = event;
  if (version === undefined) return;
  if (!Number.isSafeInteger(version) || Number(version) < 1)
    throw unreadable(
      `The member ${quote(name)} has the Playwright trace version ${quote(JSON.stringify(version))}; it must be a positive whole number.`,
    );
  if (Number(version) > LATEST_VERSION)
    throw unreadable(
      `The member ${quote(name)} has the Playwright trace version ${version}; this program reads up to ` +
        `${LATEST_VERSION}. It was recorded by a newer Playwright: update tracedeck.`,
    );
}

function recordIn(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The first line that is not blank, as far as it is there. */
async function firstLine(bytes: ReadableStream<Uint8Array>): Promise<FirstLine> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isCut = false;
  try {
    for await (const chunk of bytes) {
      const start = size === 0 ? chunk.findIndex((byte) => !isBlank(byte)) : 0;
      if (start < 0) continue;
      const end = chunk.indexOf(0x0a, start);
      chunks.push(chunk.subarray(start, end < 0 ? chunk.length : end));
      size += chunk.length - start;
      isCut = end < 0 && size > LONGEST_FIRST_LINE;
      if (end >= 0 || isCut) break;
    }
  } catch (error) {
    // A member that ends early still has a beginning.
    if (!(error instanceof ArchiveError)) throw error;
    isCut = true;
  }
  return { text: Buffer.concat(chunks).toString("utf8").trim(), isCut };
}

const isBlank = (byte: number) => byte === 0x0a || byte === 0x0d;

async function findHashes(archive: ZipArchive, wanted: readonly string[]): Promise<BlobLocation[]> {
  const left = new Set(wanted);
  const found: BlobLocation[] = [];
  for (const member of archive.members) {
    if (left.size === 0) break;
    const hash = await hashMember(archive, member);
    if (hash === null || !left.delete(hash)) continue;
    const { offset, storedSize, size, method } = member;
    found.push({ hash, container: TRACE_FILES.playwright, offset, storedSize, size, method });
  }
  return found;
}

async function hashMember(archive: ZipArchive, member: ZipMember): Promise<string | null> {
  const hasher = new Bun.CryptoHasher("sha256");
  try {
    for await (const chunk of archive.stream(member)) hasher.update(chunk);
  } catch (error) {
    // A damaged member holds none of the wanted blobs; the ones that stay missing are told in a warning.
    if (error instanceof ArchiveError) return null;
    throw error;
  }
  return hasher.digest("hex");
}
