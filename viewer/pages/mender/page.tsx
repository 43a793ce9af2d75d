import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { query, setQuery } from "../../router.ts";
import { Close } from "../../ui/icons.tsx";
import { createPages } from "../../ui/pages.ts";
import { TablePage } from "../../ui/table-page.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { type AttemptAnswer, menderApi } from "./api.ts";
import { STATUSES, statusWord } from "./signs.tsx";
import { AttemptTable } from "./table.tsx";

const PAGE = 100;
const LOOK_EVERY_MS = 3000;

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

/** What was made of failures, newest first. */
export function MenderPage(): JSX.Element {
  const asked = useComputed(() => ({
    status: query.value.get("status") ?? "",
    scenario: query.value.get("scenario") ?? "",
  }));
  const rows = useMemo(
    () =>
      createPages<AttemptAnswer>(
        (cursor, signal) =>
          menderApi.list({ ...asked.peek(), limit: PAGE, cursor: cursor ?? undefined }, signal),
        ({ id }) => id,
      ),
    [],
  );
  const active = usePagedRows({
    pages: rows,
    asked: JSON.stringify(asked.value),
    what: "fix",
    href: (attempt) => `/mender/${attempt.id}`,
  });
  const isUnderWay = rows.items.value.some(({ stage }) => stage !== "ended");
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => void rows.refresh(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, rows]);
  useEffect(() => () => rows.stop(), [rows]);
  const now = useNow(false);
  return (
    <TablePage title="Fixes" isLoading={rows.state.value === "loading"} choices={<Choices />}>
      <AttemptTable
        pages={rows}
        active={active}
        isFiltered={Object.values(asked.value).some((value) => value !== "")}
        now={now}
      />
    </TablePage>
  );
}
