import type { Settings } from "../../store/settings.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ids } from "../platform/ids.ts";
import { createCodeHost } from "./code-host/code-host.ts";
import { codeHostSettings } from "./code-host/settings.ts";
import type { CodeHost } from "./code-host/types.ts";
import { createGateLinks, type GateLinks } from "./decisions/links.ts";

/** What this wing holds in memory. */
export interface GateState {
  /** The first org's; null where the settings name none. Rooms ask by `codeHostOf`. */
  codeHost: CodeHost | null;
  /** Signs links that carry their own permission, and reads them. */
  links: GateLinks;
}

export function createGateState(options: {
  settings: Settings;
  clock: Pick<Clock, "now">;
  signingKey: Uint8Array;
  ids: Pick<Ids, "uuid">;
}): GateState {
  const host = codeHostSettings(options.settings.code_host);
  return {
    codeHost: host && createCodeHost(host, options.clock),
    links: createGateLinks(options.signingKey, options.ids),
  };
}
