import { applyPatch, parsePatch, type StructuredPatch } from "diff";

/** A unified diff that cannot be used; the message says why, and names the hunk when one does not apply. */
export class DiffError extends Error {
  override name = "DiffError";
}

/**
 * Reads the unified diff of one file; null for one that changes nothing.
 * @throws DiffError when it is none, or one of several files
 */
export function readUnifiedDiff(text: string): StructuredPatch | null {
  let patches: StructuredPatch[];
  try {
    patches = parsePatch(text);
  } catch (error) {
    throw new DiffError(`is no unified diff: ${error instanceof Error ? error.message : String(error)}`);
  }
  const changing = patches.filter(({ hunks }) => hunks.length > 0);
  if (changing.length > 1) throw new DiffError(`changes ${changing.length} files; it may change one`);
  const [patch] = changing;
  if (patch) return patch;
  if (text.trim() !== "") throw new DiffError("is no unified diff: it has no hunk (@@ -1,3 +1,4 @@)");
  return null;
}

/**
 * Applies a unified diff. Lines may have moved, but each hunk must be found as it stands: nothing is guessed.
 * @throws DiffError naming the first hunk that does not apply
 */
export function applyUnifiedDiff(text: string, patch: StructuredPatch): string {
  const result = applyPatch(text, patch, { fuzzFactor: 0 });
  if (result !== false) return result;
  const at = patch.hunks.findIndex(
    (_, index) => applyPatch(text, { ...patch, hunks: patch.hunks.slice(0, index + 1) }) === false,
  );
  // Only what the end of the file says can be wrong when every hunk fits.
  const index = at < 0 ? patch.hunks.length - 1 : at;
  const hunk = patch.hunks[index];
  const where = hunk
    ? `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`
    : "the end of the file";
  throw new DiffError(`does not apply: hunk ${index + 1} (${where}) does not fit the text`);
}
