import { LANES, type Lane, type StepSummary } from "../../../server/trace/format/summary.ts";
import { formatDuration } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import type { ConsoleRow } from "../model/console.ts";
import { countMarks, MAX_MARKS, type Mark, type MarkGroup } from "../model/marks.ts";
import type { TraceModel } from "../model/model.ts";
import { isBad, type NetworkRow } from "../model/network.ts";
import { countRows, filterRows, type RowList } from "../model/row-list.ts";
import { parentsOf } from "../model/step-tree.ts";
import type { TabId } from "../model/tabs.ts";
import type { LaneContent } from "./draw.ts";
import { createLaneIndex } from "./lane-index.ts";

const NAMES: Record<Lane, string> = {
  actions: "Actions",
  thoughts: "Thoughts",
  network: "Network",
  console: "Console",
  errors: "Errors",
  clone: "Clones",
  clock: "Clock",
  injections: "Injections",
  assertions: "Expects",
  dom: "DOM",
};

/** On a slim screen only what explains a failure. */
const NARROW: readonly Lane[] = ["actions", "network", "errors"];

/** The panels that list the events of a lane. */
export const LANE_TABS: Partial<Record<Lane, TabId>> = {
  thoughts: "thoughts",
  network: "network",
  console: "console",
  clone: "world",
  clock: "world",
  injections: "world",
  assertions: "expects",
};

export const laneName = (lane: Lane): string => NAMES[lane];

/** A moment at which something went wrong. */
export interface Trouble {
  seq: number;
  ts: number;
  lane: Lane;
  /** What a reader calls it. */
  label: () => string;
}

type Spans = Pick<LaneContent, "spans" | "tell" | "seq">;

/** Made once for each state of a list: the lists answer a new one whenever they change. */
function perList<List extends object, Out>(make: (rows: List) => Out): (rows: List) => Out {
  const made = new WeakMap<List, Out>();
  return (rows) => {
    let out = made.get(rows);
    if (out === undefined) {
      out = make(rows);
      made.set(rows, out);
    }
    return out;
  };
}

/** How the rows of a list are drawn. */
interface Look<R> {
  /** Whether a row is drawn; without it all are. */
  has?(row: R, place: number): boolean;
  /** Epoch ms; without an end they are moments. */
  start(row: R): number;
  end?(row: R): number;
  isBad(row: R): boolean;
  /** What a reader calls it. */
  tell(row: R): string;
}

function spansOf<R extends { seq: number }>(look: Look<R>): (rows: RowList<R>) => Spans {
  const { has = () => true, start, end = start, isBad, tell } = look;
  return perList((rows) => {
    const at = (place: number): R => rows.at(place) as R;
    const spans = (areBad: boolean) =>
      createLaneIndex({
        count: rows.length,
        has: (place) => isBad(at(place)) === areBad && has(at(place), place),
        start: (place) => start(at(place)),
        end: (place) => end(at(place)),
      });
    return {
      spans: { good: spans(false), bad: spans(true) },
      tell: (place) => (place < rows.length ? tell(at(place)) : ""),
      seq: (place) => rows.at(place)?.seq ?? null,
    };
  });
}

const requestLabel = (row: NetworkRow): string =>
  [
    row.method,
    row.url,
    row.error ?? row.status ?? "no answer",
    row.durationMs !== null && formatDuration(row.durationMs),
  ]
    .filter((part) => part !== false)
    .join(" ");

const networkSpans = spansOf<NetworkRow>({
  start: (row) => row.ts,
  end: (row) => row.ts + (row.durationMs ?? 0),
  isBad,
  tell: requestLabel,
});
const consoleSpans = spansOf<ConsoleRow>({
  start: (row) => row.ts,
  isBad: (row) => row.level === "error",
  tell: (row) => `${row.level}: ${row.text}`,
});
const troubleSpans = spansOf<Trouble>({
  start: ({ ts }) => ts,
  isBad: () => true,
  tell: ({ label }) => label(),
});

const stepSpans = (kind: string) =>
  perList((steps: RowList<StepSummary>): Spans => {
    const groups = new Set(parentsOf(steps));
    return spansOf<StepSummary>({
      // A group's bar would only paint over those of the steps within it.
      has: (step, place) => step.kind === kind && (!groups.has(place) || step.status === "failed"),
      start: (step) => step.ts,
      end: (step) => step.ts + step.duration_ms,
      isBad: (step) => step.status === "failed",
      tell: (step) => `${step.title} ${formatDuration(step.duration_ms)}`,
    })(steps);
  });
const actionSpans = stepSpans("agent.action");
const expectSpans = stepSpans("assertion");

function markLabel(mark: Mark): string {
  if (mark.injection) {
    const { kind, url, value } = mark.injection;
    if (kind === "latency")
      return `Delay injected for ${url}: ${value === null ? "" : formatDuration(value)}`;
    return `Error injected for ${url}: ${value ?? ""}`;
  }
  if (mark.advance === undefined) return mark.label;
  return `Clock moved by ${mark.advance < 0 ? "−" : ""}${formatAdvance(Math.abs(mark.advance))}`;
}

const markSpans = (lane: Lane) =>
  spansOf<Mark>({
    has: (mark) => mark.lane === lane,
    start: ({ ts }) => ts,
    end: (mark) => mark.end,
    isBad: (mark) => mark.isBad,
    tell: markLabel,
  });
const marksOf = Object.fromEntries(LANES.map((lane) => [lane, markSpans(lane)])) as Record<
  Lane,
  ReturnType<typeof markSpans>
>;

/** `250 ms`, `1 h`, `30 d`: how far a clock was moved. */
export function formatAdvance(ms: number): string {
  const days = ms / 86_400_000;
  if (days >= 1) return `${Number(days.toFixed(days % 1 === 0 ? 0 : 1))} d`;
  const hours = ms / 3_600_000;
  return hours >= 1 && hours % 1 === 0 ? `${hours} h` : formatDuration(ms);
}

const isReady = (rows: { state: { value: string } }): boolean => rows.state.value === "ready";

const GROUP_OF: Partial<Record<Lane, MarkGroup>> = {
  thoughts: "light",
  clone: "light",
  clock: "world",
  injections: "world",
  dom: "dom",
};

function exactSpans(model: TraceModel, lane: Lane): Spans | null {
  const summary = model.summary.value;
  const steps = model.steps.value;
  const areStepsWhole = steps.length >= (summary?.step_count ?? 0);
  if (lane === "actions") return areStepsWhole ? actionSpans(steps) : null;
  if (lane === "assertions") {
    // Those within a step of another kind are no steps of their own.
    const own = areStepsWhole ? countRows(steps, (step) => step.kind === "assertion") : 0;
    if (areStepsWhole && own >= (summary?.counts.assertion ?? 0)) return expectSpans(steps);
    return markLane(model, "light", lane);
  }
  if (lane === "network") return isReady(model.network) ? networkSpans(model.network.rows.value) : null;
  if (lane === "console") return isReady(model.console) ? consoleSpans(model.console.rows.value) : null;
  if (lane === "errors") {
    const all = troubles(model);
    return all && troubleSpans(all);
  }
  const group = GROUP_OF[lane];
  return group ? markLane(model, group, lane) : null;
}

function markLane(model: TraceModel, group: MarkGroup, lane: Lane): Spans | null {
  const rows = model.marks[group];
  const isWhole = countMarks(group, model.summary.value?.counts ?? {}) <= MAX_MARKS;
  return isReady(rows) && isWhole ? marksOf[lane](rows.rows.value) : null;
}

const failedSteps = perList((steps: readonly StepSummary[]): Trouble[] =>
  steps.map((step) => ({
    seq: step.seq,
    ts: step.ts,
    lane: step.kind === "assertion" ? "assertions" : "actions",
    label: () => `Failed: ${step.title}`,
  })),
);
const badRequests = perList((rows: RowList<NetworkRow>): Trouble[] =>
  Array.from(filterRows(rows, isBad), (row) => ({
    seq: row.seq,
    ts: row.ts + (row.durationMs ?? 0),
    lane: "network",
    label: () => requestLabel(row),
  })),
);
const consoleErrors = perList((rows: RowList<ConsoleRow>): Trouble[] =>
  Array.from(
    filterRows(rows, (row) => row.level === "error"),
    (row) => ({ seq: row.seq, ts: row.ts, lane: "console", label: () => `Console error: ${row.text}` }),
  ),
);

const together = new WeakMap<TraceModel, { of: readonly (readonly Trouble[])[]; all: readonly Trouble[] }>();

/** Where something went wrong, from the lists that know, in the order of time; null until all of them do. */
export function troubles(model: TraceModel): readonly Trouble[] | null {
  if (!isReady(model.network) || !isReady(model.console)) return null;
  const of = [
    failedSteps(model.failedSteps.value),
    badRequests(model.network.rows.value),
    consoleErrors(model.console.rows.value),
  ];
  const known = together.get(model);
  if (known?.of.every((list, index) => list === of[index])) return known.all;
  const all = of.flat().sort((a, b) => a.ts - b.ts);
  together.set(model, { of, all });
  return all;
}

/** The lanes that have anything in them, in their order, hidden ones included; on a slim screen few. */
export function filledLanes(model: TraceModel, isSlim: boolean): Lane[] {
  const lanes = model.summary.value?.lanes;
  if (!lanes) return [];
  return LANES.filter(
    (lane) => (lanes[lane] ?? []).some((count) => count > 0) && (!isSlim || NARROW.includes(lane)),
  );
}

/** By itself, so that who keeps what a lane says does not keep the summary it was made of. */
const wordsOf = (exact: Spans | null): Pick<LaneContent, "tell" | "seq"> => ({
  tell: (row) => oneLine(exact?.tell(row) ?? "", 200),
  seq: (row) => exact?.seq(row) ?? null,
});

/** What the shown lanes hold. */
export function laneContents(model: TraceModel, lanes: readonly Lane[]): LaneContent[] {
  const summary = model.summary.value;
  if (!summary || summary.first_ts === null || summary.last_ts === null) return [];
  const { first_ts: first, last_ts: last } = summary;
  return lanes.map((lane) => {
    const exact = exactSpans(model, lane);
    const buckets = summary.lanes[lane] ?? [];
    return { lane, buckets, first, last, spans: exact?.spans ?? null, ...wordsOf(exact) };
  });
}
