import { createHash } from "node:crypto";

/** The trace page in one piece, to be written into a file that needs no server. */
export interface ViewerParts {
  /** A classic script that ends no element it is written into. */
  script: string;
  style: string;
}

export interface StandaloneViewer extends ViewerParts {
  /** SHA-256 of the script, base64: a page's policy allows it by that. */
  scriptHash: string;
}

/** Builds or reads the viewer for exported pages when somebody first asks; a failure is tried again by the next. */
export function createStandaloneViewer(load: () => Promise<ViewerParts>): () => Promise<StandaloneViewer> {
  let loading: Promise<StandaloneViewer> | null = null;
  return () => {
    loading ??= load().then(({ script, style }) => ({
      script,
      style,
      scriptHash: createHash("sha256").update(script).digest("base64"),
    }));
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
}
