import { ArchiveError, unreadable } from "../../../store/archives/errors.ts";
import { quote } from "../../../store/archives/policy.ts";
import { openZip, type ZipArchive, type ZipMember } from "../../../store/archives/zip.ts";
import { TRACE_FILES } from "../../../store/layout.ts";
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
    budget.spend(archive.members.reduce((sum, member) => sum + member.size, 0));
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
  for (const member of traces) {
    const version = versionIn(await firstLine(archive.stream(member)));
    if (version !== null && version > LATEST_VERSION)
      throw unreadable(
        `The member ${quote(member.name)} has the Playwright trace version ${version}; this program reads up to ` +
          `${LATEST_VERSION}. It was recorded by a newer Playwright: update tracedeck.`,
      );
  }
}

/** A line that is cut or is no JSON tells no version: reading the archive will say what is wrong with it. */
function versionIn(line: string): number | null {
  try {
    const { version } = JSON.parse(line) as { version?: unknown };
    return typeof version === "number" ? version : null;
  } catch {
    return null;
  }
}

async function firstLine(bytes: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bytes) {
      const end = chunk.indexOf(0x0a);
      chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
      size += chunk.length;
      if (end >= 0 || size > LONGEST_FIRST_LINE) break;
    }
  } catch (error) {
    // A member that ends early still has a beginning.
    if (!(error instanceof ArchiveError)) throw error;
  }
  return Buffer.concat(chunks).toString("utf8");
}

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
