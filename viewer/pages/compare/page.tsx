import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { query } from "../../router.ts";
import { formatCount } from "../../ui/format.ts";
import { isNarrow } from "../../ui/media.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { Split } from "../../ui/split.tsx";
import { oneLine } from "../../ui/text.ts";
import { type CompareAddress, chooseItem, goTo, itemId, readAddress, TABS } from "./address.ts";
import { ChooseDialog } from "./choose.tsx";
import { FirstDivergence } from "./divergence.tsx";
import { Heads } from "./heads.tsx";
import { ItemView } from "./item.tsx";
import { useCompareKeys } from "./keys.ts";
import { Filters, ItemList } from "./list.tsx";
import { type Comparison, type Overview, type Trace, useComparison } from "./model.ts";
import { useRecorded } from "./moment.tsx";
import { foldOf, type Row, rowsOf } from "./rows.ts";
import { ColdTraces, FindBaseline, LiveStrip, NothingChosen, SameTwice, Unreadable } from "./states.tsx";

function Tabs({ address, overview }: { address: CompareAddress; overview: Overview | null }): JSX.Element {
  return (
    <nav class="tab-bar" aria-label="What is compared">
      <div class="tabs">
        {TABS.map(({ id, title }) => {
          const counts = overview?.counts[id];
          const differing = counts ? counts.added + counts.removed + counts.changed : 0;
          return (
            <button
              key={id}
              type="button"
              class="tab"
              aria-pressed={address.dimension === id}
              onClick={() => goTo(id)}
            >
              {title}
              {differing > 0 && (
                <span class="tab-count">
                  {formatCount(differing)}
                  <span class="hidden-text"> {differing === 1 ? "difference" : "differences"}</span>
                </span>
              )}
            </button>
          );
        })}
      </div>
    </nav>
  );
}

function Workbench({
  address,
  traces: [left, right],
  comparison,
}: {
  address: CompareAddress;
  traces: readonly [Trace, Trace];
  comparison: Comparison;
}): JSX.Element {
  const { overview, items } = comparison;
  const open = useSignal<ReadonlySet<string> | "all">(new Set());
  const recorded = {
    left: useRecorded(left.id, left.status),
    right: useRecorded(right.id, right.status),
  };
  const known = items.value ?? [];
  const rows = useMemo<Row[]>(() => {
    const fold = address.item ? foldOf(known, address.item) : null;
    const opened = open.value === "all" || fold === null ? open.value : new Set([...open.value, fold]);
    return rowsOf(known, { q: address.q, changes: address.changes, open: opened });
  }, [items.value, open.value, address.item, address.q, address.changes.join()]);
  const firstRow = rows.find((row) => row.kind === "item" && row.item.change !== "same");
  const wanted = address.item ?? (isNarrow.value ? null : (firstRow?.id ?? null));
  const chosen = known.find((item) => itemId(item) === wanted) ?? null;
  const first = overview.value?.first ?? null;
  useLayoutEffect(() => {
    open.value = new Set();
  }, [address.dimension]);
  const toggleSame = (): void => {
    open.value = open.peek() === "all" ? new Set() : "all";
  };
  useCompareKeys({ a: left.id, b: right.id, address, rows, chosen, first, toggleSame });

  const counts = overview.value?.counts[address.dimension] ?? null;
  const list = (
    <div class="panel-column" aria-busy={items.isLoading}>
      <Filters address={address} counts={counts} areSameOpen={open.value === "all"} onSame={toggleSame} />
      {items.error ? (
        <Failed error={items.error} retry={comparison.again} />
      ) : items.value && counts ? (
        <ItemList
          address={{ ...address, item: wanted }}
          rows={rows}
          counts={counts}
          shown={known.length}
          firstId={first?.dimension === address.dimension ? itemId(first) : null}
          onChoose={(id) => chooseItem(id, { isJump: isNarrow.value })}
          onOpen={(id) => {
            if (open.value !== "all") open.value = new Set([...open.value, id]);
          }}
        />
      ) : (
        <Loading label="Comparing" />
      )}
    </div>
  );
  const detail = chosen ? (
    <ItemView dimension={address.dimension} item={chosen} a={left.id} b={right.id} {...recorded} />
  ) : (
    <div class="panel">
      {items.value && (
        <Message title={known.length === 0 ? "Nothing to show." : "Choose a row to see both sides."} />
      )}
    </div>
  );
  if (isNarrow.value) return chosen ? detail : list;
  return (
    <Split
      id="compare"
      label="Width of the list of differences"
      direction="row"
      fixed="start"
      initial={480}
      min={240}
      rest={360}
      start={list}
      end={detail}
    />
  );
}

function Compared({ a, b, address }: { a: string; b: string; address: CompareAddress }): JSX.Element {
  const comparison = useComparison(a, b, address.dimension, address.isRaw);
  const { left, right, overview, isLive, isCold, again } = comparison;
  const choosing = useSignal<"a" | "b" | null>(null);
  const title = oneLine(right.value?.scenario_title || right.value?.scenario_slug || "", 160);
  useEffect(() => {
    document.title = title ? `Compare: ${title} · Tracedeck` : "Compare · Tracedeck";
  }, [title]);

  if (left.error && !left.value) return <Unreadable side="A" error={left.error} retry={again} />;
  if (right.error && !right.value) return <Unreadable side="B" error={right.error} retry={again} />;
  const both = left.value && right.value ? ([left.value, right.value] as const) : null;
  const body = (): JSX.Element => {
    if (!both) return <Loading label="Opening both traces" />;
    if (isCold) return <ColdTraces left={both[0]} right={both[1]} again={again} />;
    if (overview.error) return <Failed error={overview.error} retry={again} />;
    return (
      <>
        {overview.value ? (
          <FirstDivergence overview={overview.value} isRaw={address.isRaw} />
        ) : (
          <div class="compare-verdict" aria-busy="true">
            <Loading label="Comparing" />
          </div>
        )}
        <Tabs address={address} overview={overview.value} />
        <div class="compare-body">
          <Workbench address={address} traces={both} comparison={comparison} />
        </div>
      </>
    );
  };
  if (a === b && right.value) return <SameTwice trace={right.value} />;
  return (
    <main class="compare-main">
      <Heads
        a={a}
        b={b}
        left={left.value}
        right={right.value}
        onChoose={(side) => {
          choosing.value = side;
        }}
      />
      {isLive && both && (
        <LiveStrip left={both[0]} right={both[1]} again={again} isLoading={overview.isLoading} />
      )}
      {body()}
      {choosing.value && right.value && (
        <ChooseDialog
          side={choosing.value}
          scenarioId={right.value.scenario_id}
          other={choosing.value === "a" ? b : a}
          onClose={() => {
            choosing.value = null;
          }}
        />
      )}
    </main>
  );
}

/** Two traces side by side; with one alone, the last pass before it is found. */
export function ComparePage(): JSX.Element {
  const address = readAddress(query.value);
  const { a, b } = address;
  useEffect(() => {
    document.title = "Compare · Tracedeck";
  }, []);
  return (
    <div class="page compare-page">
      <SiteBar>
        <h1>Compare</h1>
        {isNarrow.value && <span class="bar-space" />}
      </SiteBar>
      {a && b ? (
        <Compared key={`${a} ${b}`} a={a} b={b} address={address} />
      ) : b ? (
        <FindBaseline id={b} />
      ) : (
        <NothingChosen />
      )}
    </div>
  );
}
