import type { Settings } from "../../store/settings.ts";
import type { Clock } from "../platform/clock.ts";
import { createCodeHost } from "./code-host/code-host.ts";
import { codeHostSettings } from "./code-host/settings.ts";
import type { CodeHost } from "./code-host/types.ts";

/** What this wing holds in memory. */
export interface GateState {
  /** The first org's; null where the settings name none. Rooms ask by `codeHostOf`. */
  codeHost: CodeHost | null;
}

export function createGateState(options: { settings: Settings; clock: Pick<Clock, "now"> }): GateState {
  const host = codeHostSettings(options.settings.code_host);
  return { codeHost: host && createCodeHost(host, options.clock) };
}
