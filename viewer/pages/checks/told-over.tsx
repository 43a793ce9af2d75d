import type { JSX } from "preact";
import { plural } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { notificationsApi } from "../settings/notifications/api.ts";

/** Over which channels the incidents of a check are told. A policy that names none leaves it to those that are on, and so does this. */
export function ToldOver({ channels }: { channels: readonly string[] | undefined }): JSX.Element | null {
  if (!channels) return null;
  if (channels.length === 0)
    return <p class="is-failed">Nobody is told of its incidents: its policy names no channel.</p>;
  return <Named channels={channels} />;
}

/** Whoever may not read channels sees how many are named. */
function Named({ channels }: { channels: readonly string[] }): JSX.Element {
  const { data } = useLoad("channels", (signal) => notificationsApi.channels(signal));
  if (!data) return <p class="dim">Its incidents are told over {plural(channels.length, "channel")}.</p>;
  const named = data.items.filter(({ id }) => channels.includes(id));
  const on = named.filter(({ enabled }) => enabled);
  if (on.length === 0)
    return (
      <p class="is-failed">
        Nobody is told of its incidents: the channels that its policy names were removed or are off.
      </p>
    );
  return (
    <p class="dim">Its incidents are told over {on.map(({ name }) => oneLine(name, 100)).join(", ")}.</p>
  );
}
