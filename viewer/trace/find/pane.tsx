import { signal } from "@preact/signals";
import type { JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { formatCount, plural } from "../../ui/format.ts";
import { ArrowDown, ArrowUp, Close, Search as SearchIcon } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { Failed, Message } from "../../ui/message.tsx";
import { oneLine } from "../../ui/text.ts";
import { VirtualList } from "../../ui/virtual.tsx";
import { closeFind, findState, isSameHit } from "../model/find.ts";
import { type TraceModel, useModel } from "../model/model.ts";
import { perModel } from "../model/scope.ts";
import { goToHit } from "./go.ts";
import { type FoundHit, type GroupId, groupsOf } from "./groups.ts";
import { HeadRow, HitRow, MoreRow, type ResultRow, toRows } from "./rows.tsx";
import { createSearch, type Search } from "./search.ts";

const ROW = 40;
const TYPING_MS = 160;
const LIVE_MS = 1000;
const MAX_TEXT = 500;

/** One letter is in nearly every line; one sign of a script without letters may be a word. */
const isEnough = (text: string): boolean => text.length > 1 || text.charCodeAt(0) > 0x24f;

const paneState = perModel((_model: TraceModel) => ({
  /** The one kind that is shown; empty for all. */
  only: signal<GroupId | "">(""),
  /** On a phone the results give way to the page once one is chosen. */
  isListShown: signal(true),
}));

/** Looks for what is typed, a moment after the typing. */
function useSearch(model: TraceModel): Search {
  const search = useMemo(() => createSearch(model.source), [model]);
  const text = findState(model).text.value ?? "";
  const isKnown = model.summary.value !== null;
  useEffect(() => () => search.dispose(), [search]);
  useEffect(() => {
    if (!isKnown) return;
    const timer = setTimeout(
      () => search.start(isEnough(text) ? text : "", groupsOf(model.summary.peek()?.counts ?? {})),
      text === "" ? 0 : TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [search, text, isKnown]);
  const events = model.loader.isLive.value ? (model.summary.value?.event_count ?? 0) : 0;
  useEffect(() => {
    if (events === 0) return;
    const timer = setTimeout(() => search.readMore(null), LIVE_MS);
    return () => clearTimeout(timer);
  }, [search, events]);
  return search;
}

/** What was not looked at, so that nobody takes it for searched. */
function Limits({ search }: { search: Search }): JSX.Element | null {
  const { tooLarge, unreadable } = search.progress.value ?? { tooLarge: 0, unreadable: 0 };
  const parts = [
    ...(tooLarge > 0 ? [`Of ${plural(tooLarge, "body", "bodies")} the first 64 MB were searched.`] : []),
    ...(unreadable > 0 ? [`${plural(unreadable, "part")} of the recording could not be read.`] : []),
  ];
  return parts.length > 0 ? <p class="dim find-limits">{parts.join(" ")}</p> : null;
}

function Nothing({ text, search }: { text: string; search: Search }): JSX.Element | null {
  if (!isEnough(text)) {
    return (
      <Message title="Find in this trace">
        <p class="dim">
          Steps, requests and their bodies, console, recorded pages, thoughts, assertions. A capital letter
          makes it exact.
        </p>
      </Message>
    );
  }
  if (search.state.value !== "ready") return null;
  return <Message title={`Nothing here has “${oneLine(text, 60)}”.`} />;
}

interface ResultsProps {
  rows: readonly ResultRow[];
  count: number;
  current: FoundHit | null;
  go: (hit: FoundHit) => void;
  readMore: (id: GroupId) => void;
}

function Results({ rows, count, current, go, readMore }: ResultsProps): JSX.Element {
  const model = useModel();
  const active = rows.findIndex((row) => row.type === "hit" && isSameHit(row.hit, current));
  const { byId } = model.steps.value;
  return (
    <VirtualList
      id="find-hits"
      label="Hits"
      role="listbox"
      isFocusable={false}
      count={rows.length}
      rowHeight={ROW}
      active={active}
      row={(index, style) => {
        const row = rows[index];
        if (!row) return null;
        if (row.type === "head") return <HeadRow key={row.group.id} group={row.group} style={style} />;
        if (row.type === "more") {
          const run = (): void => readMore(row.group.id);
          return <MoreRow key={`${row.group.id} more`} group={row.group} run={run} style={style} />;
        }
        const step = row.hit.stepId === null ? undefined : byId(row.hit.stepId);
        const isStep = row.group.id === "steps" || row.group.id === "assertions";
        const around = isStep ? byId(step?.parent_step_id ?? "") : step;
        return (
          <HitRow
            key={`${row.hit.seq} ${row.hit.reference ?? ""}`}
            row={row}
            count={count}
            isActive={index === active}
            elapsed={model.elapsed(row.hit.ts)}
            around={oneLine(around?.title ?? row.hit.kind, 120)}
            run={() => model.jump(() => go(row.hit))}
            style={style}
          />
        );
      }}
    />
  );
}

/** One search over everything in the trace: hits by kind, gone through with Enter and the arrows. */
export function FindPane(): JSX.Element {
  const model = useModel();
  const state = findState(model);
  const { only, isListShown } = paneState(model);
  const search = useSearch(model);
  const field = useRef<HTMLInputElement>(null);
  const text = state.text.value ?? "";
  const all = search.groups.value;
  const shown = all.filter((group) => only.value === "" || group.id === only.value);
  const rows = useMemo(() => toRows(shown), [all, only.value]);
  const hits = useMemo(() => rows.flatMap((row) => (row.type === "hit" ? [row.hit] : [])), [rows]);
  const at = hits.findIndex((hit) => isSameHit(hit, state.current.value));
  const current = hits[at] ?? null;
  const total = shown.reduce((sum, group) => sum + group.total, 0);

  useEffect(() => {
    state.hits.value = hits;
  }, [hits]);
  useEffect(
    () => () => {
      state.hits.value = [];
      state.current.value = null;
      state.move.value = null;
    },
    [state],
  );
  const focusRequest = state.focusRequests.value;
  // Before the field can be seen, and what is typed be meant for it.
  useLayoutEffect(() => {
    if (focusRequest === 0) return;
    field.current?.focus();
    field.current?.select();
    isListShown.value = true;
  }, [focusRequest]);

  const go = (hit: FoundHit): void => {
    state.current.value = hit;
    isListShown.value = false;
    if (isNarrow.peek()) field.current?.blur();
    goToHit(model, hit);
  };
  const readMore = (id: GroupId): void => search.readMore(id);
  /** The last hit that was listed when the next one was asked for, which was not read yet. */
  const passed = useRef<FoundHit | null>(null);
  const move = (by: 1 | -1): void => {
    const last = hits.length - 1;
    const unread = by > 0 && at === last ? shown.findLast((group) => !group.isComplete) : undefined;
    passed.current = null;
    // Pages and bodies that are still looked through may have none.
    if (unread && (search.state.peek() === "ready" || !unread.progress)) {
      passed.current = current;
      readMore(unread.id);
      return;
    }
    const next = hits[at < 0 ? (by > 0 ? 0 : last) : (at + by + hits.length) % hits.length];
    if (next) model.along(() => go(next));
  };
  useEffect(() => {
    const next = passed.current !== null && isSameHit(current, passed.current) ? hits[at + 1] : undefined;
    if (!next) return;
    passed.current = null;
    model.along(() => go(next));
  }, [hits]);
  // With what is drawn, not after it: a key pressed at once goes on from the hit that it shows.
  useLayoutEffect(() => {
    state.move.value = move;
  });
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      closeFind(model);
    } else if (event.key === "ArrowDown" || (event.key === "Enter" && !event.shiftKey)) {
      move(1);
    } else if (event.key === "ArrowUp" || event.key === "Enter") {
      move(-1);
    } else {
      return;
    }
    event.preventDefault();
  };

  const isSlim = isNarrow.value;
  const isOpen = !isSlim || isListShown.value;
  const isBusy = search.state.value === "searching";
  const body = (): JSX.Element | null => {
    if (search.state.value === "error") return <Failed error={search.error.value} />;
    if (rows.length === 0) return <Nothing text={text} search={search} />;
    return <Results rows={rows} count={hits.length} current={current} go={go} readMore={readMore} />;
  };
  return (
    <section class={`pane-body find${isOpen ? " is-open" : ""}`} aria-label="Find in this trace">
      <div class="toolbar" role="search">
        <SearchIcon />
        <input
          ref={field}
          class="bare-input"
          type="text"
          enterkeyhint="search"
          role="combobox"
          aria-label="Find in this trace"
          aria-autocomplete="list"
          aria-expanded={isOpen && rows.length > 0}
          aria-controls={isOpen && rows.length > 0 ? "find-hits" : undefined}
          aria-activedescendant={isOpen && at >= 0 ? `find-hit-${at}` : undefined}
          placeholder="Find in this trace"
          value={text}
          maxLength={MAX_TEXT}
          spellcheck={false}
          autocomplete="off"
          onFocus={() => {
            isListShown.value = true;
          }}
          onInput={(event) => {
            state.text.value = event.currentTarget.value;
          }}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          class="icon-button"
          aria-label="Close the search"
          title="Close ( Esc )"
          onClick={() => closeFind(model)}
        >
          <Close />
        </button>
      </div>
      {isEnough(text) && (
        <div class="toolbar find-bar">
          <select
            class="select"
            aria-label="Kind of hit"
            value={only.value}
            onChange={(event) => {
              only.value = event.currentTarget.value as GroupId | "";
            }}
          >
            <option value="">All kinds</option>
            {all.map((group) => (
              <option key={group.id} value={group.id}>
                {group.title} ({formatCount(group.total)})
              </option>
            ))}
          </select>
          <span class="dim num find-count" role="status">
            {at >= 0 ? `${formatCount(at + 1)} of ${formatCount(total)}` : plural(total, "hit")}
            {isBusy && "…"}
          </span>
          <span class="bar-space" />
          <button
            type="button"
            class="icon-button"
            aria-label="Previous hit"
            title="Previous hit ( Shift Enter, N )"
            disabled={hits.length === 0}
            onClick={() => move(-1)}
          >
            <ArrowUp />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label="Next hit"
            title="Next hit ( Enter, n )"
            disabled={hits.length === 0}
            onClick={() => move(1)}
          >
            <ArrowDown />
          </button>
        </div>
      )}
      {isOpen && isEnough(text) && <Limits search={search} />}
      {isOpen && body()}
    </section>
  );
}
