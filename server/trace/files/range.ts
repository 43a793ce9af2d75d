/** What a Range header asks of a file of `size` bytes: [start, end), all of it (null), or nothing that exists. */
export type WantedRange = { start: number; end: number } | "unsatisfiable" | null;

/** RFC 9110, section 14: one range of bytes. Several ranges, other units and bad syntax are answered with the whole. */
export function parseRange(header: string | null, size: number): WantedRange {
  const match = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(header ?? "");
  if (!match) return null;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}
