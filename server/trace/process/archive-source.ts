import { StringDecoder } from "node:string_decoder";
import { unreadable } from "../../../store/archives/errors.ts";
import type { ZipArchive } from "../../../store/archives/zip.ts";
import type { PlaywrightSource } from "../format/playwright/source.ts";

const LINE_FEED = 10;
/** A DOM snapshot of a heavy page has tens of megabytes; what is longer would fill the memory. */
const LONGEST_LINE = 128 * 1024 * 1024;

/** A Playwright archive as the reader wants it: names, and lines of text. A member that was cut short is read as far as it goes. */
export function archiveSource(
  archive: Pick<ZipArchive, "members" | "get" | "partial" | "stream">,
): PlaywrightSource {
  const { partial } = archive;
  const member = (name: string) => archive.get(name) ?? (partial?.name === name ? partial : undefined);
  return {
    entries: () => [...archive.members.map(({ name }) => name), ...(partial ? [partial.name] : [])],
    has: (name) => member(name) !== undefined,
    async *lines(name) {
      const found = member(name);
      if (found) yield* linesOf(archive.stream(found));
    },
  };
}

/**
 * UTF-8 text in lines without their ends; an empty last line is none.
 * @throws ArchiveError for a line without end.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, at)) {
      yield withoutReturn(rest + decoder.write(bytes.subarray(at, end)));
      rest = "";
      at = end + 1;
    }
    if (at < bytes.length) rest += decoder.write(bytes.subarray(at));
    if (rest.length > LONGEST_LINE)
      throw unreadable(`The archive has a line of more than ${LONGEST_LINE} characters.`);
  }
  rest += decoder.end();
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
