import { isRecord, type Raw } from "./shape.ts";

const SNAPSHOT_START = '{"type":"frame-snapshot"';
const HTML_START = ',"html":';
const AFTER_HTML = ',"viewport":{';
/** Below this, leaving the page's tree out saves nothing. */
const WORTH_CUTTING = 2048;
const LONGEST_TAIL = 16_384;

/** One line as an object, null when it is none. A DOM snapshot comes without its tree, which is most of an archive. */
export function parseLine(line: string): Raw | null {
  const cut = line.length > WORTH_CUTTING && line.startsWith(SNAPSHOT_START) ? withoutTree(line) : null;
  if (cut) return cut;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The members before and after the tree, or null when the line is not laid out as recorders write it. A quote inside
 * a JSON string is escaped, so `,"html":` is a key wherever it stands; before it there are only scalars.
 */
function withoutTree(line: string): Raw | null {
  const start = line.indexOf(HTML_START);
  const end = line.lastIndexOf(AFTER_HTML);
  if (start < 0 || end < start || line.length - end > LONGEST_TAIL) return null;
  try {
    const value: unknown = JSON.parse(line.slice(0, start) + line.slice(end));
    return isRecord(value) && isRecord(value.snapshot) ? value : null;
  } catch {
    return null;
  }
}
