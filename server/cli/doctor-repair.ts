import { rm } from "node:fs/promises";
import { sep } from "node:path";
import { checkBlobs, staleIndexes, strayFiles } from "../../store/check.ts";
import { rebuildIndex } from "../../store/events/rebuild.ts";
import { forgetLoose } from "../../store/records/blobs.ts";
import { deadJobs, reviveJob } from "../../store/records/jobs.ts";
import { requeueTrace } from "../../store/records/traces.ts";
import { setAside } from "../../store/set-aside.ts";
import type { Settings } from "../../store/settings.ts";
import type { Store } from "../../store/store.ts";
import { PROCESS } from "../trace/kinds.ts";
import { coldDirOf, listed, STRAY_AGE_MS } from "./doctor-store.ts";
import { bytes } from "./output.ts";

/** Puts right what can be put right without losing anything that is still there. @returns what was done, in sentences */
export async function repair(store: Store, settings: Settings, now: number): Promise<string[]> {
  return [
    ...(await makeIndexes(store)),
    ...(await clearStrays(store, now)),
    ...(await forgetMissingBlobs(store, coldDirOf(store, settings))),
    ...(await requeueDeadJobs(store, now)),
  ];
}

async function makeIndexes(store: Store): Promise<string[]> {
  const done: string[] = [];
  for (const { traceId, path, indexPath } of await staleIndexes(store)) {
    try {
      await rebuildIndex(path, indexPath);
      done.push(`made the event index of trace ${traceId} anew`);
    } catch (error) {
      done.push(
        `could not make the event index of trace ${traceId}: ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  return done;
}

/** What no record names may be a trace whose record was lost: it is set aside. Work in progress is never the only copy. */
async function clearStrays(store: Store, now: number): Promise<string[]> {
  const old = (await strayFiles(store)).filter(({ changedAt }) => changedAt < now - STRAY_AGE_MS);
  const isWork = ({ path }: { path: string }) => path.startsWith(store.work.path("") + sep);
  const work = old.filter(isWork);
  const strays = old.filter((stray) => !isWork(stray));
  for (const { path } of work) await rm(path, { force: true });
  const folder = await setAside(
    store.files.address.root,
    strays.map(({ path }) => path),
    now,
  );
  return [
    ...(work.length > 0 ? [`removed ${described(work)}`] : []),
    ...(strays.length > 0 ? [`moved ${described(strays)} to ${folder}`] : []),
  ];
}

function described(files: { path: string; size: number }[]): string {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const noun = files.length === 1 ? "stray file" : "stray files";
  return `${files.length} ${noun}, ${bytes(size)} (${listed(files.map(({ path }) => path))})`;
}

/** Loose blobs whose file is gone: without the row their loss is told as a 404, not as a fault of the server. */
async function forgetMissingBlobs(store: Store, coldDir: string): Promise<string[]> {
  const { damages } = await checkBlobs(store, coldDir, () => {});
  const missing = damages.filter(({ problem, isLoose }) => problem === "missing" && isLoose);
  for (const { name } of missing) await forgetLoose(store.records, [name]);
  return missing.map(({ name, traces }) =>
    traces.length > 0
      ? `forgot the place of blob ${name}, whose file is gone; traces ${listed(traces)} lose it`
      : `forgot the place of blob ${name}, whose file is gone and which no trace names`,
  );
}

async function requeueDeadJobs(store: Store, now: number): Promise<string[]> {
  const dead = await deadJobs(store.records);
  const done: string[] = [];
  for (const { id, kind, payload } of dead) {
    const isBack = await store.records.transaction().execute(async (within) => {
      if (!(await reviveJob(within, id, now))) return false;
      // Its trace was given up with the job; only a queued one is processed.
      if (kind === PROCESS) {
        const { trace_id } = JSON.parse(payload) as { trace_id: string };
        await requeueTrace(within, trace_id);
      }
      return true;
    });
    if (isBack)
      done.push(`put the dead job ${id} (${kind}) back into the queue; it runs with the next start`);
  }
  return done;
}
