import { LANES, type Lane, type StepSummary } from "../../../server/trace/format/summary.ts";
import { formatDuration } from "../../ui/format.ts";
import { oneLine } from "../../ui/text.ts";
import type { ConsoleRow } from "../model/console.ts";
import { countMarks, MAX_MARKS, type Mark, type MarkGroup } from "../model/marks.ts";
import type { TraceModel } from "../model/model.ts";
import { isBad, type NetworkRow } from "../model/network.ts";
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
  label: string;
}

interface Item {
  ts: number;
  end: number;
  isBad: boolean;
}

type Spans = Pick<LaneContent, "spans" | "tell" | "seq">;

/** Made once for each state of a list: the lists answer a new array whenever they change. */
function perList<R, Out>(make: (rows: readonly R[]) => Out): (rows: readonly R[]) => Out {
  const made = new WeakMap<readonly R[], Out>();
  return (rows) => {
    let out = made.get(rows);
    if (out === undefined) {
      out = make(rows);
      made.set(rows, out);
    }
    return out;
  };
}

function spansOf<R extends { seq: number }>(
  item: (row: R) => Item | null,
  tell: (row: R) => string,
): (rows: readonly R[]) => Spans {
  return perList((rows) => {
    const bad = new Uint8Array(rows.length);
    const good = createLaneIndex(rows.length, (at) => {
      const row = rows[at];
      const found = row === undefined ? null : item(row);
      if (found?.isBad) bad[at] = 1;
      return found && !found.isBad ? [found.ts, found.end] : null;
    });
    const spans = {
      good,
      bad: createLaneIndex(rows.length, (at) => {
        const row = bad[at] === 1 ? rows[at] : undefined;
        const found = row === undefined ? null : item(row);
        return found && [found.ts, found.end];
      }),
    };
    return {
      spans,
      tell: (at) => (rows[at] === undefined ? "" : tell(rows[at])),
      seq: (at) => rows[at]?.seq ?? null,
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

const networkSpans = spansOf<NetworkRow>(
  (row) => ({ ts: row.ts, end: row.ts + (row.durationMs ?? 0), isBad: isBad(row) }),
  requestLabel,
);
const consoleSpans = spansOf<ConsoleRow>(
  (row) => ({ ts: row.ts, end: row.ts, isBad: row.level === "error" }),
  (row) => `${row.level}: ${row.text}`,
);
const troubleSpans = spansOf<Trouble>(
  ({ ts }) => ({ ts, end: ts, isBad: true }),
  ({ label }) => label,
);

const stepSpans = (kind: string) =>
  perList<StepSummary, Spans>((steps) => {
    // A group's bar would only paint over those of the steps within it.
    const groups = new Set(steps.map((step) => step.parent_step_id));
    return spansOf<StepSummary>(
      (step) =>
        step.kind === kind && (!groups.has(step.step_id) || step.status === "failed")
          ? { ts: step.ts, end: step.ts + step.duration_ms, isBad: step.status === "failed" }
          : null,
      (step) => `${step.title} ${formatDuration(step.duration_ms)}`,
    )(steps);
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

const markSpans = (lane: Lane) => spansOf<Mark>((mark) => (mark.lane === lane ? mark : null), markLabel);
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
    const own = steps.reduce((count, step) => count + (step.kind === "assertion" ? 1 : 0), 0);
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

const failedSteps = perList<StepSummary, Trouble[]>((steps) =>
  steps.map((step) => ({
    seq: step.seq,
    ts: step.ts,
    lane: step.kind === "assertion" ? "assertions" : "actions",
    label: `Failed: ${step.title}`,
  })),
);
const badRequests = perList<NetworkRow, Trouble[]>((rows) =>
  rows.filter(isBad).map((row) => ({
    seq: row.seq,
    ts: row.ts + (row.durationMs ?? 0),
    lane: "network",
    label: requestLabel(row),
  })),
);
const consoleErrors = perList<ConsoleRow, Trouble[]>((rows) =>
  rows
    .filter((row) => row.level === "error")
    .map((row) => ({ seq: row.seq, ts: row.ts, lane: "console", label: `Console error: ${row.text}` })),
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

/** What the shown lanes hold. */
export function laneContents(model: TraceModel, lanes: readonly Lane[]): LaneContent[] {
  const summary = model.summary.value;
  if (!summary || summary.first_ts === null || summary.last_ts === null) return [];
  const { first_ts: first, last_ts: last } = summary;
  return lanes.map((lane) => {
    const exact = exactSpans(model, lane);
    return {
      lane,
      buckets: summary.lanes[lane] ?? [],
      first,
      last,
      spans: exact?.spans ?? null,
      tell: (row) => oneLine(exact?.tell(row) ?? "", 200),
      seq: (row) => exact?.seq(row) ?? null,
    };
  });
}
