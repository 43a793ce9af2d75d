import { batch, computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TraceEvent } from "../../../server/trace/format/event.ts";
import type { Shot, StepSummary, Summary } from "../../../server/trace/format/summary.ts";
import type { TraceDetail } from "../../api/answers.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import type { Opened } from "../../first-screen/opened.ts";
import { query } from "../../router.ts";
import { readAddress } from "./address.ts";
import { createClocks } from "./clock.ts";
import { createConsoleRows } from "./console.ts";
import { createExpectRows } from "./expects.ts";
import { createHistory } from "./history.ts";
import { createLoader } from "./loader.ts";
import { countMarks, createMarkRows, MAX_MARKS, type MarkGroup } from "./marks.ts";
import { createNetworkRows } from "./network.ts";
import { createPageRows } from "./pages.ts";
import { createPlayback } from "./playback.ts";
import { filterRows, type RowList } from "./row-list.ts";
import { createShotRows, shotAt } from "./shots.ts";
import { createStepRows, type Steps, stepAt, stepsOf } from "./steps.ts";
import { TABS, type TabId, tabsOf } from "./tabs.ts";
import { createThoughtRows } from "./thoughts.ts";
import { chooseView, type Moment, preferredView, preferView, type View } from "./views.ts";
import { createWorldRows } from "./world.ts";

/** How long after the first paint what it did not need is fetched. */
const IDLE_MS = 400;
/** A picture this much later than a step's end still shows what the step did. */
const SETTLE_MS = 60;
/** Traces of so many events at most are read whole when the first screen is out. */
const SMALL_TRACE = 5000;

/**
 * Everything the trace page shows and where the reader is in it. Panels read these signals and call these functions.
 * @param opened what the page came with; without it the trace is asked for
 */
export function createTraceModel(source: TraceSource, opened: Opened | null = null) {
  const detail = signal<TraceDetail | null>(opened?.detail ?? null);
  const summary = signal<Summary | null>(opened?.summary ?? null);
  const network = createNetworkRows(source, () => summary.peek()?.counts ?? {});
  const console = createConsoleRows(source);
  const allShots = createShotRows(source);
  const allSteps = createStepRows(source);
  const marks = {
    light: createMarkRows(source, "light"),
    world: createMarkRows(source, "world"),
    dom: createMarkRows(source, "dom"),
  };
  const clocks = createClocks(marks.world.rows);
  const expects = createExpectRows(source);
  const thoughts = createThoughtRows(source);
  const world = createWorldRows(source);
  const pages = createPageRows(source);
  const lists = [network, console, allShots, allSteps, expects, thoughts, world, pages];
  const growing = [...lists, ...Object.values(marks)];

  const start = readAddress(query.peek());
  const stepId = signal(start.step);
  /** Milliseconds since the origin; null stands at the end of the step. */
  const t = signal(start.t);
  const relativeWindow = signal(start.window);
  const tab = signal<TabId | null>(start.tab);
  const eventSeq = signal(start.event);
  const wantedView = signal(start.view);
  const usualView = signal(preferredView());
  const moment = signal(start.moment);
  const stepFilter = signal("");
  /** Nothing was picked: a running trace shows its newest step. */
  const isFollowing = computed(() => stepId.value === null && t.value === null);

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
    if (loader.isLive.value) return steps.value.at(-1)?.step_id ?? null;
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
    if (urls?.rrweb !== undefined && source.recordingUrl !== null) there.push("replay");
    if (urls?.video !== undefined) there.push("video");
    return there;
  });
  const view = computed(() => chooseView(wantedView.value, usualView.value, views.value));
  const playback = createPlayback({ playhead, range, move });
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

  const history = createHistory({
    address: computed(() => ({
      step: stepId.value,
      t: t.value,
      window: relativeWindow.value,
      tab: tab.value,
      event: eventSeq.value,
      view: wantedView.value,
      moment: moment.value,
    })),
    isPaused: playback.isPlaying,
    apply(wanted) {
      stepId.value = wanted.step;
      t.value = wanted.t;
      const before = relativeWindow.peek();
      if (before?.join() !== wanted.window?.join()) relativeWindow.value = wanted.window;
      tab.value = wanted.tab;
      eventSeq.value = wanted.event;
      wantedView.value = wanted.view;
      moment.value = wanted.moment;
    },
  });

  function move(ts: number, withStep: boolean): void {
    const [from, to] = range.peek();
    const at = Math.max(from, Math.min(to, ts));
    batch(() => {
      t.value = Math.round(at - origin.peek());
      if (withStep) stepId.value = stepAt(steps.peek(), at)?.step_id ?? null;
    });
  }

  const loader = createLoader(source, {
    detail,
    summary,
    onEvents(events: TraceEvent[]) {
      batch(() => {
        for (const rows of growing) rows.accept(events);
      });
    },
  });

  let isFirstScreen = opened !== null;
  // The steps of the summary are among them, and kept no second time.
  const stopLetGo = effect(() => {
    const known = summary.value;
    if (allSteps.state.value !== "ready" || loader.isLive.value || !known || known.steps.length === 0) return;
    if (steps.value.length > known.steps.length) summary.value = { ...known, steps: [] };
  });

  // What the first screen does not need, after it.
  let idleTimer: ReturnType<typeof setTimeout> | null = null;
  const stopIdle = effect(() => {
    const known = summary.value;
    if (!known || loader.isLive.value || idleTimer) return;
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
    if (!summary.peek() || detail.peek()?.tier === "cold" || loader.isLive.peek()) return;
    network.ensure();
    console.ensure();
    wantMarks("light");
    wantMarks("world");
    if (isClose) wantMarks("dom");
  }

  return {
    source,
    detail,
    summary,
    loader,
    network,
    console,
    allSteps,
    marks,
    clocks,
    expects,
    thoughts,
    world,
    pages,
    playback,
    views,
    view,
    moment: moment as ReadonlySignal<Moment | null>,
    steps,
    failedSteps,
    shots,
    range,
    origin,
    /** Milliseconds since the trace began, on the clock the reader chose, of a moment (epoch ms). */
    elapsed: (ts: number): number => ts - origin.value + (clocks.isVirtual.value ? clocks.movedBy(ts) : 0),
    window,
    /** Whether what is on the screen came with the page: then it is drawn as that was, without waiting for anything. */
    isFirstScreen: (): boolean => isFirstScreen,
    step,
    stepId: stepId as ReadonlySignal<string | null>,
    stepFilter,
    isAtFailure,
    isFollowing,
    playhead,
    hasOwnTime: computed(() => t.value !== null),
    shot,
    tab: shownTab,
    tabs,
    eventSeq,

    /** Makes what a change leads to a new entry of the history, one for all that it does. */
    jump: history.jump,
    /** Makes a change that takes the place of the present entry, whatever it does: one of many along a list. */
    along: history.step,
    /** Goes to a step; a new entry of the history when `isJump`. */
    selectStep(id: string, options: { isJump?: boolean } = {}): void {
      playback.pause();
      const go = options.isJump ? history.jump : batch;
      go(() => {
        stepId.value = id;
        t.value = null;
      });
    },
    /** Puts the playhead at a moment (epoch ms) and selects the step of that moment. */
    selectTime: (ts: number): void => move(ts, true),
    /** Shows another moment of the step. */
    selectMoment(wanted: Moment): void {
      playback.pause();
      batch(() => {
        moment.value = wanted;
        stepId.value = step.peek()?.step_id ?? null;
        t.value = null;
      });
    },
    /** Shows the instant in another form, now and in the next trace. */
    selectView(wanted: View): void {
      preferView(wanted);
      batch(() => {
        usualView.value = wanted;
        wantedView.value = wanted;
      });
    },
    /** Shows it in another form for now, without making that the reader's usual one. */
    showView(wanted: View): void {
      wantedView.value = wanted;
    },
    /** Narrows every list to a span of time (epoch ms), or opens it again with null. */
    setWindow(span: readonly [number, number] | null): void {
      const base = origin.peek();
      relativeWindow.value = span ? [Math.round(span[0] - base), Math.round(span[1] - base)] : null;
    },
    /** Shows a tab: a new entry of the history. */
    selectTab(id: TabId): void {
      if (id === shownTab.peek()) tab.value = id;
      else
        history.jump(() => {
          eventSeq.value = null;
          tab.value = id;
        });
    },
    /** Opens an event in its tab: a new entry of the history, unless it takes the place of another there. Null closes it. */
    openEvent(id: TabId, seq: number | null): void {
      const change = (): void => {
        tab.value = id;
        eventSeq.value = seq;
      };
      const isNext = id === shownTab.peek() && eventSeq.peek() !== null;
      if (seq === null) history.close(() => batch(change));
      else if (isNext) batch(change);
      else history.jump(change);
    },
    /** Follows the newest step of a running trace, with nothing narrowed. */
    follow(): void {
      batch(() => {
        stepId.value = null;
        t.value = null;
        relativeWindow.value = null;
      });
    },
    /** Stays at the step that is shown, whatever comes. */
    stopFollowing(): void {
      if (loader.isLive.peek() && isFollowing.peek()) stepId.value = step.peek()?.step_id ?? null;
    },
    /** Fetches what the timeline needs to show single events instead of sums; `isClose` the large ones too. */
    wantExactTimes,
    dispose(): void {
      history.dispose();
      stopIdle();
      stopLetGo();
      if (idleTimer) clearTimeout(idleTimer);
      playback.dispose();
      loader.dispose();
      for (const rows of growing) rows.dispose();
    },
  };
}

export type TraceModel = ReturnType<typeof createTraceModel>;

/** Puts the counts that only the summary knows on the steps read from events. */
function withBadges(steps: Steps, known: readonly StepSummary[]): Steps {
  for (const { step_id: id, console_errors: errors, bad_requests: bad } of known) {
    const same = errors + bad > 0 ? steps.byId(id) : undefined;
    if (same) Object.assign(same, { console_errors: errors, bad_requests: bad });
  }
  // A new list: what is shown of it has changed.
  return { ...steps };
}

export const ModelContext = createContext<TraceModel | null>(null);

/** The model of the trace page around this component. */
export function useModel(): TraceModel {
  const model = useContext(ModelContext);
  if (!model) throw new Error("A trace panel was rendered outside of a trace page.");
  return model;
}
