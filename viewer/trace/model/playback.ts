import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;
/** Of an idle span this much is played at its end, so that what follows does not come out of nothing. */
const LEAD_MS = 300;
/** A longer pause between two frames is the tab's, not the reader's: it was hidden, or the machine asleep. */
const LONGEST_FRAME_MS = 250;
/** How often the selected step follows: its panels ask the server for it. */
const STEP_MS = 200;

/** A span in which nothing happens, epoch ms. */
export type Span = readonly [from: number, to: number];

interface Clock {
  /** Epoch ms. */
  playhead: ReadonlySignal<number>;
  range: ReadonlySignal<Span>;
  /** Puts the playhead there; `withStep` when the step of that moment is to be selected too. */
  move(ts: number, withStep: boolean): void;
}

/**
 * Lets the trace's clock run. There is no other clock: every view shows the instant of the playhead, so that none can
 * drift, and whoever moves the playhead meanwhile moves what is played.
 */
export function createPlayback(clock: Clock) {
  const isPlaying = signal(false);
  const speed = signal<number>(1);
  const skipsIdle = signal(true);
  /** Idle spans in order of time, from the view that knows of them. */
  const idle = signal<readonly Span[]>([]);
  let frame = 0;
  /** Where this clock has put the playhead, exactly; the playhead itself holds whole milliseconds. */
  let position = 0;
  let put = Number.NaN;
  let steppedAt = 0;

  function moveTo(ts: number, now: number, isLast: boolean): void {
    const withStep = isLast || now - steppedAt >= STEP_MS;
    if (withStep) steppedAt = now;
    position = ts;
    clock.move(ts, withStep);
    put = clock.playhead.peek();
  }

  function tick(before: number): (now: number) => void {
    return (now) => {
      if (!isPlaying.peek()) return;
      if (clock.playhead.peek() !== put) position = clock.playhead.peek();
      const [, to] = clock.range.peek();
      let next = position + Math.min(LONGEST_FRAME_MS, Math.max(0, now - before)) * speed.peek();
      if (skipsIdle.peek()) next = behindIdle(idle.peek(), next);
      const isAtEnd = next >= to;
      moveTo(Math.min(next, to), now, isAtEnd);
      if (isAtEnd) isPlaying.value = false;
      else frame = requestAnimationFrame(tick(now));
    };
  }

  const stop = effect(() => {
    if (frame) cancelAnimationFrame(frame);
    if (!isPlaying.value) return;
    const [from, to] = clock.range.peek();
    const at = clock.playhead.peek();
    // Playing from the end is playing it again.
    moveTo(at >= to - 1 ? from : at, performance.now(), true);
    frame = requestAnimationFrame(tick(performance.now()));
  });

  return {
    isPlaying: computed(() => isPlaying.value),
    speed,
    skipsIdle,
    idle,
    toggle: (): void => {
      isPlaying.value = !isPlaying.peek();
    },
    pause: (): void => {
      isPlaying.value = false;
    },
    /** The next speed up or down. */
    changeSpeed(by: 1 | -1): void {
      const at = SPEEDS.findIndex((one) => one >= speed.peek());
      speed.value = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))] ?? 1;
    },
    dispose(): void {
      isPlaying.value = false;
      stop();
    },
  };
}

export type Playback = ReturnType<typeof createPlayback>;

/** The moment itself, or where playing goes on when it lies in an idle span. */
export function behindIdle(idle: readonly Span[], ts: number): number {
  const within = idle.find(([from, to]) => ts > from && ts < to - LEAD_MS);
  return within ? within[1] - LEAD_MS : ts;
}

/** Where nothing of a list of moments happens for at least `least` ms. Moments in order of time. */
export function gapsOf(moments: readonly number[], least: number): Span[] {
  const gaps: Span[] = [];
  for (let at = 1; at < moments.length; at += 1) {
    const [from, to] = [moments[at - 1] ?? 0, moments[at] ?? 0];
    if (to - from >= least) gaps.push([from, to]);
  }
  return gaps;
}
