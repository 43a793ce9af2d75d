import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { HistoryList } from "../../../server/trace/histories/model.ts";
import { api } from "../../api/calls.ts";
import { query, setQuery } from "../../router.ts";
import { isNarrow } from "../../ui/media.ts";
import { createPages } from "../../ui/pages.ts";
import { QuerySearch } from "../../ui/query-search.tsx";
import { TablePage } from "../../ui/table-page.tsx";
import { useFreshPages } from "../../ui/use-news.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { IdleScenarios } from "./idle.tsx";
import { ScenarioTable } from "./table.tsx";

const PAGE = 50;
const idOf = ({ scenario }: HistoryList["items"][number]): string => scenario.id;
export const OUTCOMES = ["failed", "passed", "error", "aborted"] as const;

function OutcomePicker(): JSX.Element {
  return (
    <select
      class="select"
      aria-label="Last run"
      value={query.value.get("status") ?? ""}
      onChange={(event) => setQuery({ status: event.currentTarget.value })}
    >
      <option value="">Any last run</option>
      {OUTCOMES.map((status) => (
        <option key={status} value={status}>
          Last run {status}
        </option>
      ))}
    </select>
  );
}

/** The scenarios that ran, and how they fare. */
export function ScenariosPage(): JSX.Element {
  const q = query.value.get("q") ?? "";
  const status = OUTCOMES.find((one) => one === query.value.get("status")) ?? "";
  const pages = useMemo(
    () =>
      createPages<HistoryList["items"][number]>((cursor, signal) => {
        const params = query.peek();
        const wanted = OUTCOMES.find((one) => one === params.get("status"));
        return api.histories({ q: params.get("q"), status: wanted, cursor, limit: PAGE }, signal);
      }, idOf),
    [],
  );
  const active = usePagedRows({
    pages,
    asked: JSON.stringify([q, status]),
    what: "scenario",
    href: ({ scenario }) => `/scenarios/${scenario.slug}`,
  });
  useFreshPages(pages);
  const isEmpty = pages.state.value !== "loading" && pages.items.value.length === 0;
  return (
    <TablePage
      title="Scenarios"
      isLoading={pages.state.value === "loading"}
      search={
        <QuerySearch
          label="Search scenarios"
          hint={isNarrow.value ? "Search" : "Search scenarios by title or slug   ( / )"}
        />
      }
      choices={<OutcomePicker />}
    >
      {status === "" && <IdleScenarios q={q} isOpen={isEmpty} />}
      <ScenarioTable pages={pages} active={active} isFiltered={q !== "" || status !== ""} />
    </TablePage>
  );
}
