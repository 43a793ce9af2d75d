import type { JSX } from "preact";
import type { Lane } from "../../../server/trace/format/summary.ts";
import { formatDuration } from "../../ui/format.ts";
import { Sliders } from "../../ui/icons.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { type TraceModel, useModel } from "../model/model.ts";
import { formatAdvance, laneName } from "./lanes.ts";
import { hiddenLanes, isIdleFolded, showAllLanes, timelineState, toggleIdle, toggleLane } from "./state.ts";

/** From the wall's clock to the page's and back; false where no clock was moved. */
export function switchClock({ clocks }: TraceModel): boolean {
  if (clocks.moves.peek().length === 0) return false;
  clocks.kind.value = clocks.kind.peek() === "wall" ? "virtual" : "wall";
  return true;
}

/** What the menu of the timeline offers: its lanes, and how time is drawn. */
export function timelineItems(model: TraceModel, lanes: readonly Lane[]): MenuItem[] {
  const items: MenuItem[] = lanes.map((lane) => ({
    label: laneName(lane),
    isOn: !hiddenLanes.value.has(lane),
    run: () => toggleLane(lane),
  }));
  if (lanes.some((lane) => hiddenLanes.value.has(lane)))
    items.push({ label: "Show all lanes", run: showAllLanes });
  items.push({ label: "Fold idle time", isOn: isIdleFolded.value, run: toggleIdle });
  if (model.clocks.moves.value.length > 0)
    items.push({
      label: "The page's own clock",
      isOn: model.clocks.isVirtual.value,
      run: () => void switchClock(model),
    });
  return items;
}

/** Length of the trace on the chosen clock, or the way back from a window or a close view. */
function Extent(): JSX.Element {
  const model = useModel();
  const { zoom } = timelineState(model);
  const span = model.window.value;
  const [first, last] = model.range.value;
  if (span || zoom.value) {
    return (
      <button
        type="button"
        class="link-button"
        title="Show the whole trace again ( 0 )"
        onClick={() => {
          model.setWindow(null);
          zoom.value = null;
        }}
      >
        {span ? formatDuration(span[1] - span[0]) : "Zoomed"} ×
      </button>
    );
  }
  const moves = model.clocks.moves.value;
  if (moves.length === 0) return <span class="dim num">{formatDuration(last - first)}</span>;
  const isVirtual = model.clocks.isVirtual.value;
  const length = isVirtual
    ? formatAdvance(last - first + model.clocks.movedBy(last))
    : formatDuration(last - first);
  return (
    <button
      type="button"
      class="clock-switch num"
      aria-pressed={isVirtual}
      title={isVirtual ? "Back to the clock on the wall ( t v )" : "Show the page's own clock ( t v )"}
      onClick={() => switchClock(model)}
    >
      <span class="hidden-text">The page's own clock, </span>
      {length} <span class="clock-name">{isVirtual ? "page" : "wall"}</span>
    </button>
  );
}

interface GutterProps {
  /** All lanes that have something in them. */
  filled: readonly Lane[];
  shown: readonly Lane[];
  headHeight: number;
  laneHeight: number;
}

/** Left of the track: how long it is, what can be set, and the names of the lanes. */
export function Gutter({ filled, shown, headHeight, laneHeight }: GutterProps): JSX.Element {
  const model = useModel();
  return (
    <div class="gutter">
      <div class="gutter-head" style={{ height: `${headHeight}px` }}>
        <Menu
          label="Timeline settings ( t l )"
          button={<Sliders />}
          buttonClass="icon-button timeline-settings"
          items={timelineItems(model, filled)}
        />
        <Extent />
      </div>
      {shown.map((lane) => (
        <div key={lane} class="lane-name" style={{ height: `${laneHeight}px` }}>
          {laneName(lane)}
        </div>
      ))}
    </div>
  );
}
