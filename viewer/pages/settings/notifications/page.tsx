import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useSignIn } from "../../../ui/failing.ts";
import { Failed, Loading } from "../../../ui/message.tsx";
import { SettingsPage, SettingsSection } from "../../../ui/settings-page.tsx";
import { useLoad } from "../../../ui/use-load.ts";
import { AddChannel } from "./add-channel.tsx";
import { type Channel, notificationsApi } from "./api.ts";
import { ChannelRow } from "./channels.tsx";
import { Deliveries } from "./deliveries.tsx";

function Channels({ channels, onChanged }: { channels: Channel[]; onChanged: () => void }): JSX.Element {
  if (channels.length === 0)
    return <p class="dim">There is none: incidents are seen here only by whoever looks.</p>;
  return (
    <div class="settings-scroll">
      <table class="settings-table" aria-label="Channels">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Leads to</th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="hidden-text">Act</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {channels.map((channel) => (
            <ChannelRow key={channel.id} channel={channel} channels={channels} onChanged={onChanged} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function NotificationsPage(): JSX.Element {
  const revision = useSignal(0);
  const isAdding = useSignal(false);
  const { data, error } = useLoad("channels", (signal) => notificationsApi.channels(signal), revision.value);
  useSignIn(error);
  const changed = (): void => void revision.value++;
  return (
    <SettingsPage title="Notifications" isLoading={!data && !error}>
      <SettingsSection
        title="Channels"
        about="Where incidents are told. A check tells all that are on, unless its alert policy names some."
      >
        {data ? (
          <>
            <Channels channels={data.items} onChanged={changed} />
            <button type="button" class="button is-primary" onClick={() => (isAdding.value = true)}>
              Add a channel
            </button>
          </>
        ) : error ? (
          <Failed error={error} retry={changed} />
        ) : (
          <Loading />
        )}
      </SettingsSection>
      {data && <Deliveries revision={revision.value} />}
      {isAdding.value && <AddChannel onAdded={changed} onClose={() => (isAdding.value = false)} />}
    </SettingsPage>
  );
}
