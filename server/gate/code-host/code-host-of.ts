import type { Deps } from "../../deps.ts";
import { isFirstOrg } from "../../identity/orgs.ts";
import type { CodeHost } from "./types.ts";

/** An org's code host; null where settings name none, and for every org but the first, whose the settings are. */
export async function codeHostOf(
  deps: Pick<Deps, "store" | "gateState">,
  orgId: string,
): Promise<CodeHost | null> {
  const { codeHost } = deps.gateState;
  return codeHost !== null && (await isFirstOrg(deps, orgId)) ? codeHost : null;
}
