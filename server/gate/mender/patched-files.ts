import { parsePatch } from "diff";

/** Lines that a diff adds and removes, file by file. */
export function filesOf(diff: string): { path: string; additions: number; deletions: number }[] {
  return parsePatch(diff).map(({ newFileName = "", hunks }) => {
    const lines = hunks.flatMap((hunk) => hunk.lines);
    return {
      path: newFileName.replace(/^b\//, ""),
      additions: lines.filter((line) => line.startsWith("+")).length,
      deletions: lines.filter((line) => line.startsWith("-")).length,
    };
  });
}
