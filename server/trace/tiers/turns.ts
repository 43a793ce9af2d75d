import type { Deps } from "../../deps.ts";

const last = new WeakMap<Deps["store"], Map<string, Promise<unknown>>>();

/**
 * Runs what moves the files of a trace when nothing else does so: a job that clears away must not meet one that brings
 * back. One process holds the store, so its memory is enough.
 */
export async function inTurn<Result>(
  deps: Pick<Deps, "store">,
  traceId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const turns = last.get(deps.store) ?? new Map<string, Promise<unknown>>();
  last.set(deps.store, turns);
  const mine = (turns.get(traceId) ?? Promise.resolve()).then(work, work);
  turns.set(traceId, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(traceId) === mine) turns.delete(traceId);
  }
}
