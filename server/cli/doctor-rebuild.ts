import { noteReplacement, signerOf } from "../../store/audit/replaced.ts";
import { coldFolder } from "../../store/cold-folder.ts";
import { dataFolder } from "../../store/data-folder.ts";
import { holdFile } from "../../store/hold.ts";
import { hasNoRecords, leftBehind } from "../../store/lost-records.ts";
import { localOrg, readCredentials, readmit } from "../identity/orgs.ts";
import { systemClock, toIso } from "../platform/clock.ts";
import { createIds } from "../platform/ids.ts";
import { takeLock } from "../platform/lock.ts";
import { rebuildRecords } from "../trace/records/rebuild.ts";
import { CliError, note, progress } from "./output.ts";

/** Nothing in the trace folders tells of these. */
const GONE =
  "cannot come back: other keys, users and sessions, shares, saved searches, runs and replays as such, the text of " +
  "scenarios (`tracedeck scenarios sync` brings it again), Idempotency-Keys and the audit log";

/**
 * Makes lost records anew. Where there are records nothing is done.
 * @returns what was done and what is lost, in sentences
 */
export async function rebuildFolder(dataDir: string): Promise<string[]> {
  const paths = dataFolder(dataDir);
  const lock = takeLock(
    paths.lock,
    ({ pid }) => `Process ${pid} holds ${dataDir}: stop it before rebuilding.`,
    holdFile,
  );
  try {
    if (!hasNoRecords(dataDir)) {
      note(
        `${dataDir} has its records: there is nothing to rebuild. Move tracedeck.db away to rebuild it all the same.`,
      );
      return [];
    }
    if (leftBehind(dataDir) === null) throw new CliError(`${dataDir} has no traces to make records of.`);
    const deps = { clock: systemClock, ids: createIds(systemClock) };
    let admitted: Awaited<ReturnType<typeof readmit>> = { isKept: false, keys: [] };
    const bar = progress("Reading traces", 0);
    const { traces, testRuns, lost, lostTestRuns } = await rebuildRecords({
      dataDir,
      coldDir: coldFolder(dataDir),
      ids: deps.ids,
      now: deps.clock.now(),
      org: localOrg(readCredentials(paths.credentials), deps),
      async admit(records) {
        admitted = await readmit(deps, records, paths.credentials);
      },
      onProgress: (done, total) => bar.update(done, total),
    }).finally(() => bar.end());
    const signer = signerOf(paths.signingKey);
    if (signer) {
      const note = { event: "records.rebuild", at: toIso(deps.clock.now()) } as const;
      await noteReplacement(paths.auditCheckpoints, signer, note, []);
    }
    const count = traces.hot + traces.warm + traces.cold;
    return [
      `made the records of ${count} ${count === 1 ? "trace" : "traces"} anew (${traces.hot} hot, ${traces.warm} warm, ${traces.cold} cold)`,
      ...(testRuns > 0
        ? [`made the records of ${testRuns} ${testRuns === 1 ? "test run" : "test runs"} anew`]
        : []),
      ...lost.map(({ traceId, what }) => `trace ${traceId} lost ${what}`),
      ...lostTestRuns.map(({ id, what }) => `test run ${id} lost ${what}`),
      admitted.isKept
        ? "registered the key of credentials.json again"
        : "credentials.json is missing or damaged: the next start makes a new key",
      ...admitted.keys.map(
        ({ slug, api_key }) => `made a new key for the org ${slug}, shown once: ${api_key}`,
      ),
      GONE,
    ];
  } finally {
    lock.release();
  }
}
