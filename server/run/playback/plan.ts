import { createEventFiles } from "../../../store/events/files.ts";
import { pagesOf } from "../../../store/events/page.ts";
import type { ByteLocation, FilesAddress } from "../../../store/files/files.ts";
import { createLocalFiles } from "../../../store/files/local.ts";
import { readEvent, type TraceEvent } from "../../trace/format/event.ts";
import type { CloneChange, CloneService, CloneState } from "../clones/types.ts";
import { RunnerError } from "../errors.ts";
import type { CatchUpRule, CaughtUp } from "./catch-up.ts";
import { createNetworkReader, type RecordedNetwork } from "./exchanges.ts";

/** What a runner process is told of the trace whose beginning a replay is served from. */
export interface PlaybackPlan {
  /** 1-based; the first step that is live. */
  fromStep: number;
  /** When the source run began, epoch ms. */
  startedAt: number;
  /** Which pages and changing requests of the steps before are sent to the target when it goes live. */
  rule: CatchUpRule;
  /** What that is, by the source trace. */
  planned: CaughtUp;
  sourceDiffs: { path: string; diff: string }[];
  files: FilesAddress;
  /** The source's event file and its index, leased while the runner process runs. */
  events: { path: string; indexPath: string };
  /** Where the source's blobs lie, by hash. */
  blobs: Map<string, ByteLocation>;
}

/** What was recorded, as a replay reads it. */
export interface RecordedRun {
  plan: PlaybackPlan;
  network: RecordedNetwork;
  /** What the clones knew before the first live step. */
  clones: Map<CloneService, CloneState>;
  /** The bytes behind a `sha256:` reference; null when they are not there. */
  bytesOf(reference: string): Promise<Uint8Array | null>;
}

/** @throws RunnerError `source_unreadable` */
export async function readRecorded(plan: PlaybackPlan): Promise<RecordedRun> {
  const files = createLocalFiles(plan.files);
  return {
    plan,
    ...(plan.fromStep > 1
      ? await readEvents(plan)
      : { network: { exchanges: [], sockets: [] }, clones: new Map() }),
    async bytesOf(reference) {
      const location = plan.blobs.get(reference.slice("sha256:".length));
      return location ? files.read(location) : null;
    },
  };
}

async function readEvents({
  events,
  fromStep,
}: PlaybackPlan): Promise<Pick<RecordedRun, "network" | "clones">> {
  const reader = createNetworkReader();
  const clones: RecordedRun["clones"] = new Map();
  const files = createEventFiles();
  try {
    const file = await files.open(events.path, events.indexPath);
    // Steps of runs are called by their number.
    const [first] = (await file.query({ step: `s${fromStep}`, offset: 0, limit: 1 })).lines;
    const end = first === undefined ? Number.POSITIVE_INFINITY : readEvent(first).seq;
    for await (const lines of pagesOf(file, { kinds: ["network.*", "clone.state"] }))
      for (const line of lines) {
        const event = readEvent(line);
        if (event.kind !== "clone.state") reader.add(event);
        else if (event.seq < end) changeState(clones, event);
      }
    return { network: reader.finish(), clones };
  } catch (error) {
    throw new RunnerError("source_unreadable", "The events of the source trace cannot be read.", error);
  } finally {
    files.close();
  }
}

function changeState(clones: RecordedRun["clones"], event: TraceEvent): void {
  const { service, key, after } = event as unknown as { service: CloneService } & CloneChange;
  const state = clones.get(service) ?? {};
  clones.set(service, state);
  if (after === null) delete state[key];
  else state[key] = after;
}
