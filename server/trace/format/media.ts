/** Media type by a file's first bytes, for the kinds a recording is made of; null when they tell nothing. */
export function sniffMediaType(head: Uint8Array): string | null {
  const starts = (...bytes: number[]) => bytes.every((byte, at) => head[at] === byte);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (starts(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (starts(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  const isRiff = starts(0x52, 0x49, 0x46, 0x46);
  if (isRiff && Buffer.from(head.subarray(8, 12)).toString("latin1") === "WEBP") return "image/webp";
  if (starts(0x1a, 0x45, 0xdf, 0xa3)) return "video/webm";
  return null;
}

export type UploadForm = "bundle" | "playwright";

/** What an uploaded file is by its first bytes (4 are enough); null when it is neither form that is taken. */
export function uploadForm(head: Uint8Array): UploadForm | null {
  if (head.length < 4) return null;
  const magic = new DataView(head.buffer, head.byteOffset, 4).getUint32(0, true);
  // A zstd frame (RFC 8878, 3.1.1), or a skippable one in front of it (3.1.2).
  if (magic === 0xfd2fb528 || (magic & 0xfffffff0) >>> 0 === 0x184d2a50) return "bundle";
  // A local file header, or the end record of an empty archive (APPNOTE 4.3.7, 4.3.16).
  if (magic === 0x04034b50 || magic === 0x06054b50) return "playwright";
  return null;
}

/** What a file that is refused looks like, for the message. */
export function describeBytes(head: Uint8Array): string {
  if (head.length === 0) return "an empty file";
  const latin = Buffer.from(head).toString("latin1");
  if (latin.startsWith("\x1f\x8b")) return "a gzip file";
  if (latin.startsWith("BZh")) return "a bzip2 file";
  if (latin.startsWith("\xfd7zXZ\0")) return "an xz file";
  if (latin.startsWith("7z\xbc\xaf")) return "a 7z file";
  if (latin.startsWith("%PDF")) return "a PDF";
  if (latin.slice(257, 262) === "ustar") return "a tar archive that is not compressed";
  if (/^\s*</.test(latin)) return "an HTML or XML text";
  if (/^\s*[{[]/.test(latin)) return "a JSON text";
  const known = sniffMediaType(head);
  if (known) return `a file of the type ${known}`;
  return `a file that begins with the bytes ${Buffer.from(head.subarray(0, 8)).toString("hex")}`;
}
