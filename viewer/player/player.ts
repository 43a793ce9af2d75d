import type { FromPlayer, ShownPage, ToPlayer } from "./messages.ts";
import { createRecording } from "./recording.ts";
import { createScreen } from "./screen.ts";

// Runs in a document without an origin (see `playerPage`): all it has is the port that the viewer gives it.

/** How long events are applied at a stretch. */
const SLICE_MS = 12;
const INDEX_MS = 250;
/** A seek that takes longer is told to the viewer. */
const BUSY_MS = 150;

function start(port: MessagePort): void {
  const recording = createRecording();
  const screen = createScreen(document.body);
  /** Index behind the last applied event; null when the page must be built anew. */
  let cursor: number | null = null;
  let wanted: number | null = null;
  let isRunning = false;
  let toldAt = 0;

  const tell = (message: FromPlayer): void => port.postMessage(message);
  const show = (ts: number, state: ShownPage["state"]): void => {
    if (state === "shown") screen.flush();
    tell({ type: "shown", ts, state, ...screen.size });
  };

  /** Leads the page to the moment that is wanted; one that becomes wanted meanwhile takes its place. */
  async function run(): Promise<void> {
    const began = performance.now();
    for (;;) {
      const ts = wanted ?? 0;
      const end = recording.after(Math.min(ts, recording.settledUntil()));
      const begin = recording.startFor(end);
      if (begin === null) return show(ts, "before");
      if (cursor === null || cursor > end) {
        screen.reset();
        cursor = -1;
      }
      if (cursor < begin) {
        const size = recording.sizeBefore(begin);
        if (size) apply(() => size);
        cursor = begin;
      }
      const until = performance.now() + SLICE_MS;
      while (cursor < end && performance.now() < until) {
        const at = cursor;
        apply(() => recording.eventAt(at));
        cursor += 1;
      }
      if (cursor < end) {
        if (performance.now() - began > BUSY_MS) show(ts, "busy");
        await nextTask();
      } else if (wanted === ts) return show(ts, "shown");
    }
  }

  /** One event that cannot be applied costs itself, not the rest of the recording. */
  function apply(read: () => ReturnType<typeof recording.eventAt>): void {
    try {
      const event = read();
      if (event) screen.apply(event);
    } catch {
      recording.leaveOut();
    }
  }

  function follow(): void {
    if (isRunning || wanted === null) return;
    isRunning = true;
    run()
      .catch((error: unknown) => tell({ type: "failed", message: String(error) }))
      .finally(() => {
        isRunning = false;
      });
  }

  function changed(earliest: number | null): void {
    // What came late belongs before events that the page has already been through.
    const last = cursor === null || cursor < 1 ? null : recording.eventAt(cursor - 1);
    if (earliest !== null && last && earliest < last.timestamp) cursor = null;
    if (performance.now() - toldAt > INDEX_MS) {
      toldAt = performance.now();
      tell(recording.index());
    }
    follow();
  }

  port.onmessage = ({ data }: MessageEvent<ToPlayer>) => {
    if (data.type === "chunk") return changed(recording.add(data.bytes));
    if (data.type === "end") {
      toldAt = Number.NEGATIVE_INFINITY;
      return changed(recording.end(data.isCut));
    }
    wanted = data.ts;
    follow();
  };
  if (!screen.isReachable())
    tell({ type: "failed", message: "This browser keeps the replay's page out of reach." });
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

addEventListener("message", function meet(event) {
  const [port] = event.ports;
  if (event.source !== window.parent.parent || !port) return;
  removeEventListener("message", meet);
  start(port);
});
