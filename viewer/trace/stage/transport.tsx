import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { formatOffset } from "../../ui/format.ts";
import { Pause, PlaySolid } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { gapsOf, SPEEDS } from "../model/playback.ts";
import { MOMENTS, type Moment } from "../model/views.ts";
import { recordingIdle } from "./dom-recording.tsx";
import { OverlaySwitch } from "./overlay.tsx";

/** Nothing began or ended, and no picture was taken, for this long. */
const IDLE_MS = 2000;

const MOMENT_LABELS: Record<Moment, { label: string; title: string }> = {
  before: { label: "Before", title: "Before the step" },
  action: { label: "Action", title: "When the step acted, its target outlined where that is known" },
  after: { label: "After", title: "After the step" },
};

function Moments(): JSX.Element | null {
  const model = useModel();
  if (!model.step.value) return null;
  const shown = model.hasOwnTime.value ? null : (model.moment.value ?? "action");
  return (
    <fieldset class="switch" aria-label="Moment of the step">
      {MOMENTS.map((moment) => (
        <button
          key={moment}
          type="button"
          class="toggle"
          aria-pressed={moment === shown}
          title={MOMENT_LABELS[moment].title}
          onClick={() => model.selectMoment(moment)}
        >
          {MOMENT_LABELS[moment].label}
        </button>
      ))}
    </fieldset>
  );
}

/** Idle spans: of the recording where it is shown, else those between what the trace tells. */
function useIdle(model: TraceModel): void {
  const { steps, shots, range, view, playback } = model;
  const ofTrace = useMemo(() => {
    const moments: number[] = [];
    for (const { ts, duration_ms } of steps.value) moments.push(ts, ts + duration_ms);
    for (const { ts } of shots.value) moments.push(ts);
    return gapsOf(
      [...range.value, ...moments].sort((a, b) => a - b),
      IDLE_MS,
    );
  }, [steps.value, shots.value, range.value]);
  const idle = view.value === "replay" ? recordingIdle.value : ofTrace;
  useEffect(() => {
    playback.idle.value = idle;
  }, [idle]);
}

/** Where the playhead stands between the trace's ends, with what will be skipped hatched. */
function Rail(): JSX.Element {
  const model = useModel();
  const { playback } = model;
  const [from, to] = model.range.value;
  const share = (ts: number): number => ((Math.max(from, Math.min(to, ts)) - from) / (to - from)) * 100;
  const at = model.playhead.value;
  return (
    <span class="rail">
      <span class="rail-done" style={{ width: `${share(at)}%` }} />
      {playback.skipsIdle.value &&
        playback.idle.value.map(([start, end]) => (
          <span
            key={start}
            class="rail-idle"
            style={{ left: `${share(start)}%`, width: `${share(end) - share(start)}%` }}
          />
        ))}
      <input
        type="range"
        min={0}
        max={Math.round(to - from)}
        value={Math.round(at - from)}
        aria-label="Playing position"
        aria-valuetext={`${formatOffset(at - from)} seconds`}
        onInput={(event) => model.selectTime(from + event.currentTarget.valueAsNumber)}
      />
    </span>
  );
}

/** Lets the trace's clock run, in every view alike. */
export function Transport(): JSX.Element {
  const model = useModel();
  const { playback } = model;
  useIdle(model);
  const act = (run: () => void) => () => {
    run();
    return true;
  };
  useKeys([
    { keys: [" "], label: "Play or pause", group: "Page", run: act(playback.toggle) },
    { keys: [">"], label: "Play faster", group: "Page", run: act(() => playback.changeSpeed(1)) },
    { keys: ["<"], label: "Play slower", group: "Page", run: act(() => playback.changeSpeed(-1)) },
  ]);
  useEffect(() => () => playback.pause(), []);
  const isPlaying = playback.isPlaying.value;
  const [from, to] = model.range.value;
  return (
    <div class="transport" role="group" aria-label="Playing">
      <button
        type="button"
        class="icon-button"
        aria-label={isPlaying ? "Pause" : "Play"}
        title={`${isPlaying ? "Pause" : "Play"} ( Space )`}
        onClick={playback.toggle}
      >
        {isPlaying ? <Pause /> : <PlaySolid />}
      </button>
      <span class="num transport-time">
        {formatOffset(model.playhead.value - from)} <span class="dim">/ {formatOffset(to - from)} s</span>
      </span>
      <Rail />
      <select
        class="select"
        aria-label="Speed"
        title="Speed ( < > )"
        value={String(playback.speed.value)}
        onChange={(event) => {
          playback.speed.value = Number(event.currentTarget.value);
        }}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
      <button
        type="button"
        class="toggle"
        aria-pressed={playback.skipsIdle.value}
        title="Skip the spans in which nothing happens (hatched)"
        onClick={() => {
          playback.skipsIdle.value = !playback.skipsIdle.peek();
        }}
      >
        Skip idle
      </button>
      <Moments />
      <OverlaySwitch />
    </div>
  );
}
