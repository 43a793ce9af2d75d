import { blobHash } from "../../api/trace-source.ts";

export interface AttachedFile {
  name: string;
  mediaType: string;
  /** `sha256:<hex>`; null when the bytes were not recorded. */
  blob: string | null;
  /** Where it lay on the machine that recorded. */
  path: string | null;
}

const MOST = 200;
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** The attachments of an event: only what has the shape of one. */
export function attachmentsOf(value: unknown): AttachedFile[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST).flatMap((item: unknown): AttachedFile[] => {
    if (!item || typeof item !== "object") return [];
    const { name, media_type, blob, path } = item as Record<string, unknown>;
    return [
      {
        name: text(name).slice(0, 500) || "(no name)",
        mediaType: text(media_type).slice(0, 200).toLowerCase(),
        blob: blobHash(text(blob)) ? text(blob) : null,
        path: text(path).slice(0, 1000) || null,
      },
    ];
  });
}

export interface PictureSet {
  name: string;
  expected: string | null;
  actual: string | null;
  diff: string | null;
}

const PART = /^(.*)-(expected|actual|diff|previous)(\.\w+)?$/;

/** Attachments that belong together as a screenshot assertion leaves them: `<name>-expected`, `-actual`, `-diff`. */
export function pictureSets(files: readonly AttachedFile[]): PictureSet[] {
  const sets = new Map<string, PictureSet>();
  for (const { name, blob, mediaType } of files) {
    const match = PART.exec(name);
    if (!match || blob === null || !mediaType.startsWith("image/")) continue;
    const key = `${match[1]}${match[3] ?? ""}`;
    const set = sets.get(key) ?? { name: key, expected: null, actual: null, diff: null };
    sets.set(key, set);
    if (match[2] === "expected") set.expected = blob;
    else if (match[2] === "actual") set.actual = blob;
    else if (match[2] === "diff") set.diff = blob;
  }
  return [...sets.values()].filter(({ expected, actual }) => expected !== null || actual !== null);
}
