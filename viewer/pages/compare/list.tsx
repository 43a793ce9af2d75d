import type { CSSProperties, JSX } from "preact";
import type { Change, ComparedDimension, DiffSummary } from "../../../server/trace/format/diff/types.ts";
import { stepWords } from "../../../server/trace/format/step-words.ts";
import { setQuery } from "../../router.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { CheckCircle, ChevronRight, Close, CrossCircle, Search } from "../../ui/icons.tsx";
import { Message } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { CHANGES, type CompareAddress, setChanges, TABS } from "./address.ts";
import { labelOf, type Row, WORDS } from "./rows.ts";

const ROW = 28;
const SIGNS: Record<Change, string> = { added: "+", removed: "−", changed: "~", same: "=" };

/** How items differ, by sign and word. */
export function Sign({ change }: { change: Change }): JSX.Element {
  return (
    <span class={`diff-sign is-${change}`} title={WORDS[change]}>
      <span aria-hidden="true">{SIGNS[change]}</span>
      <span class="hidden-text">{WORDS[change]}</span>
    </span>
  );
}

/** How often something differs, per kind of difference; each is a filter. */
function Changes({
  counts,
  chosen,
}: {
  counts: DiffSummary | null;
  chosen: CompareAddress["changes"];
}): JSX.Element {
  return (
    <fieldset class="switch" aria-label="Kinds of difference">
      {CHANGES.map((change) => (
        <button
          key={change}
          type="button"
          class="toggle"
          aria-pressed={chosen.includes(change)}
          disabled={!counts || (counts[change] === 0 && !chosen.includes(change))}
          onClick={() =>
            setChanges(chosen.includes(change) ? chosen.filter((one) => one !== change) : [...chosen, change])
          }
        >
          {counts ? `${WORDS[change]} ${formatCount(counts[change])}` : WORDS[change]}
        </button>
      ))}
    </fieldset>
  );
}

/** What is shown of a dimension. */
export function Filters({
  address,
  counts,
  areSameOpen,
  onSame,
}: {
  address: CompareAddress;
  counts: DiffSummary | null;
  areSameOpen: boolean;
  onSame: () => void;
}): JSX.Element {
  return (
    <div class="compare-filters">
      <div class="toolbar">
        <Search />
        <input
          id="compare-filter"
          class="bare-input"
          type="search"
          aria-label="Filter what is compared"
          placeholder="Filter   ( / )"
          value={address.q}
          maxLength={200}
          spellcheck={false}
          onInput={(event) => setQuery({ q: event.currentTarget.value }, { replace: true })}
        />
        {address.q && (
          <button
            type="button"
            class="icon-button"
            aria-label="Clear the filter"
            onClick={() => setQuery({ q: null }, { replace: true })}
          >
            <Close />
          </button>
        )}
        <button
          type="button"
          class="toggle"
          aria-pressed={areSameOpen}
          disabled={!counts || counts.same === 0 || address.changes.length > 0}
          title="Show what is the same ( s )"
          onClick={onSame}
        >
          Same {counts ? formatCount(counts.same) : ""}
        </button>
        <button
          type="button"
          class="toggle"
          aria-pressed={address.isRaw}
          title="Tell ids, times, ports and query values that differ as well ( r )"
          onClick={() => setQuery({ raw: address.isRaw ? null : "1", item: null }, { replace: true })}
        >
          Raw
        </button>
      </div>
      <div class="toolbar is-wrapping">
        <Changes counts={counts} chosen={address.changes} />
      </div>
    </div>
  );
}

function ItemRow({
  row,
  dimension,
  isChosen,
  isFirst,
  style,
  onChoose,
}: {
  row: Extract<Row, { kind: "item" }>;
  dimension: ComparedDimension;
  isChosen: boolean;
  isFirst: boolean;
  style: CSSProperties;
  onChoose: () => void;
}): JSX.Element {
  const { item } = row;
  const { name, note } = labelOf(dimension, item);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k choose rows
    <div
      id={`row-${row.id}`}
      class={`row compare-row is-${item.change}${isChosen ? " is-active" : ""}`}
      role="option"
      aria-selected={isChosen}
      style={style}
      onClick={onChoose}
    >
      <Sign change={item.change} />
      <span class="ellipsis captured" title={oneLine(name, 600)}>
        {dimension === "steps" ? <StepName title={oneLine(name, 300)} /> : oneLine(name, 300)}
      </span>
      {isFirst && <span class="badge compare-first">first</span>}
      {item.detail?.now === "failing" && <CrossCircle class="is-failed" label="Fails in B" />}
      {item.detail?.now === "passing" && <CheckCircle class="is-passed" label="Passes in B" />}
      <span class="num dim captured compare-note">{oneLine(note, 60)}</span>
    </div>
  );
}

/** What a step did, and on what in the words of a person; of one that was renamed both names. */
function StepName({ title }: { title: string }): JSX.Element {
  const { verb, target } = stepWords(title);
  if (target === null || title.includes(" → ")) return <>{title}</>;
  return (
    <>
      {verb} <span class="dim">{target}</span>
    </>
  );
}

function FoldRow({
  row,
  style,
  onOpen,
}: {
  row: Extract<Row, { kind: "fold" }>;
  style: CSSProperties;
  onOpen: () => void;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key s opens all of them
    <div
      id={`row-${row.id}`}
      class="row compare-row compare-fold dim"
      role="option"
      aria-selected={false}
      style={style}
      onClick={onOpen}
    >
      <ChevronRight />
      <span>{plural(row.count, "the same", "the same")}</span>
    </div>
  );
}

/** The aligned items of a dimension. */
export function ItemList({
  address,
  rows,
  counts,
  shown,
  firstId,
  onChoose,
  onOpen,
}: {
  address: CompareAddress;
  rows: readonly Row[];
  counts: DiffSummary;
  /** Items that the server tells of. */
  shown: number;
  firstId: string | null;
  onChoose: (id: string) => void;
  onOpen: (id: string) => void;
}): JSX.Element {
  const tab = TABS.find(({ id }) => id === address.dimension);
  const total = counts.added + counts.removed + counts.changed + counts.same;
  if (total === 0) return <Message title={tab?.empty ?? ""} />;
  if (rows.length === 0) return <Message title="Nothing fits the filter." />;
  const active = rows.findIndex(({ id }) => id === address.item);
  const activeRow = rows[active];
  return (
    <>
      <VirtualList
        key={address.dimension}
        label={`${tab?.title ?? ""}: what differs`}
        role="listbox"
        class="compare-list"
        count={rows.length}
        rowHeight={ROW}
        active={active}
        activeId={activeRow ? `row-${activeRow.id}` : null}
        row={(index, style) => {
          const row = rows[index];
          if (!row) return null;
          if (row.kind === "fold")
            return <FoldRow key={row.id} row={row} style={style} onOpen={() => onOpen(row.id)} />;
          return (
            <ItemRow
              key={row.id}
              row={row}
              dimension={address.dimension}
              isChosen={row.id === address.item}
              isFirst={row.id === firstId}
              style={style}
              onChoose={() => onChoose(row.id)}
            />
          );
        }}
      />
      {shown < total && (
        <p class="notice dim" role="status">
          {formatCount(shown)} of {formatCount(total)} are listed, the differences first of all.
        </p>
      )}
    </>
  );
}
