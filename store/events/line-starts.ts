const NEWLINE = 10;

/** Byte offsets of the starts of `count` newline-ended lines, and of the end of the last. */
export function lineStarts(data: Buffer, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) starts[i + 1] = data.indexOf(NEWLINE, starts[i]!) + 1;
  return starts;
}

/** As `lineStarts`, of every newline-ended line. */
export function allLineStarts(data: Buffer): number[] {
  const starts = [0];
  for (let at = data.indexOf(NEWLINE); at !== -1; at = data.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
  return starts;
}
