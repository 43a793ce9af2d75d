import { nameOfKey } from "../../../store/files/keys.ts";
import { eventIndexPath, TRACE_FILES } from "../../../store/files/names.ts";
import { artifactsOf } from "../../../store/records/artifacts.ts";
import type { Deps } from "../../deps.ts";

/**
 * Removes what lies with a trace and no row names: what its rows named before, and what a crash left before a row could
 * name it. The caller holds the trace's file lock, so that nothing is on its way to be named.
 * @param among only these keys
 */
export async function removeUnnamed(
  { store }: Pick<Deps, "store">,
  traceId: string,
  among?: readonly string[],
): Promise<void> {
  const named = new Set((await artifactsOf(store.records, traceId)).map(({ path }) => path));
  for (const key of [...named]) named.add(eventIndexPath(key));
  for (const key of among ?? (await store.files.keysOf(traceId))) {
    if (named.has(key) || nameOfKey(key) === TRACE_FILES.record) continue;
    store.events.invalidate(key);
    await store.files.remove(key);
  }
}
