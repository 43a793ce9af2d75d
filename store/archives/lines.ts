import { unreadable } from "./errors.ts";
import { quote } from "./policy.ts";
import type { PartialMember, ZipArchive, ZipMember } from "./zip.ts";

/** One line may be this long: a DOM snapshot of a heavy page has tens of megabytes. */
const LONGEST_LINE = 128 * 1024 * 1024;

/** A zip archive as names and lines of text. Of a salvaged archive the cut member is there too, up to its last line. */
export function textFiles(archive: ZipArchive) {
  const { partial } = archive;
  const find = (name: string): ZipMember | PartialMember | undefined =>
    archive.get(name) ?? (partial?.name === name ? partial : undefined);
  return {
    entries: () => [...archive.members.map(({ name }) => name), ...(partial ? [partial.name] : [])],
    has: (name: string) => find(name) !== undefined,
    /** @throws ArchiveError for a damaged member or an endless line. */
    async *lines(name: string): AsyncGenerator<string, void> {
      const member = find(name);
      if (!member) return;
      yield* splitLines(archive.stream(member), name);
    },
  };
}

async function* splitLines(stream: ReadableStream<Uint8Array>, name: string): AsyncGenerator<string, void> {
  let pending: Buffer[] = [];
  let pendingSize = 0;
  for await (const piece of stream) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const line = bytes.subarray(start, end);
      start = end + 1;
      if (pendingSize === 0) yield line.toString("utf8");
      else {
        yield Buffer.concat([...pending, line]).toString("utf8");
        pending = [];
        pendingSize = 0;
      }
    }
    if (start === bytes.length) continue;
    pending.push(bytes.subarray(start));
    pendingSize += bytes.length - start;
    if (pendingSize > LONGEST_LINE)
      throw unreadable(`The member ${quote(name)} has a line of more than ${LONGEST_LINE} bytes.`);
  }
  if (pendingSize > 0) yield Buffer.concat(pending).toString("utf8");
}
