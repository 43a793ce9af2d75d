import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unreadable } from "../../../store/archives/errors.ts";
import { DEFAULT_CAPS, quote } from "../../../store/archives/policy.ts";
import type { Durability } from "../../../store/blobs/sync.ts";
import { TRACE_FILES } from "../../../store/files/names.ts";
import { AppError } from "../../http/errors.ts";
import { STRING_TYPE } from "../format/event.ts";
import { sniffMediaType } from "../format/media.ts";
import { counted, endBeforeStart } from "../format/words.ts";
import { MOST_UPLOADED_SUMMARY, UPLOADED_SUMMARY } from "../kinds.ts";
import { type Budget, createBudget, spending } from "./budget.ts";
import { writeEvents } from "./events.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { checkPlaywright } from "./playwright.ts";
import { writeRrweb } from "./rrweb.ts";
import { type WrittenFile, writeFile } from "./sink.ts";
import type { StagedArtifact, Unpacked, UnpackInput } from "./staged.ts";
import { readTar, type TarMember } from "./tar.ts";
import { zstdContent } from "./zstd.ts";

const MANIFEST_BYTES = 1024 * 1024;
const NAMES_IN_A_WARNING = 20;
const INCOMING = "incoming";

/** What the members add up to while they come by. */
interface Gathering {
  input: UnpackInput;
  durability: Durability;
  budget: Budget;
  manifest: Manifest | null;
  artifacts: StagedArtifact[];
  blobs: Map<string, { size: number; mediaType: string | null }>;
  /** Hashes that the events name, with the media types they give. */
  named: Map<string, string | null>;
  /** Blobs that were strings of events. */
  texts: Set<string>;
  finalScreenshot: string | null;
  eventCount: number;
  unknown: string[];
  warnings: string[];
}

/**
 * Takes a tar.zst bundle (decisions, section 5) apart in one pass.
 * @throws ArchiveError, or AppError `blob_mismatch`.
 */
export async function unpackBundle(input: UnpackInput, durability: Durability): Promise<Unpacked> {
  const gathering: Gathering = {
    input,
    durability,
    budget: createBudget(input.maxUnpackedBytes),
    manifest: null,
    artifacts: [],
    blobs: new Map(),
    named: new Map(),
    texts: new Set(),
    finalScreenshot: null,
    eventCount: 0,
    unknown: [],
    warnings: [],
  };
  const tar = spending(zstdContent(input.upload, input.growth), gathering.budget);
  for await (const member of readTar(tar, DEFAULT_CAPS))
    if (member.type === "file") await take(member, gathering);
  return finish(gathering);
}

async function take(member: TarMember, into: Gathering): Promise<void> {
  const { name } = member;
  const blob = /^blobs\/(.*)$/.exec(name)?.[1];
  if (blob !== undefined) return takeBlob(member, blob, into);
  const screenshot = /^screenshots\/final\.(png|jpg|jpeg|webp)$/.test(name);
  if (screenshot) return takeScreenshot(member, into);
  switch (name) {
    case "manifest.json":
      into.manifest = parseManifest(await readSmall(member, MANIFEST_BYTES));
      return;
    case "events.ndjson":
    case "events.ndjson.zst":
      return takeEvents(member, into);
    case "playwright.zip":
      return takePlaywright(member, into);
    case "rrweb.ndjson":
    case "rrweb.ndjson.zst":
      refuseSecond(into, "rrweb", name);
      into.artifacts.push(await writeRrweb(copies(member.bytes()), name.endsWith(".zst"), into));
      return;
    case "video.webm":
    case "video.mp4":
      return takeFile(member, into, "video", name, name.endsWith("mp4") ? "video/mp4" : "video/webm");
    case "report.md":
      return takeFile(member, into, "report", TRACE_FILES.report, "text/markdown");
    case "summary.json":
      return takeSummary(member, into);
    default:
      into.unknown.push(name);
  }
}

function refuseSecond(into: Gathering, kind: StagedArtifact["kind"], name: string): void {
  if (into.artifacts.some((artifact) => artifact.kind === kind))
    throw unreadable(`The bundle has ${quote(name)} beside another member of its kind; one is taken.`);
}

async function readSmall(member: TarMember, most: number): Promise<Uint8Array> {
  if (member.size > most) throw unreadable(`${member.name} is larger than ${most} bytes.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of copies(member.bytes())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** For who holds pieces while it asks for more. */
async function* copies(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) yield Buffer.from(piece);
}

async function takeFile(
  member: TarMember,
  into: Gathering,
  kind: StagedArtifact["kind"],
  name: string,
  mediaType: string,
): Promise<void> {
  refuseSecond(into, kind, member.name);
  const { path, size, sha256 } = await writeFile(join(into.input.trace, name), member.bytes());
  into.durability.add(path);
  into.artifacts.push({ kind, name, size, sha256, mediaType });
}

/** Kept until post-processing has read it; the server's own summary takes its place. */
async function takeSummary(member: TarMember, into: Gathering): Promise<void> {
  if (member.size <= MOST_UPLOADED_SUMMARY)
    return takeFile(member, into, UPLOADED_SUMMARY.kind, UPLOADED_SUMMARY.name, "application/json");
  into.warnings.push(
    `Left out: summary.json has ${member.size} bytes; at most ${MOST_UPLOADED_SUMMARY} are read of what its maker masked.`,
  );
}

async function takeBlob(member: TarMember, hash: string, into: Gathering): Promise<void> {
  if (!/^[0-9a-f]{64}$/.test(hash))
    throw unreadable(
      `The member ${quote(member.name)} is not named by a SHA-256 in lower-case hex, as blobs/<hex> must be.`,
    );
  // Only the final screenshot may be there already, under the name of its hash.
  const isKnown = into.blobs.has(hash);
  const written = await writeFile(join(into.input.blobs, isKnown ? INCOMING : hash), member.bytes());
  if (written.sha256 !== hash)
    throw new AppError(
      "blob_mismatch",
      `The content of the member ${quote(member.name)} has the SHA-256 ${written.sha256}.`,
    );
  keepBlob(written, into);
}

async function takeScreenshot(member: TarMember, into: Gathering): Promise<void> {
  if (into.finalScreenshot !== null)
    throw unreadable(`The bundle has ${quote(member.name)} beside another final screenshot; one is taken.`);
  const written = await writeFile(join(into.input.blobs, INCOMING), member.bytes());
  keepBlob(written, into);
  into.finalScreenshot = written.sha256;
}

function keepBlob({ path, sha256, size, head }: WrittenFile, into: Gathering): void {
  const target = join(into.input.blobs, sha256);
  if (into.blobs.has(sha256)) {
    rmSync(path);
    return;
  }
  if (path !== target) renameSync(path, target);
  into.durability.add(target);
  into.blobs.set(sha256, { size, mediaType: sniffMediaType(head) });
}

/** A string of an event as a blob. */
function keepText(bytes: Buffer, sha256: string, into: Gathering): void {
  if (into.blobs.has(sha256)) return;
  const path = join(into.input.blobs, sha256);
  writeFileSync(path, bytes, { mode: 0o600, flag: "wx" });
  into.durability.add(path);
  into.blobs.set(sha256, { size: bytes.length, mediaType: null });
  into.texts.add(sha256);
}

async function takeEvents(member: TarMember, into: Gathering): Promise<void> {
  refuseSecond(into, "ndjson", member.name);
  const isCompressed = member.name.endsWith(".zst");
  const written = await writeEvents(isCompressed ? copies(member.bytes()) : member.bytes(), {
    isCompressed,
    folder: into.input.trace,
    budget: into.budget,
    maxReferences: DEFAULT_CAPS.maxMembers,
    keep: (bytes, sha256) => keepText(bytes, sha256, into),
  });
  into.artifacts.push(...written.artifacts);
  into.warnings.push(...written.warnings);
  into.named = written.references;
  into.eventCount = written.count;
}

async function takePlaywright(member: TarMember, into: Gathering): Promise<void> {
  await takeFile(member, into, "playwright", TRACE_FILES.playwright, "application/zip");
}

async function finish(gathered: Gathering): Promise<Unpacked> {
  const { artifacts, blobs, named, warnings, unknown, manifest } = gathered;
  const has = (kind: StagedArtifact["kind"]) => artifacts.some((artifact) => artifact.kind === kind);
  if (!has("ndjson") && !has("playwright"))
    throw unreadable("The bundle has neither events.ndjson, events.ndjson.zst nor playwright.zip.");
  if (manifest === null) warnings.push("The bundle has no manifest.json.");
  if (manifest && manifest.unknown.length > 0)
    warnings.push(`Fields of manifest.json that are not known were left out: ${someOf(manifest.unknown)}.`);
  const disorder = manifest && endBeforeStart(manifest.startedAt, manifest.endedAt);
  if (disorder) warnings.push(disorder);
  if (unknown.length > 0) warnings.push(`Left out, because they are not known: ${someOf(unknown)}.`);

  const absent = [...named.keys()].filter((hash) => !blobs.has(hash));
  const archive = has("playwright")
    ? await checkPlaywright(join(gathered.input.trace, TRACE_FILES.playwright), gathered.budget, absent)
    : null;
  warnings.push(...(archive?.warnings ?? []));
  const archived = archive?.found ?? [];
  const foundThere = new Set(archived.map((member) => member.hash));
  const missing = absent.filter((hash) => !foundThere.has(hash));
  if (missing.length > 0)
    warnings.push(
      `The events name ${counted(missing.length, "blob")} that the bundle does not bring: ${someOf(missing)}.`,
    );
  return {
    manifest,
    artifacts,
    blobs: [...blobs].map(([hash, { size }]) => ({ hash, size })),
    references: [
      ...[...blobs].map(([hash, { mediaType }]) => ({
        hash,
        mediaType: mediaType ?? named.get(hash) ?? (gathered.texts.has(hash) ? STRING_TYPE : null),
      })),
      ...archived.map(({ hash }) => ({ hash, mediaType: named.get(hash) ?? null })),
    ],
    archived,
    finalScreenshot: gathered.finalScreenshot,
    eventCount: gathered.eventCount,
    warnings,
  };
}

function someOf(names: string[]): string {
  const shown = names.slice(0, NAMES_IN_A_WARNING).map(quote).join(", ");
  const rest = names.length - NAMES_IN_A_WARNING;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
