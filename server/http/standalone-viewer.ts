import { createHash } from "node:crypto";

/** The trace page in one piece, to be written into a file that needs no server. */
export interface ViewerParts {
  /** A classic script that ends no element it is written into. */
  script: string;
  style: string;
  /** The script that plays DOM recordings, for pages that have one; it may stand in an element as well. */
  player: string;
}

export interface StandaloneViewer extends ViewerParts {
  /** SHA-256 of the script, base64: a page's policy allows it by that. */
  scriptHash: string;
  /** The same of the player. */
  playerHash: string;
}

/** Builds or reads the viewer for exported pages when somebody first asks; a failure is tried again by the next. */
export function createStandaloneViewer(load: () => Promise<ViewerParts>): () => Promise<StandaloneViewer> {
  let loading: Promise<StandaloneViewer> | null = null;
  return () => {
    loading ??= load().then((parts) => ({
      ...parts,
      scriptHash: hashOf(parts.script),
      playerHash: hashOf(parts.player),
    }));
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
}

const hashOf = (script: string): string => createHash("sha256").update(script).digest("base64");
