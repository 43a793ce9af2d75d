import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { HistoryEntry } from "../../../server/trace/histories/model.ts";
import { formatDuration } from "../../ui/format.ts";
import { hrefOf, RunMark, runWords } from "../../ui/run-strip.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { statusTone } from "../../ui/status.tsx";
import { useNow } from "../../ui/use-now.ts";

const HEIGHT = 48;

/** The runs in order, the newest on the right: a bar as high as the run was long, and below it how it ended. */
export function RunChart({
  items,
  onHover,
}: {
  items: readonly HistoryEntry[];
  onHover: (id: string | null) => void;
}): JSX.Element {
  const longest = Math.max(1, ...items.map(({ duration_ms }) => duration_ms));
  const now = useNow(false);
  const words = (item: HistoryEntry) => `${runWords(item, now)}, ${formatDuration(item.duration_ms)}`;
  const row = useRef<HTMLDivElement>(null);
  // Where there is no room for all, the newest are seen first.
  useLayoutEffect(() => row.current?.lastElementChild?.scrollIntoView({ block: "nearest" }), [items]);
  return (
    <ScrollPane label="Runs, the newest last" class="run-chart">
      <div class="run-columns" ref={row}>
        {items.toReversed().map((item) => (
          <a
            key={item.id}
            href={hrefOf(item)}
            class="run-column"
            title={words(item)}
            onPointerEnter={() => onHover(item.id)}
            onPointerLeave={() => onHover(null)}
          >
            <svg width="22" height={HEIGHT + 20} role="img" aria-label={words(item)}>
              <rect
                class={`run-bar ${statusTone(item.status)}`}
                x="3"
                y={HEIGHT - Math.max(2, (item.duration_ms / longest) * (HEIGHT - 4))}
                width="16"
                height={Math.max(2, (item.duration_ms / longest) * (HEIGHT - 4))}
              />
              <g transform={`translate(7 ${HEIGHT + 2})`}>
                <RunMark status={item.status} />
              </g>
            </svg>
          </a>
        ))}
      </div>
    </ScrollPane>
  );
}
