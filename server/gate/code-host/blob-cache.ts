/** Texts of files by their hash, bounded by bytes: those used longest ago leave first. */
export interface BlobCache {
  get(sha: string): string | null;
  put(sha: string, text: string): void;
}

export function createBlobCache(maxBytes: number): BlobCache {
  const kept = new Map<string, string>();
  let bytes = 0;
  /** A string's characters take two bytes at most. */
  const sizeOf = (text: string) => text.length * 2;
  function remove(sha: string) {
    bytes -= sizeOf(kept.get(sha) ?? "");
    kept.delete(sha);
  }
  return {
    get(sha) {
      const text = kept.get(sha);
      if (text === undefined) return null;
      kept.delete(sha);
      kept.set(sha, text);
      return text;
    },
    put(sha, text) {
      if (sizeOf(text) > maxBytes) return;
      remove(sha);
      kept.set(sha, text);
      bytes += sizeOf(text);
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
