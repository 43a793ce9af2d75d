import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { errorText } from "../../api.ts";
import { query, setQuery } from "../../router.ts";
import { isNarrow } from "../../ui/media.ts";
import { SiteBar } from "../../ui/site-bar.tsx";
import { LiveDot, statusWord } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { notify } from "../../ui/toast.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { useRows } from "../../ui/use-rows.ts";
import { hasEnded, runsApi } from "./api.ts";
import { createRunList } from "./model.ts";
import { RunsTable, typeWord } from "./table.tsx";
import { useNow } from "./use-now.ts";

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
  const scenarios = useLoad("scenarios", (signal) => runsApi.scenarios(signal));
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
  const { pages, isLive, follow } = useMemo(() => createRunList(() => asked.peek()), []);
  const key = JSON.stringify(asked.value);
  const active = useRows({
    what: "run",
    count: () => pages.items.value.length,
    href: (index) => {
      const run = pages.items.value[index];
      return run && `/runs/${run.id}`;
    },
    onNearEnd: () => void pages.loadMore(),
  });
  const now = useNow(pages.items.value.some((run) => !hasEnded(run)));
  useEffect(() => {
    document.title = "Runs · Tracedeck";
    return follow((error) => notify(errorText(error), { isError: true }));
  }, [follow]);
  useEffect(() => {
    active.value = -1;
    void pages.load();
  }, [key]);
  return (
    <div class="page">
      <SiteBar aside={isLive.value && <LiveDot />}>{!isNarrow.value && <Choices />}</SiteBar>
      <main class="list-main" aria-busy={pages.state.value === "loading"}>
        <h1 class="hidden-text">Runs</h1>
        {isNarrow.value && (
          <div class="subbar">
            <Choices />
          </div>
        )}
        <RunsTable
          pages={pages}
          active={active}
          isFiltered={Object.values(asked.value).some((value) => value !== "")}
          now={now}
        />
      </main>
    </div>
  );
}
