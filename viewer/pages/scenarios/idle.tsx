import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { plural } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useTraceNews } from "../../ui/use-news.ts";
import { runsApi } from "../runs/api.ts";

/** Scenarios that were synced and have not run: the table has no line for them, and from their pages they can be run. */
export function IdleScenarios({ q, isOpen }: { q: string; isOpen: boolean }): JSX.Element | null {
  const turn = useSignal(0);
  useTraceNews(() => (turn.value += 1));
  const { data } = useLoad(`idle ${q}`, (signal) => runsApi.idleScenarios(q, signal), turn.value);
  if (!data || data.length === 0) return null;
  return (
    <details class="scenarios-idle" open={isOpen}>
      <summary>{`${plural(data.length, "scenario")} not run yet`}</summary>
      <ul>
        {data.map(({ slug, title }) => (
          <li key={slug}>
            <a class="captured" href={`/scenarios/${slug}`} title={slug}>
              {oneLine(title || slug, 200)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
