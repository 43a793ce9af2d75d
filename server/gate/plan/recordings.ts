import type { CommitRecording } from "../../../store/records/commit-recordings.ts";
import type { GateRow } from "../../../store/records/gates.ts";
import type { Deps } from "../../deps.ts";
import { type CodeHost, CodeHostError } from "../code-host/types.ts";
import type { HeadScenario } from "./compile-task.ts";
import type { ReadRecordings } from "./recordings-task.ts";
import { PlanError, readRecordingsAt } from "./source.ts";

/** What the clones of a commit's scenarios can answer from. */
export interface HeadRecordings {
  /** By path in the repository. */
  ready: ReadonlyMap<string, CommitRecording>;
  /** Why one that the commit has is of no use, by path. */
  problems: ReadonlyMap<string, string>;
}

/** Reads the recordings that scenarios of a gate's head commit name. @throws CodeHostError but for those that are too large */
export async function readHeadRecordings(
  deps: Deps,
  gate: GateRow,
  host: CodeHost | null,
  scenarios: readonly HeadScenario[],
): Promise<HeadRecordings> {
  const paths = new Set(scenarios.flatMap(({ recordings }) => Object.values(recordings)));
  try {
    const files = await readRecordingsAt(deps, gate, host, paths);
    if (files.length === 0) return { ready: new Map(), problems: new Map() };
    const { ready, problems } = await deps.tasks.run<ReadRecordings>("gate.recordings", files);
    return {
      ready: new Map(ready.map(({ path, hash, har }) => [path, { hash, har }])),
      problems: new Map(
        problems.map(({ path, message }) => [
          path,
          `${path} is no HAR that could be answered from: ${message}.`,
        ]),
      ),
    };
  } catch (error) {
    const isTooMuch =
      error instanceof PlanError || (error instanceof CodeHostError && error.kind === "refused");
    if (!isTooMuch) throw error;
    const why = `The recorded answers of the commit cannot be read. ${error.message}`;
    return { ready: new Map(), problems: new Map([...paths].map((path) => [path, why])) };
  }
}
