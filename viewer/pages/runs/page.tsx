import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { hasEnded } from "../../api/answers.ts";
import { query, setQuery } from "../../router.ts";
import { LiveDot, statusWord } from "../../ui/status.tsx";
import { TablePage } from "../../ui/table-page.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { usePagedRows } from "../../ui/use-rows.ts";
import { runsApi } from "./api.ts";
import { createRunList } from "./model.ts";
import { RunsTable, typeWord } from "./table.tsx";

const STATUSES = ["queued", "running", "passed", "failed", "error", "aborted"] as const;
const TYPES = ["manual", "pr", "schedule", "shadow_diff"] as const;

function Choice(props: {
  name: string;
  label: string;
  all: string;
  options: readonly (readonly [value: string, word: string])[];
}): JSX.Element {
  const value = query.value.get(props.name) ?? "";
  const isKnown = value === "" || props.options.some(([one]) => one === value);
  return (
    <select
      class="select"
      aria-label={props.label}
      value={value}
      onChange={(event) => setQuery({ [props.name]: event.currentTarget.value })}
    >
      <option value="">{props.all}</option>
      {!isKnown && <option value={value}>{oneLine(value, 64)}</option>}
      {props.options.map(([one, word]) => (
        <option key={one} value={one}>
          {word}
        </option>
      ))}
    </select>
  );
}

function Choices(): JSX.Element {
  const scenarios = useLoad("scenarios", (signal) => runsApi.allScenarios(signal));
  const known = scenarios.data?.items ?? [];
  return (
    <div class="period">
      <Choice
        name="status"
        label="Status"
        all="Any status"
        options={STATUSES.map((status) => [status, statusWord(status)])}
      />
      <Choice name="type" label="Type" all="Any type" options={TYPES.map((type) => [type, typeWord(type)])} />
      <Choice
        name="scenario"
        label="Scenario"
        all="Any scenario"
        options={known.map(({ slug, title }) => [slug, oneLine(title || slug, 64)])}
      />
    </div>
  );
}

/** The runs of scenarios, newest first, as they come and change. */
export function RunsPage(): JSX.Element {
  const asked = useComputed(() => ({
    status: query.value.get("status") ?? "",
    type: query.value.get("type") ?? "",
    scenario: query.value.get("scenario") ?? "",
  }));
  const rows = useMemo(() => createRunList(() => asked.peek()), []);
  const active = usePagedRows({
    pages: rows,
    asked: JSON.stringify(asked.value),
    what: "run",
    href: (run) => `/runs/${run.id}`,
  });
  const now = useNow(rows.items.value.some((run) => !hasEnded(run)));
  useEffect(() => rows.follow(), [rows]);
  return (
    <TablePage
      title="Runs"
      isLoading={rows.state.value === "loading"}
      choices={<Choices />}
      aside={rows.isLive.value && <LiveDot />}
    >
      <RunsTable
        pages={rows}
        active={active}
        isFiltered={Object.values(asked.value).some((value) => value !== "")}
        now={now}
      />
    </TablePage>
  );
}
