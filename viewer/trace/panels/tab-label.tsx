import type { JSX } from "preact";
import { formatCount } from "../../ui/format.ts";
import type { TraceModel } from "../model/model.ts";
import { useModel } from "../model/model.ts";
import type { TabId } from "../model/tabs.ts";

interface TabCount {
  count: number;
  bad: number;
}

function sumKinds(counts: Record<string, number>, prefix: string): number {
  return Object.entries(counts).reduce(
    (sum, [kind, count]) => (kind.startsWith(prefix) ? sum + count : sum),
    0,
  );
}

/** What a tab holds, from the summary alone, so that nothing has to be loaded to know. */
export function tabCount(model: TraceModel, id: TabId): TabCount | null {
  const summary = model.summary.value;
  if (!summary) return null;
  const { counts } = summary;
  if (id === "error") {
    const count = Math.max(model.failedSteps.value.length, summary.failure ? 1 : 0);
    return { count, bad: count };
  }
  if (id === "network") {
    const count = Math.max(counts["network.response"] ?? 0, counts["network.request"] ?? 0);
    // Summaries made before they counted them know only those of their steps.
    let bad = summary.bad_requests ?? 0;
    if (summary.bad_requests === undefined) for (const step of model.steps.value) bad += step.bad_requests;
    return { count, bad };
  }
  if (id === "console") return { count: sumKinds(counts, "console."), bad: counts["console.error"] ?? 0 };
  if (id === "events") return { count: summary.event_count, bad: 0 };
  if (id === "expects") {
    const bad = model.failedSteps.value.filter((step) => step.kind === "assertion").length;
    return { count: counts.assertion ?? 0, bad };
  }
  if (id === "thoughts") return { count: counts["agent.thought"] ?? 0, bad: 0 };
  if (id === "attachments")
    return { count: Object.keys(model.detail.value?.signed_urls ?? {}).length, bad: 0 };
  return null;
}

export function TabLabel({ id, title }: { id: TabId; title: string }): JSX.Element {
  const count = tabCount(useModel(), id);
  return (
    <>
      {title}
      {count !== null && count.count > 0 && (
        <span class={count.bad > 0 ? "tab-count is-failed" : "tab-count"}>
          {formatCount(id === "error" ? count.count : count.bad > 0 ? count.bad : count.count)}
          {count.bad > 0 && id !== "error" && <span class="hidden-text"> bad</span>}
        </span>
      )}
    </>
  );
}
