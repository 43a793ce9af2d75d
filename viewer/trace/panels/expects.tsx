import { computed, signal } from "@preact/signals";
import type { CSSProperties, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { expectedAndReceived, plainText } from "../../../server/trace/format/error-text.ts";
import { formatDuration, formatOffset } from "../../ui/format.ts";
import { CheckCircle, CrossCircle, Search } from "../../ui/icons.tsx";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { CopyButton, Section } from "../../ui/parts.tsx";
import { ScrollPane } from "../../ui/scroll-pane.tsx";
import { block, oneLine } from "../../ui/text.ts";
import { ValueDiff } from "../../ui/value-diff.tsx";
import { VirtualList } from "../../ui/virtual.tsx";
import type { ExpectRow } from "../model/expects.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { countRows, filterRows, placeOfSeq, rowOfSeq } from "../model/row-list.ts";
import { createScope, perModel } from "../model/scope.ts";
import { useEvent } from "../model/use-event.ts";
import { Detail, ListWithDetail } from "./detail.tsx";
import { Pictures } from "./pictures.tsx";
import { StepToggle } from "./step-toggle.tsx";

const ROW = 26;
const LABELS = { before: "Expected", after: "Received" };

const panelState = perModel((model: TraceModel) => {
  const scope = createScope(model);
  const words = signal("");
  const isFailedOnly = signal(false);
  const rows = computed(() => {
    const text = words.value.trim().toLowerCase();
    const includes = scope.includes.value;
    return filterRows(
      model.expects.rows.value,
      (row) =>
        includes(row, row.durationMs) &&
        (!isFailedOnly.value || !row.isOk) &&
        (text === "" || `${row.title} ${row.message}`.toLowerCase().includes(text)),
    );
  });
  return { scope, words, isFailedOnly, rows };
});

type State = ReturnType<typeof panelState>;

function Toolbar({ state }: { state: State }): JSX.Element {
  const model = useModel();
  const all = model.expects.rows.value;
  const failed = countRows(all, (row) => !row.isOk);
  return (
    <div class="toolbar">
      <Search />
      <input
        class="bare-input"
        type="search"
        aria-label="Filter expectations"
        placeholder="Filter"
        value={state.words.value}
        spellcheck={false}
        onInput={(event) => {
          state.words.value = event.currentTarget.value;
        }}
      />
      <button
        type="button"
        class="toggle"
        aria-pressed={state.isFailedOnly.value}
        onClick={() => {
          state.isFailedOnly.value = !state.isFailedOnly.value;
        }}
      >
        Failed
      </button>
      <StepToggle isOn={state.scope.isStepOnly} />
      <span class="dim num" role="status">
        {failed > 0 ? `${failed} of ${all.length} failed` : `${all.length} passed`}
      </span>
    </div>
  );
}

function Line({
  row,
  isActive,
  style,
}: {
  row: ExpectRow;
  isActive: boolean;
  style: CSSProperties;
}): JSX.Element {
  const model = useModel();
  return (
    <div
      class={`row expect-row${isActive ? " is-active" : ""}${row.isOk ? "" : " is-bad"}`}
      role="listitem"
      style={style}
    >
      {row.isOk ? (
        <CheckCircle class="is-passed" label="Passed" />
      ) : (
        <CrossCircle class="is-failed" label="Failed" />
      )}
      <button
        type="button"
        class="row-link ellipsis captured"
        aria-expanded={isActive}
        onClick={() => model.openEvent("expects", isActive ? null : row.seq)}
      >
        {oneLine(row.title, 300) || "(no words)"}
        {row.message && row.message !== row.title && <span class="dim"> {oneLine(row.message, 200)}</span>}
      </button>
      <span class="num dim">{row.durationMs > 0 ? formatDuration(row.durationMs) : ""}</span>
      <span class="num dim">{formatOffset(model.elapsed(row.ts))}</span>
    </div>
  );
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function ExpectDetail({ row }: { row: ExpectRow }): JSX.Element {
  const model = useModel();
  const { data: event, error, isLoading } = useEvent(model, row.seq);
  if (error) return <Failed error={error} />;
  if (isLoading) return <Loading />;
  const message = plainText(text(event?.message) ?? row.message);
  const read = row.isOk ? {} : expectedAndReceived(message);
  const expected = text(event?.expected) ?? read.expected;
  const received = text(event?.received) ?? read.received;
  const step = row.stepId === null ? undefined : model.steps.value.byId(row.stepId);
  return (
    <Detail
      tab="expects"
      head={
        <>
          <span class="detail-title ellipsis captured">{oneLine(row.title, 300)}</span>
          {step && (
            <button
              type="button"
              class="link-button"
              onClick={() => model.selectStep(step.step_id, { isJump: true })}
            >
              Go to its step
            </button>
          )}
          <CopyButton text={message} what="Message" />
        </>
      }
    >
      <ScrollPane label="Expectation">
        <Section title={row.isOk ? "Passed" : "Failed"}>
          <ValueDiff before={expected} after={received} labels={LABELS} meaning="expectation" />
          {expected === undefined && received === undefined && row.isOk && (
            <p class="dim">The values were not recorded.</p>
          )}
          {!row.isOk && <pre class="captured error-message">{block(message)}</pre>}
        </Section>
        <Pictures attachments={event?.attachments} />
      </ScrollPane>
    </Detail>
  );
}

/** Everything that the scenario expected, and how it was. */
export function ExpectsPanel(): JSX.Element {
  const model = useModel();
  const state = panelState(model);
  const { expects } = model;
  useEffect(() => expects.ensure(), [model]);
  const rows = state.rows.value;
  const selected = model.eventSeq.value;
  const open = selected === null ? undefined : rowOfSeq(expects.rows.value, selected);
  if (expects.state.value === "error") return <Failed error={expects.error.value} retry={expects.ensure} />;
  const body = (): JSX.Element => {
    if (rows.length === 0 && expects.state.value !== "ready") return <Loading label="Loading expectations" />;
    if (rows.length === 0)
      return (
        <Message
          title={expects.rows.value.length > 0 ? "No expectation matches." : "Nothing was expected."}
        />
      );
    return (
      <VirtualList
        label="Expectations"
        count={rows.length}
        rowHeight={ROW}
        active={open ? placeOfSeq(rows, open.seq) : -1}
        row={(index, style) => {
          const row = rows.at(index);
          return row ? <Line key={row.seq} row={row} isActive={row.seq === selected} style={style} /> : null;
        }}
      />
    );
  };
  return (
    <div class="panel-column">
      <Toolbar state={state} />
      <ListWithDetail
        id="expects"
        label="Height of the expectation"
        initial={420}
        list={body()}
        detail={open ? <ExpectDetail key={open.seq} row={open} /> : null}
      />
    </div>
  );
}
