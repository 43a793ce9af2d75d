/** Statements have a limit of parameters. */
const CHUNK = 400;

/** In pieces that fit into one statement. */
export function* chunks<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += CHUNK) yield all.slice(at, at + CHUNK);
}
