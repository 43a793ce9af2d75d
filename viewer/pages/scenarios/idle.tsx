import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { errorText } from "../../api/request.ts";
import { plural } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useTraceNews } from "../../ui/use-news.ts";
import { runsApi } from "../runs/api.ts";

/** Scenarios that were synced and have not run: the table has no line for them, and from their pages they can be run. */
export function IdleScenarios({ q, isOpen }: { q: string; isOpen: boolean }): JSX.Element | null {
  const revision = useSignal(0);
  useTraceNews(() => (revision.value += 1));
  const { data, error } = useLoad(`idle ${q}`, (signal) => runsApi.idleScenarios(q, signal), revision.value);
  if (error)
    return (
      <p class="notice is-failed captured" role="alert">
        {`What has not run yet could not be listed: ${errorText(error)}`}
      </p>
    );
  if (!data || data.items.length === 0) return null;
  const count = plural(data.items.length, "scenario");
  return (
    <details class="scenarios-idle" open={isOpen}>
      <summary>{`${count} not run yet${data.hasMore ? ", and more" : ""}`}</summary>
      <ul>
        {data.items.map(({ slug, title }) => (
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
