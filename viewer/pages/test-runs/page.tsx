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
import { createTestRunList } from "./list-model.ts";
import { statusWord } from "./signs.tsx";
import { TestRunTable } from "./table.tsx";

const STATUSES = ["running", "passed", "failed", "interrupted"] as const;
/** What a link may narrow the list by; a button takes it away. */
const NARROWED = ["branch", "commit", "pr"] as const;

function Choices(): JSX.Element {
  const params = query.value;
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
      {NARROWED.map((name) => {
        const value = params.get(name);
        return (
          value && (
            <button
              key={name}
              type="button"
              class="button"
              aria-label={`Not only ${name} ${oneLine(value, 64)}`}
              onClick={() => setQuery({ [name]: null })}
            >
              <span class="captured">
                {name} {oneLine(value, 40)}
              </span>
              <Close />
            </button>
          )
        );
      })}
    </div>
  );
}

/** The test runs, the one that began last first, as they come and go on. */
export function TestRunsPage(): JSX.Element {
  const asked = useComputed(() => ({
    status: query.value.get("status") ?? "",
    branch: query.value.get("branch") ?? "",
    commit: query.value.get("commit") ?? "",
    pr: query.value.get("pr") ?? "",
  }));
  const rows = useMemo(() => createTestRunList(() => asked.peek()), []);
  const active = usePagedRows({
    pages: rows,
    asked: JSON.stringify(asked.value),
    what: "test run",
    href: (run) => `/test-runs/${run.short_id}`,
  });
  const now = useNow(rows.items.value.some(({ status }) => status === "running"));
  useEffect(() => rows.follow(), [rows]);
  return (
    <TablePage
      title="Test runs"
      isLoading={rows.state.value === "loading"}
      choices={<Choices />}
      aside={rows.isLive.value && <LiveDot />}
    >
      <TestRunTable
        pages={rows}
        active={active}
        isFiltered={Object.values(asked.value).some((value) => value !== "")}
        now={now}
      />
    </TablePage>
  );
}
