import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { formatCount, formatWall, plural } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { shareApi } from "./api.ts";

function List({ id }: { id: string }): JSX.Element {
  const { data, error } = useLoad(`openings ${id}`, (signal) => shareApi.views(id, signal));
  if (error) return <Failed error={error} />;
  if (!data) return <Loading label="Openings" />;
  const told = data.openings.reduce((sum, { times }) => sum + times, 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, also without a pointer */}
      <ul class="openings" aria-label="Openings" tabIndex={0}>
        {data.openings.map(({ at, address, agent, is_embedded: isEmbedded, times }, index) => (
          <li key={index}>
            <span class="num">{formatWall(at)}</span>
            <span class="ellipsis captured">
              {oneLine(agent ?? "unknown program", 60)}
              {isEmbedded && <span class="dim"> in a frame</span>}
              {times > 1 && <span class="dim num"> {formatCount(times)} times</span>}
            </span>
            <span class="dim num captured">{oneLine(address ?? "", 40)}</span>
          </li>
        ))}
      </ul>
      {data.views > told && (
        <p class="dim">
          {data.openings.length === 0 ? "Who did is no longer kept." : "Earlier ones are only counted."}
        </p>
      )}
    </>
  );
}

/** How often the link was opened and, on demand, by whom. */
export function Openings({ id, views }: { id: string; views: number }): JSX.Element {
  const isOpen = useSignal(false);
  if (views === 0) return <p class="dim">Nobody has opened it yet.</p>;
  return (
    <details
      class="share-more"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>Opened {plural(views, "time")}</summary>
      {isOpen.value && <List id={id} />}
    </details>
  );
}
