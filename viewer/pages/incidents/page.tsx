import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { query, setQuery } from "../../router.ts";
import { Close } from "../../ui/icons.tsx";
import { LiveDot } from "../../ui/status.tsx";
import { TablePage } from "../../ui/table-page.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { createIncidentList } from "./list-model.ts";
import { STATUSES, statusWord, TYPE_LIST, typeWord } from "./signs.tsx";
import { IncidentTable } from "./table.tsx";

function Choices(): JSX.Element {
  const params = query.value;
  const scenario = params.get("scenario");
  return (
    <div class="period">
      <select
        class="select"
        aria-label="Status"
        value={params.get("status") ?? ""}
        onChange={(event) => setQuery({ status: event.currentTarget.value })}
      >
        <option value="">Any status</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {statusWord(status)}
          </option>
        ))}
      </select>
      <select
        class="select"
        aria-label="Rule"
        value={params.get("type") ?? ""}
        onChange={(event) => setQuery({ type: event.currentTarget.value })}
      >
        <option value="">Any rule</option>
        {TYPE_LIST.map((type) => (
          <option key={type} value={type}>
            {typeWord(type)}
          </option>
        ))}
      </select>
      {scenario && (
        <button
          type="button"
          class="button"
          aria-label={`Not only the scenario ${oneLine(scenario, 64)}`}
          onClick={() => setQuery({ scenario: null })}
        >
          <span class="captured">{oneLine(scenario, 40)}</span>
          <Close />
        </button>
      )}
    </div>
  );
}

/** The incidents, newest first, as they open, change and end. */
export function IncidentsPage(): JSX.Element {
  const asked = useComputed(() => ({
    status: query.value.get("status") ?? "",
    type: query.value.get("type") ?? "",
    scenario: query.value.get("scenario") ?? "",
  }));
  const rows = useMemo(() => createIncidentList(() => asked.peek()), []);
  const active = usePagedRows({
    pages: rows,
    asked: JSON.stringify(asked.value),
    what: "incident",
    href: (incident) => `/incidents/${incident.id}`,
  });
  const now = useNow(rows.items.value.some(({ resolved_at }) => resolved_at === null));
  useEffect(() => rows.follow(), [rows]);
  return (
    <TablePage
      title="Incidents"
      isLoading={rows.state.value === "loading"}
      choices={<Choices />}
      aside={rows.isLive.value && <LiveDot />}
    >
      <IncidentTable
        pages={rows}
        active={active}
        isFiltered={Object.values(asked.value).some((value) => value !== "")}
        now={now}
      />
    </TablePage>
  );
}
