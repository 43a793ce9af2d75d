import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Cause } from "../../../server/trace/format/cause/types.ts";
import type { Summary } from "../../../server/trace/format/summary.ts";
import type { TraceDetail } from "../../api/answers.ts";
import type { Opened } from "../../api/opened.ts";
import type { TraceSource } from "../../api/trace-source.ts";
import { query } from "../../router.ts";
import { createDeferredLoading } from "./deferred-loading.ts";
import { createHistory } from "./history.ts";
import { createLists } from "./lists.ts";
import { createLoader } from "./loader.ts";
import { createNavigation, movePlayhead } from "./navigation.ts";
import { createPlayback } from "./playback.ts";
import { createPosition } from "./position.ts";
import { createSelection } from "./selection.ts";
import type { Moment } from "./views.ts";

/**
 * Everything the trace page shows and where the reader is in it. Panels read these signals and call these functions.
 * @param opened what the page came with; without it the trace is asked for
 */
export function createTraceModel(source: TraceSource, opened: Opened | null = null) {
  const detail = signal<TraceDetail | null>(opened?.detail ?? null);
  const summary = signal<Summary | null>(opened?.summary ?? null);
  const cause = signal<Cause | null>(opened?.cause ?? null);
  const lists = createLists(source, () => summary.peek()?.counts ?? {});
  const { accept, dispose: disposeLists, ...rows } = lists;
  const { clocks } = rows;
  const place = createPosition(query.peek());
  const shown = createSelection({
    detail,
    summary,
    lists,
    place,
    isLive: () => loader.isLive.value,
    hasRecording: () => source.recordingUrl !== null,
  });
  const { origin, playhead, range } = shown;
  const playback = createPlayback({
    playhead,
    range,
    move: (ts, withStep) => movePlayhead(place, shown, { ts, withStep }),
  });
  const { address, apply } = place;
  const history = createHistory({ address, isPaused: playback.isPlaying, apply });
  const loader = createLoader(source, { detail, summary, cause, onEvents: accept });
  const { isLive } = loader;
  const afterwards = createDeferredLoading({
    detail,
    summary,
    lists,
    steps: shown.steps,
    isLive,
    cameDrawn: opened !== null,
  });

  return {
    source,
    detail,
    summary,
    cause,
    loader,
    ...rows,
    playback,
    ...shown,
    ...createNavigation({ place, shown, history, playback, isLive }),
    moment: place.moment as ReadonlySignal<Moment | null>,
    stepId: place.stepId as ReadonlySignal<string | null>,
    stepFilter: signal(""),
    isFollowing: place.isFollowing,
    hasOwnTime: computed(() => place.t.value !== null),
    eventSeq: place.eventSeq,
    /** Milliseconds since the trace began, on the clock the reader chose, of a moment (epoch ms). */
    elapsed: (ts: number): number => ts - origin.value + (clocks.isVirtual.value ? clocks.movedBy(ts) : 0),
    /** Whether what is on the screen came with the page: then it is drawn as that was, without waiting for anything. */
    isFirstScreen: afterwards.isFirstScreen,
    /** Fetches what the timeline needs to show single events instead of sums; `isClose` the large ones too. */
    wantExactTimes: afterwards.wantExactTimes,
    dispose(): void {
      history.dispose();
      afterwards.dispose();
      playback.dispose();
      loader.dispose();
      disposeLists();
    },
  };
}

export type TraceModel = ReturnType<typeof createTraceModel>;

export const ModelContext = createContext<TraceModel | null>(null);

/** The model of the trace page around this component. */
export function useModel(): TraceModel {
  const model = useContext(ModelContext);
  if (!model) throw new Error("A trace panel was rendered outside of a trace page.");
  return model;
}
