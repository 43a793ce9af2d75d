import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { query, setQuery } from "../../router.ts";
import { LiveDot } from "../../ui/status.tsx";
import { TablePage } from "../../ui/table-page.tsx";
import { useNow } from "../../ui/use-now.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { createPullRequestList } from "./list-model.ts";
import { PullRequestTable } from "./table.tsx";

function Choices(): JSX.Element {
  return (
    <div class="period">
      <select
        class="select"
        aria-label="State"
        value={query.value.get("state") ?? ""}
        onChange={(event) => setQuery({ state: event.currentTarget.value })}
      >
        <option value="">Any state</option>
        <option value="open">Open</option>
        <option value="closed">Closed</option>
      </select>
    </div>
  );
}

/** Pull requests with what their newest gate found, those with news first. */
export function PullRequestsPage(): JSX.Element {
  const asked = useComputed(() => ({
    state: query.value.get("state") ?? "",
    repo: query.value.get("repo") ?? "",
  }));
  const rows = useMemo(() => createPullRequestList(() => asked.peek()), []);
  const active = usePagedRows({
    pages: rows,
    asked: JSON.stringify(asked.value),
    what: "pull request",
    href: ({ id }) => `/pull-requests/${id}`,
  });
  const now = useNow(false);
  useEffect(() => rows.follow(), [rows]);
  return (
    <TablePage
      title="Pull requests"
      isLoading={rows.state.value === "loading"}
      choices={<Choices />}
      aside={rows.isLive.value && <LiveDot />}
    >
      <PullRequestTable
        pages={rows}
        active={active}
        isFiltered={Object.values(asked.value).some((value) => value !== "")}
        now={now}
      />
    </TablePage>
  );
}
