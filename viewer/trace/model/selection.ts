import { computed, type ReadonlySignal } from "@preact/signals";
import type { Shot, StepSummary, Summary } from "../../../server/trace/format/summary.ts";
import type { TraceDetail } from "../../api/answers.ts";
import type { Lists } from "./lists.ts";
import type { Position } from "./position.ts";
import { filterRows, type RowList } from "./row-list.ts";
import { shotAt } from "./shots.ts";
import { hasTold, type Steps, stepsOf, withBadges } from "./steps.ts";
import { TABS, type TabId, tabsOf } from "./tabs.ts";
import { chooseView, type View } from "./views.ts";

/** A picture this much later than a step's end still shows what the step did. */
const SETTLE_MS = 60;

/**
 * A picture that is so much older than the page's last recorded state does not pass for it. Pictures come when something
 * moves, so that one of a second ago usually is how the page looked.
 */
const STALE_MS = 2_000;

interface Known {
  detail: ReadonlySignal<TraceDetail | null>;
  summary: ReadonlySignal<Summary | null>;
  lists: Lists;
  place: Position;
  /** Whether events are arriving, or could. */
  isLive: () => boolean;
  /** Whether the trace's DOM recording can be had. */
  hasRecording: () => boolean;
}

/** What is shown where the reader is: the step, its instant and picture, the forms and panels there are. */
export function createSelection({ detail, summary, lists, place, isLive, hasRecording }: Known) {
  const { allShots, allSteps } = lists;
  const { stepId, t, relativeWindow, tab, wantedView, usualView, moment } = place;

  const origin = computed(() => summary.value?.first_ts ?? 0);
  const steps = computed<Steps>(() => {
    const known = summary.value?.steps ?? [];
    const all = allSteps.rows.value;
    return all.length > known.length ? withBadges(all, known) : stepsOf(known);
  });
  const shots = computed<RowList<Shot>>(() => {
    const strip = summary.value?.filmstrip ?? [];
    return allShots.rows.value.length > strip.length ? allShots.rows.value : strip;
  });
  const failedSteps = computed<readonly StepSummary[]>(() => [
    ...filterRows(steps.value, (step) => step.status === "failed"),
  ]);

  /** Whether a running trace is at this step. */
  const isUnderWay = (one: StepSummary): boolean =>
    isLive() && !hasTold(one) && one.step_id === steps.value.at(-1)?.step_id;

  /** Ends of the timeline, epoch ms. */
  const range = computed<readonly [number, number]>(() => {
    const first = summary.value?.first_ts ?? 0;
    let last = summary.value?.last_ts ?? first;
    for (const step of steps.value) last = Math.max(last, step.ts + step.duration_ms);
    return [first, Math.max(last, first + 1)];
  });
  const window = computed<readonly [number, number] | null>(() => {
    const chosen = relativeWindow.value;
    return chosen ? [origin.value + chosen[0], origin.value + chosen[1]] : null;
  });

  const defaultStepId = computed<string | null>(() => {
    if (isLive()) return steps.value.at(-1)?.step_id ?? null;
    const failed = summary.value?.failure?.step_id;
    if (failed && steps.value.byId(failed)) return failed;
    if (summary.value?.failure)
      return failedSteps.value.at(-1)?.step_id ?? steps.value.at(-1)?.step_id ?? null;
    return steps.value.at(-1)?.step_id ?? null;
  });
  const step = computed<StepSummary | null>(
    () => steps.value.byId(stepId.value ?? "") ?? steps.value.byId(defaultStepId.value ?? "") ?? null,
  );
  const isAtFailure = computed(() => {
    const failure = summary.value?.failure;
    if (!failure || t.value !== null) return false;
    return failure.step_id === null ? stepId.value === null : failure.step_id === step.value?.step_id;
  });
  /** Epoch ms. */
  const playhead = computed(() => {
    if (t.value !== null) return origin.value + t.value;
    const at = step.value;
    if (!at) return range.value[1];
    return moment.value === "before" ? at.ts : at.ts + at.duration_ms;
  });
  /** How much later than the playhead a picture may be that still shows it. */
  const settle = computed(() => (t.value === null && moment.value !== "before" ? SETTLE_MS : 0));
  let lastShot: Shot | null = null;
  const shot = computed<Shot | null>(() => {
    const failing =
      isAtFailure.value && moment.value !== "before" ? summary.value?.failure?.screenshot : null;
    const next = failing ?? shotAt(shots.value, playhead.value + settle.value);
    // The same picture is the same object, so that nothing is drawn again for it.
    if (!lastShot || next?.seq !== lastShot.seq) lastShot = next;
    return lastShot;
  });
  /** The forms that this trace can be shown in. */
  const views = computed<readonly View[]>(() => {
    const { counts } = summary.value ?? {};
    const { signed_urls: urls, has_pages: hasPages = true } = detail.value ?? {};
    const there: View[] = [];
    if (hasPages && (counts?.["dom.snapshot"] ?? 0) > 0) there.push("page");
    if (shots.value.length > 0) there.push("screenshot");
    if (urls?.rrweb !== undefined && hasRecording()) there.push("replay");
    if (urls?.video !== undefined) there.push("video");
    return there;
  });
  /** Whether the page was recorded after the picture of the failure. */
  const isShotStale = computed(() => {
    const page = isAtFailure.value && moment.value !== "before" ? summary.value?.failure?.page : null;
    return page != null && (shot.value === null || shot.value.ts + STALE_MS < page.ts);
  });
  const view = computed(() =>
    chooseView(wantedView.value, usualView.value, { there: views.value, isShotStale: isShotStale.value }),
  );
  const shownTab = computed<TabId>(() => {
    if (tab.value) return tab.value;
    return isAtFailure.value || step.value?.status === "failed" ? "error" : "call";
  });

  // As text, so that a running trace, whose counts grow all the time, does not draw the same bar anew.
  const tabIds = computed(() =>
    tabsOf(summary.value?.counts ?? {}, shownTab.value)
      .map(({ id }) => id)
      .join(),
  );
  const tabs = computed(() => {
    const ids = tabIds.value.split(",");
    return TABS.filter(({ id }) => ids.includes(id));
  });

  return {
    origin,
    steps,
    shots,
    failedSteps,
    isUnderWay,
    range,
    window,
    step,
    isAtFailure,
    playhead,
    shot,
    views,
    view,
    tab: shownTab,
    tabs,
  };
}

export type Selection = ReturnType<typeof createSelection>;
