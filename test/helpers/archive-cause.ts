import { copyFileSync, mkdtempSync } from "node:fs";
import { basename, join } from "node:path";
import type { CauseInput } from "../../server/trace/causes/source.ts";
import { causeTask } from "../../server/trace/causes/task.ts";
import type { Cause } from "../../server/trace/format/cause/types.ts";
import type { Failure } from "../../server/trace/format/summary.ts";
import type { NamedBlobs, ProcessOutput } from "../../server/trace/process/task.ts";
import type { ByteLocation } from "../../store/files/files.ts";
import { processHere } from "./process-here.ts";

export interface ReadCause {
  failure: Failure | null;
  cause: Cause;
  /** What looking for the cause took, ms; processing the archives left out. */
  ms: number;
}

/**
 * The cause of a Playwright archive by the tasks that a server runs, without a server.
 * @param root a temporary folder
 * @param passes archives of passes before it, newest first
 */
export async function causeOfArchive(
  root: string,
  failing: string,
  passes: string[] = [],
): Promise<ReadCause> {
  const failed = await processed(root, failing);
  const before = [];
  for (const pass of passes) before.push((await processed(root, pass)).source);
  const started = performance.now();
  const { cause } = await causeTask(
    { files: filesOf(root), run: failed.source, summary: failed.summary, passes: before },
    () => {},
  );
  return { failure: failed.failure, cause, ms: performance.now() - started };
}

const filesOf = (root: string) => ({ root, coldDir: root });

async function processed(
  root: string,
  path: string,
): Promise<{ source: CauseInput["run"]; summary: ByteLocation; failure: Failure | null }> {
  const folder = mkdtempSync(join(root, "archive-"));
  const name = basename(folder);
  const archive = join(folder, "archive.zip");
  copyFileSync(path, archive);
  const output = await processHere({
    traceId: name,
    folder,
    files: filesOf(root),
    events: null,
    playwright: archive,
    known: { hashes: new Map(), begun: null },
    summary: null,
    hasRrweb: false,
    texts: new Map(),
    blobSizes: new Map(),
    meta: {
      title: "recorded",
      scenarioSlug: "recorded",
      claimedStatus: null,
      startedAt: null,
      endedAt: null,
      environment: {},
      warnings: [],
      finalScreenshot: null,
    },
  });
  return { ...writtenBy(output, root, name), failure: output.summary.failure };
}

/** What a cause is looked for in: what processing wrote to a folder of `root`, with the archive beside it as `archive.zip`. */
export function writtenBy(
  { files, archived, summary }: Pick<ProcessOutput & NamedBlobs, "files" | "archived" | "summary">,
  root: string,
  name: string,
): { source: CauseInput["run"]; summary: ByteLocation } {
  const location = (kind: string): ByteLocation | null => {
    const file = files.find((one) => one.kind === kind);
    return file
      ? { key: `${name}/${file.name}`, offset: 0, storedSize: file.size, size: file.size, method: 0 }
      : null;
  };
  const pathOf = (kind: string) => join(root, location(kind)!.key);
  return {
    summary: location("summary")!,
    source: {
      events: { path: pathOf("ndjson"), indexPath: pathOf("event_index") },
      snapshots: location("snapshots"),
      environment: summary.environment,
      blobs: new Map(archived.map(({ hash, ...place }) => [hash, { ...place, key: `${name}/archive.zip` }])),
    },
  };
}
