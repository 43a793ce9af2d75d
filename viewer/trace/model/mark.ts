const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over the code units, 32 bits. */
export function hashOf(text: string): number {
  let hash = OFFSET;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash >>> 0;
}

/** A byte by which most texts are told apart without being read; those with the same mark have to be compared. */
export function markOf(text: string | null): number {
  // A column of marks keeps those below 255 in a byte.
  return text === null ? 0 : hashOf(text) % 255;
}
