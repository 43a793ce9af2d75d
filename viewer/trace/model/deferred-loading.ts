import { effect, type ReadonlySignal, type Signal } from "@preact/signals";
import type { Summary } from "../../../server/trace/format/summary.ts";
import type { TraceDetail } from "../../api/answers.ts";
import type { Lists } from "./lists.ts";
import { countMarks, MAX_MARKS, type MarkGroup } from "./marks.ts";
import type { RowList } from "./row-list.ts";

/** How long after the first paint what it did not need is fetched. */
const IDLE_MS = 400;
/** Traces of so many events at most are read whole when the first screen is out. */
const SMALL_TRACE = 5000;

interface Known {
  detail: ReadonlySignal<TraceDetail | null>;
  summary: Signal<Summary | null>;
  lists: Lists;
  steps: ReadonlySignal<RowList<unknown>>;
  isLive: ReadonlySignal<boolean>;
  /** Whether the page came with its first screen. */
  cameDrawn: boolean;
}

/** Fetches what the first screen does not need, after it. */
export function createDeferredLoading({ detail, summary, lists, steps, isLive, cameDrawn }: Known) {
  const { allShots, allSteps, marks } = lists;
  let isFirstScreen = cameDrawn;
  // The steps of the summary are among them, and kept no second time.
  const stopLetGo = effect(() => {
    const known = summary.value;
    if (allSteps.state.value !== "ready" || isLive.value || !known || known.steps.length === 0) return;
    if (steps.value.length > known.steps.length) summary.value = { ...known, steps: [] };
  });

  let idleTimer: ReturnType<typeof setTimeout> | null = null;
  const stopIdle = effect(() => {
    const known = summary.value;
    if (!known || isLive.value || idleTimer) return;
    idleTimer = setTimeout(() => {
      isFirstScreen = false;
      if (detail.peek()?.tier === "cold") return;
      if (known.step_count > known.steps.length) allSteps.ensure();
      if ((known.counts.screenshot ?? 0) > known.filmstrip.length) allShots.ensure();
      wantMarks("world");
      if (known.event_count <= SMALL_TRACE) wantExactTimes();
    }, IDLE_MS);
  });

  function wantMarks(group: MarkGroup): void {
    const count = countMarks(group, summary.peek()?.counts ?? {});
    if (count > 0 && count <= MAX_MARKS) marks[group].ensure();
  }

  function wantExactTimes(isClose = false): void {
    if (!summary.peek() || detail.peek()?.tier === "cold" || isLive.peek()) return;
    lists.network.ensure();
    lists.console.ensure();
    wantMarks("light");
    wantMarks("world");
    if (isClose) wantMarks("dom");
  }

  return {
    isFirstScreen: (): boolean => isFirstScreen,
    wantExactTimes,
    dispose(): void {
      stopIdle();
      stopLetGo();
      if (idleTimer) clearTimeout(idleTimer);
    },
  };
}
