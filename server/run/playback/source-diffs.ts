import type { StructuredPatch } from "diff";
import { RunnerError } from "../errors.ts";
import { applyUnifiedDiff, DiffError, readUnifiedDiff } from "./unified-diff.ts";

/** Edits of what the target serves: each applies to the text resources whose URL path ends in its path. */
export interface SourceDiffs {
  readonly paths: readonly string[];
  /** Whether an answer from that address may have to be edited. */
  concerns(url: string): boolean;
  /** The edited text of an answer. @throws RunnerError `source_diff_refused` when a diff does not apply */
  apply(url: string, text: string): string;
  /** @throws RunnerError `source_not_served` naming the paths that no text was served for */
  checkUse(): void;
}

/** @throws DiffError for a diff that is none */
export function createSourceDiffs(given: readonly { path: string; diff: string }[]): SourceDiffs {
  const diffs = given.map(({ path, diff }) => ({ path, patch: readUnifiedDiff(diff), isUsed: false }));
  const of = (url: string) => diffs.filter(({ path }) => endsIn(url, path));

  return {
    paths: given.map(({ path }) => path),
    concerns: (url) => of(url).length > 0,
    apply(url, text) {
      let result = text;
      for (const diff of of(url)) {
        diff.isUsed = true;
        if (diff.patch) result = edited(result, diff.path, diff.patch, url);
      }
      return result;
    },
    checkUse() {
      const unused = diffs.filter(({ isUsed }) => !isUsed).map(({ path }) => path);
      if (unused.length === 0) return;
      const names = unused.map((path) => `"${path}"`).join(", ");
      throw new RunnerError(
        "source_not_served",
        `No text resource whose URL path ends in ${names} was served, so that source diff was never used.`,
      );
    },
  };
}

function edited(text: string, path: string, patch: StructuredPatch, url: string): string {
  try {
    return applyUnifiedDiff(text, patch);
  } catch (error) {
    if (!(error instanceof DiffError)) throw error;
    const { pathname } = new URL(url);
    throw new RunnerError(
      "source_diff_refused",
      `The source diff of "${path}" ${error.message} of ${pathname}.`,
    );
  }
}

/** Whole segments: `app.js` means `/src/app.js`, not `/myapp.js`. */
function endsIn(url: string, path: string): boolean {
  const parsed = URL.parse(url);
  return parsed ? parsed.pathname === path || parsed.pathname.endsWith(`/${path.replace(/^\//, "")}`) : false;
}

const TEXT_TYPE = /^text\/|json|xml|javascript|ecmascript|graphql|svg/i;

export const isTextType = (mediaType: string): boolean => TEXT_TYPE.test(mediaType);
