import { computed, signal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { plainText } from "../../../server/trace/format/error-text.ts";
import { formatOffset } from "../../ui/format.ts";
import { CrossCircle, type Icon, Info, Search, Terminal, Warning } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { CopyButton } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { type ConsoleRow, LEVELS, type Level } from "../model/console.ts";
import { foldRepeats, textFilter } from "../model/console-rows.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { filterRows, placeOfSeq, rowOfSeq } from "../model/row-list.ts";
import { createScope, perModel } from "../model/scope.ts";
import { useEvent } from "../model/use-event.ts";
import { Detail, ListWithDetail } from "./detail.tsx";
import { StepToggle } from "./step-toggle.tsx";

const ROW = 26;
const LOOK: Record<Level, { icon: Icon; tone: string; name: string }> = {
  error: { icon: CrossCircle, tone: "is-failed", name: "Errors" },
  warning: { icon: Warning, tone: "is-error", name: "Warnings" },
  info: { icon: Info, tone: "is-running", name: "Info" },
  log: { icon: Terminal, tone: "dim", name: "Log" },
  debug: { icon: Terminal, tone: "dim", name: "Debug" },
};

const panelState = perModel((model: TraceModel) => {
  const scope = createScope(model);
  const words = signal("");
  const hidden = signal<ReadonlySet<Level>>(new Set());
  const counts = computed(() => {
    const found = new Map<Level, number>();
    for (const row of model.console.rows.value) found.set(row.level, (found.get(row.level) ?? 0) + 1);
    return found;
  });
  const filter = computed(() => textFilter(words.value));
  const rows = computed(() => {
    const includes = scope.includes.value;
    const wanted = filter.value;
    return foldRepeats(
      filterRows(
        model.console.rows.value,
        (row) => includes(row, 0) && !hidden.value.has(row.level) && wanted.test(row.text),
      ),
    );
  });
  const toggle = (level: Level): void => {
    const next = new Set(hidden.value);
    if (!next.delete(level)) next.add(level);
    hidden.value = next;
  };
  return { scope, words, filter, hidden, counts, rows, toggle };
});

type State = ReturnType<typeof panelState>;

function Toolbar({ state }: { state: State }): JSX.Element {
  return (
    <div class="toolbar is-wrapping">
      <Search />
      <input
        class="bare-input"
        type="search"
        aria-label="Filter console"
        placeholder="Filter, or /pattern/"
        aria-invalid={state.filter.value.problem !== null}
        value={state.words.value}
        spellcheck={false}
        onInput={(event) => {
          state.words.value = event.currentTarget.value;
        }}
      />
      {LEVELS.filter((level) => state.counts.value.has(level)).map((level) => {
        const { icon: LevelIcon, tone, name } = LOOK[level];
        return (
          <button
            key={level}
            type="button"
            class="toggle"
            aria-pressed={!state.hidden.value.has(level)}
            aria-label={`${name}, ${state.counts.value.get(level)}`}
            title={name}
            onClick={() => state.toggle(level)}
          >
            <LevelIcon class={tone} />
            {state.counts.value.get(level)}
          </button>
        );
      })}
      <StepToggle isOn={state.scope.isStepOnly} />
    </div>
  );
}

function Line({
  row,
  count,
  isActive,
  style,
}: {
  row: ConsoleRow;
  count: number;
  isActive: boolean;
  style: CSSProperties;
}): JSX.Element {
  const model = useModel();
  const { icon: LevelIcon, tone } = LOOK[row.level];
  return (
    <div
      class={`row console-row${isActive ? " is-active" : ""}${row.level === "error" ? " is-bad" : ""}`}
      role="listitem"
      style={style}
    >
      <LevelIcon class={tone} label={row.level} />
      {count > 1 && (
        <span class="badge" title={`The same line ${count} times in a row`}>
          {count}
          <span class="hidden-text"> times</span>
        </span>
      )}
      <button
        type="button"
        class="row-link ellipsis captured mono"
        aria-expanded={isActive}
        onClick={() => model.openEvent("console", isActive ? null : row.seq)}
      >
        {oneLine(plainText(row.text), 400) || "(empty)"}
      </button>
      <span class="dim ellipsis console-where captured" title={oneLine(row.location ?? "", 400)}>
        {oneLine(row.location?.split("/").at(-1) ?? "", 60)}
      </span>
      <span class="dim num">{formatOffset(model.elapsed(row.ts))}</span>
    </div>
  );
}

function LineDetail({ row }: { row: ConsoleRow }): JSX.Element {
  const model = useModel();
  const { data: event, error, isLoading } = useEvent(model, row.seq);
  if (error) return <Failed error={error} />;
  if (isLoading) return <Loading />;
  const text = plainText(typeof event?.text === "string" ? event.text : row.text, 200_000);
  const stack = typeof event?.stack === "string" ? plainText(event.stack) : "";
  return (
    <Detail
      tab="console"
      head={
        <>
          <span class="detail-title ellipsis captured">{oneLine(row.location ?? row.level, 300)}</span>
          <CopyButton text={text} what="Text" />
        </>
      }
    >
      <ScrollPane label="Line" class="padded">
        <pre class="captured">{block(text, 100_000)}</pre>
        {stack && <pre class="captured dim">{block(stack)}</pre>}
      </ScrollPane>
    </Detail>
  );
}

/** What the pages wrote, by level, on the trace's clock. */
export function ConsolePanel(): JSX.Element {
  const model = useModel();
  const state = panelState(model);
  useEffect(() => model.console.ensure(), [model]);
  const { rows, counts } = state.rows.value;
  const selected = model.eventSeq.value;
  const active = selected === null ? -1 : placeOfSeq(rows, selected);
  const open = selected === null ? undefined : rowOfSeq(model.console.rows.value, selected);
  const loading = model.console.state.value;
  if (loading === "error") return <Failed error={model.console.error.value} retry={model.console.ensure} />;
  const body = (): JSX.Element => {
    if (rows.length === 0 && loading !== "ready") return <Loading label="Loading the console" />;
    if (rows.length === 0) {
      return (
        <Message
          title={model.console.rows.value.length > 0 ? "No line matches." : "The console stayed empty."}
        />
      );
    }
    return (
      <VirtualList
        label="Console"
        count={rows.length}
        rowHeight={ROW}
        active={active}
        row={(index, style) => {
          const row = rows.at(index);
          if (!row) return null;
          return (
            <Line
              key={row.seq}
              row={row}
              count={counts[index] ?? 1}
              isActive={open !== undefined && index === active}
              style={style}
            />
          );
        }}
      />
    );
  };
  return (
    <div class="panel-column">
      <Toolbar state={state} />
      {state.filter.value.problem !== null && (
        <p class="notice is-error" role="status">
          This pattern cannot be used, so all lines are shown: {oneLine(state.filter.value.problem, 200)}
        </p>
      )}
      <ListWithDetail
        id="console"
        label="Height of the details"
        initial={220}
        list={body()}
        detail={open ? <LineDetail key={open.seq} row={open} /> : null}
      />
    </div>
  );
}
