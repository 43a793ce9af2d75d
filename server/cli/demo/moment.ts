import type { Deps } from "../../deps.ts";
import type { Actor } from "../../identity/actor.ts";
import { createIds } from "../../platform/ids.ts";
import { createRandom } from "../../platform/random.ts";

/** What services are given to do something as if it were another moment, with ids that are the same at every start. */
export function depsAt(deps: Deps, moment: number, seed: string): Deps {
  const now = () => moment;
  const random = createRandom(seed);
  const bytes = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
  return { ...deps, clock: { ...deps.clock, now }, ids: createIds({ now }, bytes) };
}

/** Who put the samples in. */
export const sampler = (orgId: string): Actor => ({
  ...{ type: "internal", id: "demo", userId: null, role: null, ip: null },
  orgId,
  scopes: new Set(["traces:read", "traces:write"]),
});
