import type { ComponentChildren, JSX } from "preact";
import type { Facets, TraceStatus } from "../../api/answers.ts";
import { failureLine } from "../../ui/failure-line.ts";
import { formatCount } from "../../ui/format.ts";
import { Close, Pin } from "../../ui/icons.tsx";
import { isNarrow } from "../../ui/media.ts";
import { statusIcon, statusTone, statusWord } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { clearFilters, type Filters, filters, isFiltered, setFilters } from "./filters.ts";
import { PeriodPicker } from "./period.tsx";
import { SavedSearches } from "./saved.tsx";

const STATUSES: TraceStatus[] = ["failed", "error", "passed", "running", "queued", "aborted"];
const SOURCES = { pr: "Pull request", schedule: "Schedule", manual: "Manual", shadow_diff: "Shadow diff" };
const TIERS = { hot: "Hot", warm: "Warm", cold: "Cold" };

interface FacetProps {
  filter: keyof Filters;
  value: string;
  count?: number;
  /** There may be more than were counted. */
  isPartial?: boolean | undefined;
  title?: string;
  children: ComponentChildren;
}

function Facet({ filter, value, count, isPartial, title, children }: FacetProps): JSX.Element {
  const isOn = filters.value[filter] === value;
  return (
    <button
      type="button"
      class="facet"
      aria-pressed={isOn}
      title={title}
      onClick={() => setFilters({ [filter]: isOn ? "" : value })}
    >
      {children}
      {count !== undefined && (
        <span class="facet-count num">{isPartial ? `${formatCount(count)}+` : formatCount(count)}</span>
      )}
    </button>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="facet-group">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface WordsProps<Value extends string> {
  filter: "source" | "tier";
  values: readonly Value[];
  words: Record<Value, string>;
  facets: Facets | null;
}

/** The values of a filter that has a word for each. */
function Words<Value extends string>({ filter, values, words, facets }: WordsProps<Value>): JSX.Element {
  const counts: Partial<Record<string, number>> = facets?.[filter] ?? {};
  return (
    <>
      {values.map((value) => (
        <Facet
          key={value}
          filter={filter}
          value={value}
          count={counts[value] ?? 0}
          isPartial={facets?.partial.includes(filter)}
        >
          <span class="ellipsis">{words[value]}</span>
        </Facet>
      ))}
    </>
  );
}

/** So many of them, and the chosen one wherever it stands. */
function first<Item>(all: readonly Item[] = [], most: number, isChosen: (item: Item) => boolean): Item[] {
  return all.filter((item, index) => index < most || isChosen(item));
}

/** Narrows the list by what is in it: one value per heading, again to take it back. */
export function FacetsPane({ facets, onClose }: { facets: Facets | null; onClose: () => void }): JSX.Element {
  const chosen = filters.value;
  const shown = <T extends string>(
    all: readonly T[],
    counts: Partial<Record<T, number>> | undefined,
    on: string | undefined,
  ) => all.filter((value) => (counts?.[value] ?? 0) > 0 || value === on);
  const sources = shown(Object.keys(SOURCES) as (keyof typeof SOURCES)[], facets?.source, chosen.source);
  const isPartial = (group: Facets["partial"][number]) => facets?.partial.includes(group);
  const tiers = shown(Object.keys(TIERS) as (keyof typeof TIERS)[], facets?.tier, chosen.tier);
  return (
    <nav class="facets" aria-label="Filters">
      <div class="facets-head">
        <h2>Filters</h2>
        {isFiltered.value && (
          <button type="button" class="link-button" onClick={clearFilters}>
            Clear all
          </button>
        )}
        {isNarrow.value && (
          <button type="button" class="icon-button" aria-label="Close filters" onClick={onClose}>
            <Close />
          </button>
        )}
      </div>
      {isNarrow.value && (
        <Group title="Period">
          <PeriodPicker />
        </Group>
      )}
      <SavedSearches />
      <Group title="Status">
        {shown(STATUSES, facets?.status, chosen.status).map((status) => {
          const StatusIcon = statusIcon(status);
          return (
            <Facet
              key={status}
              filter="status"
              value={status}
              count={facets?.status[status] ?? 0}
              isPartial={isPartial("status")}
            >
              <StatusIcon class={statusTone(status)} />
              <span class="ellipsis">{statusWord(status)}</span>
            </Facet>
          );
        })}
        <Facet filter="pinned" value="true" count={facets?.pinned ?? 0} isPartial={isPartial("pinned")}>
          <Pin />
          <span class="ellipsis">Pinned</span>
        </Facet>
      </Group>
      {(facets?.signatures.length ?? 0) > 0 && (
        <Group title="Failures">
          {first(facets?.signatures, 12, ({ signature }) => signature === chosen.sig).map((entry) => (
            <Facet
              key={entry.signature}
              filter="sig"
              value={entry.signature}
              count={entry.count}
              isPartial={isPartial("signatures")}
              title={oneLine(entry.message ?? entry.signature, 400)}
            >
              <span class="ellipsis captured">{failureLine(entry.message ?? entry.signature, 120)}</span>
            </Facet>
          ))}
        </Group>
      )}
      {(facets?.scenarios.length ?? 0) > 0 && (
        <Group title="Scenarios">
          {first(facets?.scenarios, 20, ({ slug }) => slug === chosen.scenario).map((scenario) => (
            <Facet
              key={scenario.id}
              filter="scenario"
              value={scenario.slug}
              count={scenario.count}
              isPartial={isPartial("scenarios")}
              title={oneLine(scenario.title)}
            >
              <span class="ellipsis captured">{oneLine(scenario.title || scenario.slug, 120)}</span>
            </Facet>
          ))}
        </Group>
      )}
      {sources.length > 0 && (
        <Group title="Source">
          <Words filter="source" values={sources} words={SOURCES} facets={facets} />
        </Group>
      )}
      {(tiers.length > 1 || chosen.tier !== undefined) && (
        <Group title="Storage tier">
          <Words filter="tier" values={tiers} words={TIERS} facets={facets} />
        </Group>
      )}
    </nav>
  );
}
