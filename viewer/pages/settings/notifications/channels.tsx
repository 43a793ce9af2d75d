import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { tellFailure } from "../../../ui/failing.ts";
import { formatAgo } from "../../../ui/format.ts";
import { CheckCircle, CrossCircle } from "../../../ui/icons.tsx";
import { oneLine } from "../../../ui/text.ts";
import { notify } from "../../../ui/toast.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { type Channel, notificationsApi } from "./api.ts";
import { RemoveChannel } from "./remove-channel.tsx";
import { TYPES } from "./words.ts";

function State({ channel }: { channel: Channel }): JSX.Element {
  const now = useNow(false);
  if (channel.disabled_reason !== null)
    return (
      <span class="is-failed" title={channel.disabled_reason}>
        <CrossCircle /> disabled: {channel.disabled_reason}
      </span>
    );
  if (!channel.enabled) return <span class="dim">off</span>;
  if (channel.broken_since !== null)
    return (
      <span class="is-failed">
        <CrossCircle /> nothing arrives, since {formatAgo(channel.broken_since, now)}
      </span>
    );
  return (
    <span>
      <CheckCircle class="is-passed" /> on
    </span>
  );
}

/** One channel, with what can be done with it. */
export function ChannelRow(props: {
  channel: Channel;
  /** All of the org. */
  channels: Channel[];
  onChanged: () => void;
}): JSX.Element {
  const { channel, channels, onChanged } = props;
  const [isBusy, setBusy] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const { id, name, type, enabled } = channel;
  async function act(work: () => Promise<unknown>, done?: string): Promise<void> {
    setBusy(true);
    try {
      await work();
      if (done) notify(done);
      onChanged();
    } catch (error) {
      tellFailure(error);
    }
    setBusy(false);
  }
  return (
    <tr>
      <th scope="row">{oneLine(name, 100)}</th>
      <td>{TYPES[type].word}</td>
      <td class="settings-long captured" title={channel.url ?? channel.address}>
        {oneLine(channel.url ?? channel.address ?? "", 200)}
      </td>
      <td class="settings-long">
        <State channel={channel} />
      </td>
      <td class="settings-acts">
        <button
          type="button"
          class="button"
          aria-label={`Test: ${name}`}
          disabled={isBusy || !enabled}
          onClick={() => void act(() => notificationsApi.tryOut(id), "A test is on its way: see below.")}
        >
          Test
        </button>
        <button
          type="button"
          class="button"
          aria-label={`Turn ${enabled ? "off" : "on"}: ${name}`}
          disabled={isBusy}
          onClick={() => void act(() => notificationsApi.change(id, { enabled: !enabled }))}
        >
          Turn {enabled ? "off" : "on"}
        </button>
        <button
          type="button"
          class="button is-danger"
          aria-label={`Remove: ${name}`}
          disabled={isBusy}
          onClick={() => setAsked(true)}
        >
          Remove
        </button>
        {isAsked && (
          <RemoveChannel
            channel={channel}
            channels={channels}
            onRemoved={onChanged}
            onClose={() => setAsked(false)}
          />
        )}
      </td>
    </tr>
  );
}
