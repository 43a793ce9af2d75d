import { number, type Raw } from "../shape.ts";
import { LATEST_VERSION, PlaywrightRefusal } from "../source.ts";
import type { UpgradeState, UpgradeStep } from "./step.ts";
import { v0ToV1 } from "./v0-to-v1.ts";
import { v1ToV2 } from "./v1-to-v2.ts";
import { v2ToV3 } from "./v2-to-v3.ts";
import { v3ToV4 } from "./v3-to-v4.ts";
import { v4ToV5 } from "./v4-to-v5.ts";
import { v5ToV6 } from "./v5-to-v6.ts";
import { v6ToV7 } from "./v6-to-v7.ts";
import { v7ToV8 } from "./v7-to-v8.ts";
import { v8ToV9 } from "./v8-to-v9.ts";
import { v9ToV10 } from "./v9-to-v10.ts";

/** `STEPS[n]` takes a line from version n to n + 1. */
const STEPS: readonly UpgradeStep[] = [
  v0ToV1,
  v1ToV2,
  v2ToV3,
  v3ToV4,
  v4ToV5,
  v5ToV6,
  v6ToV7,
  v7ToV8,
  v8ToV9,
  v9ToV10,
];

/** Traces of the test runner had no context-options line before version 7. */
const VERSION_WITHOUT_OPTIONS = 6;

/**
 * A line in the form of the latest version. `where` names file and line for refusals.
 * @throws PlaywrightRefusal for a version that is newer than this reader, or none.
 */
export function upgrade(event: Raw, state: UpgradeState, where: string): Raw[] {
  if (event.type === "context-options") {
    state.version = versionOf(event, where);
    state.options = (event.options ?? {}) as Raw;
  }
  state.version ??= VERSION_WITHOUT_OPTIONS;
  let events = [event];
  for (let version = state.version; version < LATEST_VERSION; version++)
    events = events.flatMap((one) => STEPS[version]!(one, state));
  return events;
}

function versionOf(options: Raw, where: string): number {
  // The first recorders wrote none.
  if (options.version === undefined) return 0;
  const version = number(options.version);
  if (version === undefined || version < 0 || !Number.isInteger(version))
    throw new PlaywrightRefusal(
      `${where}: the trace format version is ${JSON.stringify(options.version)?.slice(0, 60)}, not a whole number.`,
    );
  if (version > LATEST_VERSION)
    throw new PlaywrightRefusal(
      `${where}: the trace is in format version ${version}, written by a newer Playwright; versions up to ${LATEST_VERSION} are read. ` +
        "Update tracedeck, or record with an older Playwright.",
    );
  return version;
}
