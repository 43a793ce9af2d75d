import type { JSX } from "preact";
import type { Cell, CellStatus } from "../../../server/watch/grid/model.ts";
import { plural } from "../../ui/format.ts";
import {
  CheckCircle,
  Clock,
  CrossCircle,
  Help,
  type Icon,
  Pause,
  StopCircle,
  Warning,
} from "../../ui/icons.tsx";

const SIGNS: Record<CellStatus, { word: string; icon: Icon; tone: string }> = {
  passing: { word: "Passing", icon: CheckCircle, tone: "is-passed" },
  degraded: { word: "Degraded", icon: Warning, tone: "is-error" },
  failing: { word: "Failing", icon: CrossCircle, tone: "is-failed" },
  no_data: { word: "No data", icon: Help, tone: "is-quiet" },
  paused: { word: "Paused", icon: Pause, tone: "is-quiet" },
  suppressed: { word: "Suppressed", icon: StopCircle, tone: "is-quiet" },
  running: { word: "Running", icon: Clock, tone: "is-running" },
};

export const cellWord = (status: CellStatus): string => SIGNS[status].word;

/** Icon and word: the status never lies in the colour alone. */
export function CellStatusSign({ status }: { status: CellStatus }): JSX.Element {
  const { word, icon: StatusIcon, tone } = SIGNS[status];
  return (
    <span class={`status ${tone}`}>
      <StatusIcon />
      <span class="status-word">{word}</span>
    </span>
  );
}

const PLACES = 30;
const STEP = 4;
const HEIGHT = 16;

/** A pass stands low, a failure high; where nothing is known lies a dash. */
const SHAPES = { passing: "v7h3v-7z", failing: "v15h3v-15z", no_data: "v2h3v-2z" };
const TOPS = { passing: 9, failing: 1, no_data: 14 };
type Drawn = keyof typeof SHAPES;
const DRAWN = Object.keys(SHAPES) as Drawn[];

/** What came of the last fires as one picture, the newest last. One path for each status: a grid has thousands of them. */
export function HistoryStrip({ history }: { history: Cell["history"] }): JSX.Element {
  const words = DRAWN.map((status) => ({ status, times: history.filter((one) => one === status).length }))
    .filter(({ times }) => times > 0)
    .map(({ status, times }) => `${times} ${cellWord(status).toLowerCase()}`);
  const label =
    history.length === 0 ? "No runs yet" : `Last ${plural(history.length, "fire")}: ${words.join(", ")}`;
  return (
    <svg
      class="grid-strip"
      role="img"
      aria-label={label}
      width={PLACES * STEP}
      height={HEIGHT}
      viewBox={`0 0 ${PLACES * STEP} ${HEIGHT}`}
    >
      {DRAWN.map((drawn) => (
        <path
          key={drawn}
          class={SIGNS[drawn].tone}
          fill="currentColor"
          d={history
            .map((status, at) => (status === drawn ? `M${at * STEP} ${TOPS[drawn]}${SHAPES[drawn]}` : ""))
            .join("")}
        />
      ))}
    </svg>
  );
}
