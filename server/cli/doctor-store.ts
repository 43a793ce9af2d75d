import { readCheckpoints } from "../../store/audit/file.ts";
import { signerOf } from "../../store/audit/replaced.ts";
import { problemsOfFile, verifyChain } from "../../store/audit/verify.ts";
import { type Checked, checkArtifacts, checkBlobs, staleIndexes, strayFiles } from "../../store/check.ts";
import { coldFolderBy } from "../../store/cold-folder.ts";
import { dataFolder } from "../../store/data-folder.ts";
import { bytesOfArtifacts } from "../../store/records/artifacts.ts";
import { bytesOfBlobs } from "../../store/records/blobs.ts";
import { listOrgs } from "../../store/records/identity.ts";
import { countJobs, deadJobs } from "../../store/records/jobs.ts";
import type { Settings } from "../../store/settings.ts";
import type { Store } from "../../store/store.ts";
import { counted } from "../trace/format/words.ts";
import type { Finding } from "./finding.ts";
import { bytes, duration, printable, progress } from "./output.ts";

/** Files that nothing names are left alone this long: an upload may be about to name them. */
export const STRAY_AGE_MS = 60 * 60_000;
const NAMED_AT_MOST = 20;
/** Many traces share the blobs of one page. */
const TRACES_NAMED_AT_MOST = 3;

/** Everything the records promise: blobs, files of traces, event indexes, strays, jobs. */
export async function checkStore(store: Store, settings: Settings, now: number): Promise<Finding[]> {
  const coldDir = coldDirOf(store, settings);
  return [
    await blobs(store, coldDir),
    await artifacts(store, coldDir),
    await indexes(store),
    await strays(store, now),
    await jobs(store),
    await audit(store, now),
  ];
}

/** The audit chains, and what stands outside of the records about their ends. */
async function audit({ records, files }: Store, now: number): Promise<Finding> {
  const { auditCheckpoints, signingKey } = dataFolder(files.address.root);
  const signer = signerOf(signingKey);
  const read = signer ? await readCheckpoints(auditCheckpoints, signer) : null;
  const problems = read ? problemsOfFile(read).map(({ message }) => message) : [];
  let [entries, last] = [0, ""];
  for (const { id, slug } of await listOrgs(records)) {
    const state = await verifyChain(records, id, read?.good ?? []);
    entries += state.entries;
    if ((state.last_checkpoint_at ?? "") > last) last = state.last_checkpoint_at!;
    problems.push(...state.problems.map(({ kind, message }) => `${slug}: ${kind}: ${message}`));
  }
  const checkpoint =
    last === "" ? "no checkpoint" : `last checkpoint ${duration(now - Date.parse(last))} ago`;
  return {
    name: "audit",
    ok: problems.length === 0,
    detail: printable(
      problems.length === 0
        ? `${counted(entries, "entry", "entries")}, chains whole, ${checkpoint}`
        : listed(problems),
    ),
  };
}

export function coldDirOf(store: Store, settings: Settings): string {
  return coldFolderBy(store.files.address.root, settings);
}

async function blobs(store: Store, coldDir: string): Promise<Finding> {
  const size = await bytesOfBlobs(store.records);
  return verified("blobs", size, (onBytes) => checkBlobs(store, coldDir, onBytes));
}

async function artifacts(store: Store, coldDir: string): Promise<Finding> {
  const size = await bytesOfArtifacts(store.records);
  return verified("artifacts", size, (onBytes) => checkArtifacts(store, coldDir, onBytes));
}

async function verified(
  name: string,
  size: number,
  check: (onBytes: (count: number) => void) => Promise<Checked>,
): Promise<Finding> {
  const bar = progress(`Reading ${name}`, size, bytes);
  let done = 0;
  const tell = (more: number) => {
    done += more;
    bar.update(done);
  };
  const { count, damages, bytes: read } = await check(tell).finally(() => bar.end());
  if (damages.length === 0)
    return { name, ok: true, detail: `${count} read, ${bytes(read)}, as they were stored` };
  const named = damages.slice(0, NAMED_AT_MOST).map(({ name: what, path, problem, detail, traces }) => {
    const whose = traces.length > 0 ? `; of trace ${listed(traces, TRACES_NAMED_AT_MOST)}` : "";
    return `${what} is ${problem} (${path}${problem === "damaged" ? `: ${printable(detail)}` : ""}${whose})`;
  });
  const more = damages.length > named.length ? ` and ${damages.length - named.length} more` : "";
  return {
    name,
    ok: false,
    detail: `${damages.length} of ${count} not as stored: ${named.join("; ")}${more}`,
  };
}

async function indexes(store: Store): Promise<Finding> {
  const stale = await staleIndexes(store);
  const detail =
    stale.length === 0
      ? "every event file has its index"
      : `${stale.length} missing or of another version, made anew when read: ${listed(stale.map(({ traceId }) => traceId))}`;
  return { name: "event_indexes", ok: stale.length === 0, detail };
}

async function strays(store: Store, now: number): Promise<Finding> {
  const found = (await strayFiles(store)).filter(({ changedAt }) => changedAt < now - STRAY_AGE_MS);
  const size = found.reduce((sum, stray) => sum + stray.size, 0);
  const detail =
    found.length === 0
      ? "no file that nothing names"
      : `${counted(found.length, "file")}, ${bytes(size)}, that nothing names: ${listed(found.map(({ path }) => path))}`;
  return { name: "stray_files", ok: found.length === 0, detail };
}

async function jobs({ records }: Store): Promise<Finding> {
  const byState = Map.groupBy(await countJobs(records), ({ state }) => state);
  const counts =
    [...byState]
      .map(([state, kinds]) => `${kinds.reduce((sum, { count }) => sum + count, 0)} ${state}`)
      .sort((a, b) => (a.split(" ")[1]! < b.split(" ")[1]! ? -1 : 1))
      .join(", ") || "none";
  const dead = await deadJobs(records, NAMED_AT_MOST);
  const reasons = dead.map(
    ({ kind, payload, last_error }) => `${kind} ${payload}: ${last_error ?? "no reason kept"}`,
  );
  return {
    name: "jobs",
    ok: dead.length === 0,
    detail: printable(dead.length === 0 ? counts : `${counts}; ${reasons.join("; ")}`),
  };
}

export function listed(names: string[], most = NAMED_AT_MOST): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
