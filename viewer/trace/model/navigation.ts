import { batch, type ReadonlySignal } from "@preact/signals";
import type { createHistory } from "./history.ts";
import type { createPlayback } from "./playback.ts";
import type { Position } from "./position.ts";
import type { Selection } from "./selection.ts";
import { stepAt } from "./steps.ts";
import type { TabId } from "./tabs.ts";
import { type Moment, preferView, type View } from "./views.ts";

/** Puts the playhead at a moment (epoch ms); `withStep` when the step of that moment is to be selected too. */
export function movePlayhead(
  { stepId, t }: Position,
  { range, origin, steps }: Selection,
  { ts, withStep }: { ts: number; withStep: boolean },
): void {
  const [from, to] = range.peek();
  const at = Math.max(from, Math.min(to, ts));
  batch(() => {
    t.value = Math.round(at - origin.peek());
    if (withStep) stepId.value = stepAt(steps.peek(), at)?.step_id ?? null;
  });
}

interface Known {
  place: Position;
  shown: Selection;
  history: ReturnType<typeof createHistory>;
  playback: ReturnType<typeof createPlayback>;
  isLive: ReadonlySignal<boolean>;
}

/** The ways in which a reader goes from one place of a trace to another. */
export function createNavigation({ place, shown, history, playback, isLive }: Known) {
  const { stepId, t, relativeWindow, tab, eventSeq, wantedView, usualView, moment, isFollowing } = place;
  const { step, origin, tab: shownTab } = shown;
  return {
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
    selectTime: (ts: number): void => movePlayhead(place, shown, { ts, withStep: true }),
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
      if (isLive.peek() && isFollowing.peek()) stepId.value = step.peek()?.step_id ?? null;
    },
  };
}
