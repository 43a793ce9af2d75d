/** Numbers from 0 to (but not) 1 that follow from a seed, for what is to come out the same again. Not for secrets. */
export type Random = () => number;

/** Mulberry32 (Tommy Ettinger, public domain), begun at a hash of the seed. */
export function createRandom(seed: string): Random {
  let state = Number(Bun.hash.xxHash32(seed));
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
