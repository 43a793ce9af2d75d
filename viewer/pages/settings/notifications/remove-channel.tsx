import type { JSX } from "preact";
import { Confirm } from "../../../ui/confirm.tsx";
import { oneLine } from "../../../ui/text.ts";
import { useLoad } from "../../../ui/use-load.ts";
import { type Check, checksApi } from "../../checks/api.ts";
import { titleOf } from "../../checks/parts.tsx";
import { type Channel, notificationsApi } from "./api.ts";

/** Checks that are named at most; more of them are said to be there. */
const MOST_NAMED = 50;

/** Asks before a channel is removed, and says which checks tell it by name: of those that name no other, nobody hears then. */
export function RemoveChannel(props: {
  channel: Channel;
  channels: Channel[];
  onRemoved: () => void;
  onClose: () => void;
}): JSX.Element {
  const { channel, channels, onRemoved, onClose } = props;
  const { data: naming, error } = useLoad(`checks naming ${channel.id}`, (signal) =>
    checksApi.list({ channel: channel.id, limit: MOST_NAMED }, signal),
  );
  const others = new Set(channels.flatMap(({ id }) => (id === channel.id ? [] : [id])));
  const isSilenced = ({ alert_policy }: Check): boolean =>
    !alert_policy.channels?.some((id) => others.has(id));
  return (
    <Confirm
      title={`Remove the channel “${oneLine(channel.name, 100)}”?`}
      word="Remove"
      onConfirm={() => notificationsApi.remove(channel.id).then(onRemoved)}
      onClose={onClose}
    >
      <p>Nothing more is told over it, and what waits for it is given up.</p>
      {naming?.next_cursor && <p>More than {MOST_NAMED} checks name it. These are the newest:</p>}
      <Naming
        checks={naming?.items.filter(isSilenced)}
        words="Nobody hears of these checks then, which name no other channel:"
      />
      <Naming
        checks={naming?.items.filter((check) => !isSilenced(check))}
        words="These checks tell other channels still:"
      />
      {error !== null && <p class="dim">Which checks name it could not be read.</p>}
    </Confirm>
  );
}

function Naming({ checks, words }: { checks: Check[] | undefined; words: string }): JSX.Element | null {
  if (!checks?.length) return null;
  return (
    <>
      <p>{words}</p>
      <ul>
        {checks.map((check) => (
          <li key={check.id} class="captured">
            <a href={`/checks/${check.id}`}>{titleOf(check)}</a>
          </li>
        ))}
      </ul>
    </>
  );
}
