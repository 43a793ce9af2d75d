import type { ChannelRow } from "../../../store/records/notification-channels.ts";
import type { Vault } from "../../identity/secrets/vault.ts";
import type { ChannelTarget } from "./types.ts";

const placeOf = ({ org_id, id }: Pick<ChannelRow, "org_id" | "id">) => ({
  orgId: org_id,
  name: `channel ${id}`,
  origins: null,
});

/** A channel's target as the records keep it. */
export function sealTarget(
  vault: Vault,
  channel: Pick<ChannelRow, "org_id" | "id">,
  target: ChannelTarget,
): Uint8Array {
  return vault.seal(placeOf(channel), JSON.stringify(target));
}

/** Null when another key has sealed it: the folder's `signing.key` was replaced. */
export function openTarget(
  vault: Vault,
  channel: Pick<ChannelRow, "org_id" | "id" | "sealed">,
): ChannelTarget | null {
  const text = vault.open(placeOf(channel), channel.sealed);
  return text === null ? null : (JSON.parse(text) as ChannelTarget);
}
