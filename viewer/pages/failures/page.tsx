import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { FailureGroup } from "../../../server/trace/failures/model.ts";
import { api } from "../../api/calls.ts";
import { navigate, query, setQuery } from "../../router.ts";
import { Close } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { isNarrow } from "../../ui/media.ts";
import { createPages } from "../../ui/pages.ts";
import { QuerySearch } from "../../ui/query-search.tsx";
import { TablePage } from "../../ui/table-page.tsx";
import { oneLine } from "../../ui/text.ts";
import { useFreshPages } from "../../ui/use-news.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { PERIODS, type Period } from "./periods.ts";
import { FailureTable, STATE_SIGNS } from "./table.tsx";

const PAGE = 100;
const signatureOf = (group: FailureGroup): string => group.signature;
const STATES = ["new", "ongoing", "resolved"] as const;

function readState(name: string | null): (typeof STATES)[number] | "" {
  return STATES.find((state) => state === name) ?? "";
}

function readPeriod(name: string | null): Period {
  return PERIODS.find(({ value }) => value === name) ?? PERIODS[2];
}

function Choices({ period }: { period: Period }): JSX.Element {
  const params = query.value;
  const scenario = params.get("scenario");
  return (
    <div class="period">
      <select
        class="select"
        aria-label="Period"
        value={period.value}
        onChange={(event) => setQuery({ since: event.currentTarget.value })}
      >
        {PERIODS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <select
        class="select"
        aria-label="State"
        value={readState(params.get("state"))}
        onChange={(event) => setQuery({ state: event.currentTarget.value })}
      >
        <option value="">Any state</option>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {STATE_SIGNS[state].word}
          </option>
        ))}
      </select>
      <select
        class="select"
        aria-label="Order"
        value={params.get("sort") === "count" ? "count" : ""}
        onChange={(event) => setQuery({ sort: event.currentTarget.value })}
      >
        <option value="">Last seen first</option>
        <option value="count">Most frequent first</option>
      </select>
      {scenario && (
        <button
          type="button"
          class="button"
          aria-label={`Failures of all scenarios, not only of ${oneLine(scenario, 64)}`}
          onClick={() => setQuery({ scenario: null })}
        >
          <span class="captured">{oneLine(scenario, 64)}</span>
          <Close />
        </button>
      )}
    </div>
  );
}

/** What fails, grouped by signature. */
export function FailuresPage(): JSX.Element {
  const asked = useComputed(() => {
    const params = query.value;
    return {
      q: params.get("q") ?? "",
      scenario: params.get("scenario") ?? "",
      state: readState(params.get("state")),
      sort: params.get("sort") === "count" ? "count" : "last_seen",
      since: readPeriod(params.get("since")).value,
    };
  });
  const pages = useMemo(
    () =>
      createPages<FailureGroup>((cursor, signal) => {
        const { since, ...rest } = asked.peek();
        const from = new Date(Date.now() - readPeriod(since).ms).toISOString();
        return api.failures({ ...rest, ...(cursor ? { cursor } : { from }), limit: PAGE }, signal);
      }, signatureOf),
    [],
  );
  const period = readPeriod(asked.value.since);
  const active = usePagedRows({
    pages,
    asked: JSON.stringify(asked.value),
    what: "failure",
    href: (group) => `/traces/${group.last_trace.id}`,
  });
  useKeys([
    {
      keys: ["l"],
      label: "List the traces of the failure",
      group: "List",
      run: () => {
        const group = pages.items.value[active.value];
        if (group) navigate(`/traces?signature=${encodeURIComponent(group.signature)}`);
        return group !== undefined;
      },
    },
  ]);
  useFreshPages(pages);
  return (
    <TablePage
      title="Failures"
      isLoading={pages.state.value === "loading"}
      search={
        <QuerySearch
          label="Search failures"
          hint={isNarrow.value ? "Search" : "Search messages and scenarios   ( / )"}
        />
      }
      choices={<Choices period={period} />}
    >
      <FailureTable
        pages={pages}
        active={active}
        period={period}
        isFiltered={asked.value.q !== "" || asked.value.scenario !== "" || asked.value.state !== ""}
      />
    </TablePage>
  );
}
