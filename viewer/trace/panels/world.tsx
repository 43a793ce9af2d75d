import { computed } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { formatDuration, formatOffset } from "../../ui/format.ts";
import { Clock, Close, Network, Restore, Warning } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { CopyButton, Facts, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { Split } from "../../ui/split.tsx";
import { oneLine } from "../../ui/text.ts";
import { ValueDiff } from "../../ui/value-diff.tsx";
import { VirtualList } from "../../ui/virtual.tsx";
import { fitsGlob } from "../model/glob.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { isBad } from "../model/network.ts";
import { filterRows, firstRows } from "../model/row-list.ts";
import { createScope, perModel } from "../model/scope.ts";
import { useEvent } from "../model/use-event.ts";
import { valueText, type WorldRow, worldAt } from "../model/world.ts";
import { StepToggle } from "./step-toggle.tsx";

const ROW = 26;
const MOST_ENTRIES = 200;
const MOST_REQUESTS = 30;
const LABELS = { before: "Before", after: "After" };

const panelState = perModel((model: TraceModel) => {
  const scope = createScope(model);
  const rows = computed(() => model.world.rows.value.filter((row) => scope.includes.value(row, 0)));
  const now = computed(() => worldAt(model.world.rows.value, model.playhead.value));
  return { scope, rows, now };
});

type State = ReturnType<typeof panelState>;

const given = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : valueText(value);
const nameOf = (row: WorldRow): string => (row.kind === "latency_injection" ? "Slower" : "Fault");

/** `+ 1 h 00 m`: how far a clock was moved. */
const moved = (ms: number): string => `${ms < 0 ? "−" : "+"} ${formatDuration(Math.abs(ms))}`;

function Now({ state }: { state: State }): JSX.Element {
  const model = useModel();
  const { entries, ahead, injections } = state.now.value;
  const open = (row: WorldRow) => () => model.openEvent("world", row.seq);
  const line = (row: WorldRow, name: string): JSX.Element => (
    <tr key={row.seq}>
      <th scope="row" class="captured">
        {name}
      </th>
      <td class="captured mono">
        <button type="button" class="cell-button ellipsis" onClick={open(row)}>
          <span class="hidden-text">{name}: </span>
          {oneLine(row.value, 300) || "(empty)"}
        </button>
      </td>
      <td class="num dim">{formatOffset(model.elapsed(row.ts))}</td>
    </tr>
  );
  return (
    <ScrollPane label="The world at this moment" class="world-now">
      <Section title={`At ${formatOffset(model.elapsed(model.playhead.value))} s`}>
        {entries.length + injections.length === 0 && ahead === 0 ? (
          <p class="dim">Nothing had changed yet.</p>
        ) : (
          <table class="facts-table">
            <thead>
              <tr>
                <th scope="col">
                  <span class="hidden-text">What</span>
                </th>
                <th scope="col">
                  <span class="hidden-text">Value</span>
                </th>
                <th scope="col" class="num">
                  <span class="hidden-text">Since</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {ahead !== 0 && (
                <tr>
                  <th scope="row">Clock</th>
                  <td class="mono">{moved(ahead)}</td>
                  <td class="num" />
                </tr>
              )}
              {injections.map((row) => line(row, `${nameOf(row)}: ${oneLine(row.subject, 100)}`))}
              {entries.slice(0, MOST_ENTRIES).map((row) => line(row, oneLine(row.subject, 120)))}
            </tbody>
          </table>
        )}
        {entries.length > MOST_ENTRIES && (
          <p class="dim">{entries.length - MOST_ENTRIES} more entries; see the changes below.</p>
        )}
      </Section>
    </ScrollPane>
  );
}

function Line({
  row,
  isActive,
  style,
}: {
  row: WorldRow;
  isActive: boolean;
  style: CSSProperties;
}): JSX.Element {
  const model = useModel();
  const isLater = row.ts > model.playhead.value;
  const isClone = row.entry !== null;
  return (
    <div
      class={`row world-row${isActive ? " is-active" : ""}${isLater ? " is-later" : ""}`}
      role="listitem"
      style={style}
    >
      {isClone ? (
        <Restore class="is-clone" label="Stand-in" />
      ) : row.movedBy !== 0 || row.kind.startsWith("clock.") ? (
        <Clock class="is-clock" label="Clock" />
      ) : (
        <Warning class="is-error" label="Injected" />
      )}
      <button
        type="button"
        class="row-link ellipsis captured"
        aria-expanded={isActive}
        onClick={() => model.openEvent("world", isActive ? null : row.seq)}
      >
        {oneLine(row.subject, 200)}{" "}
        <span class="dim mono">
          {row.isRemoved ? "removed" : row.movedBy !== 0 ? moved(row.movedBy) : oneLine(row.value, 200)}
        </span>
      </button>
      <span class="num dim">{formatOffset(model.elapsed(row.ts))}</span>
    </div>
  );
}

/** The requests after an injection that its pattern means. */
function Affected({ row }: { row: WorldRow }): JSX.Element {
  const model = useModel();
  useEffect(() => model.network.ensure(), [model]);
  const found = filterRows(
    model.network.rows.value,
    (request) => request.ts >= row.ts && fitsGlob(row.subject, request.url),
  );
  return (
    <Section title="Requests after it">
      {found.length === 0 && (
        <p class="dim">
          {model.network.state.value === "ready" ? "None of this address came after it." : "Loading…"}
        </p>
      )}
      {firstRows(found, MOST_REQUESTS).map((request) => (
        <button
          key={request.seq}
          type="button"
          class="line-button"
          onClick={() => model.openEvent("network", request.seq)}
        >
          <Network class={isBad(request) ? "is-failed" : "dim"} />
          <span class={isBad(request) ? "is-failed mono" : "mono"}>{request.status ?? "…"}</span>
          <span class="ellipsis captured mono">
            {oneLine(request.method, 16)} {oneLine(request.url, 300)}
          </span>
          <span class="dim num">{request.durationMs === null ? "" : formatDuration(request.durationMs)}</span>
        </button>
      ))}
      {found.length > MOST_REQUESTS && <p class="dim">{found.length - MOST_REQUESTS} more</p>}
    </Section>
  );
}

function Detail({ row }: { row: WorldRow }): JSX.Element {
  const model = useModel();
  const { data: event, error, isLoading } = useEvent(model, row.seq);
  const body = (): JSX.Element => {
    if (error) return <Failed error={error} />;
    if (isLoading || !event) return <Loading />;
    if (row.entry !== null) {
      return (
        <Section title={row.isRemoved ? "Removed" : event.before == null ? "Made" : "Changed"}>
          <ValueDiff
            before={given(event.before)}
            after={given(event.after)}
            labels={LABELS}
            meaning="change"
          />
        </Section>
      );
    }
    const { seq: _seq, ts: _ts, kind: _kind, step_id: _step, ...fields } = event;
    return (
      <>
        <Section title={oneLine(row.kind, 100)}>
          <Facts rows={Object.entries(fields).map(([name, value]) => [name, valueText(value)])} />
        </Section>
        {row.kind.endsWith("_injection") && <Affected row={row} />}
      </>
    );
  };
  return (
    <div class="panel-column detail">
      <div class="toolbar">
        <span class="detail-title ellipsis captured">{oneLine(row.subject, 300)}</span>
        <button type="button" class="link-button" onClick={() => model.selectTime(row.ts)}>
          Go to its time
        </button>
        <CopyButton text={JSON.stringify(event ?? {}, null, 2)} what="Event" />
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          title="Close ( Esc )"
          onClick={() => model.openEvent("world", null)}
        >
          <Close />
        </button>
      </div>
      <ScrollPane label="Change">{body()}</ScrollPane>
    </div>
  );
}

/** Stand-ins, clock and injected faults: how the world stood at the shown moment, and every change to it. */
export function WorldPanel(): JSX.Element {
  const model = useModel();
  const state = panelState(model);
  const { world } = model;
  useEffect(() => world.ensure(), [model]);
  if (world.state.value === "error") return <Failed error={world.error.value} retry={world.ensure} />;
  if (world.state.value !== "ready" && world.rows.value.length === 0)
    return <Loading label="Loading changes" />;
  const rows = state.rows.value;
  const selected = model.eventSeq.value;
  const open = world.rows.value.find((row) => row.seq === selected);
  const list = (
    <div class="panel-column">
      <Now state={state} />
      <div class="toolbar">
        <h2 class="detail-title">Changes</h2>
        <StepToggle isOn={state.scope.isStepOnly} />
        <span class="dim num" role="status">
          {rows.length} of {world.rows.value.length}
        </span>
      </div>
      {rows.length === 0 ? (
        <Message title="Nothing changed here." />
      ) : (
        <VirtualList
          label="Changes"
          count={rows.length}
          rowHeight={ROW}
          active={rows.findIndex((row) => row.seq === selected)}
          row={(index, style) => {
            const row = rows[index];
            return row ? (
              <Line key={row.seq} row={row} isActive={row.seq === selected} style={style} />
            ) : null;
          }}
        />
      )}
    </div>
  );
  if (!open) return list;
  return (
    <Split
      id="world"
      label="Height of the change"
      direction="column"
      fixed="end"
      initial={260}
      min={90}
      rest={120}
      start={list}
      end={<Detail key={open.seq} row={open} />}
    />
  );
}
