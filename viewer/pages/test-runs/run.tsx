import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ApiError } from "../../api/request.ts";
import { navigate, query, setQuery } from "../../router.ts";
import { formatAgo, formatCount, formatWall, plural } from "../../ui/format.ts";
import { ChevronLeft } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keyboard.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { QuerySearch } from "../../ui/query-search.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { LiveDot } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useNow } from "../../ui/use-now.ts";
import { useRows } from "../../ui/use-rows.ts";
import type { TestOfRun, TestRun } from "./api.ts";
import { Causes } from "./causes.tsx";
import { FileTests } from "./files.tsx";
import {
  type FileGroup,
  groupByFile,
  isNarrowed,
  matches,
  type TestChoice,
  traceOf,
  valuesOf,
} from "./narrow-tests.ts";
import { Overview, Totals } from "./overview.tsx";
import { createTestRunModel, type TestRunModel } from "./run-model.ts";
import { runLength, runName } from "./run-parts.tsx";
import { CHANGES, OUTCOMES, RunStatus } from "./signs.tsx";

/** A suite of no more tests than these is shown open. */
const FEW = 60;

function readChoice(params: URLSearchParams): TestChoice {
  return {
    outcome: OUTCOMES.find((one) => one === params.get("outcome")) ?? "",
    change: CHANGES.find((one) => one === params.get("change")) ?? "",
    project: params.get("project") ?? "",
    tag: params.get("tag") ?? "",
    q: params.get("q")?.trim() ?? "",
  };
}

const CLEAR = { outcome: null, change: null, project: null, tag: null, q: null };

function Narrowing({ tests }: { tests: readonly TestOfRun[] }): JSX.Element {
  const kinds = [
    { name: "project", all: "All projects", values: valuesOf(tests, ({ project }) => [project]) },
    { name: "tag", all: "All tags", values: valuesOf(tests, ({ tags }) => tags) },
  ];
  return (
    <>
      {kinds.map(
        ({ name, all, values }) =>
          (values.length > 1 || query.value.get(name)) && (
            <select
              key={name}
              class="select"
              aria-label={name}
              value={query.value.get(name) ?? ""}
              onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
            >
              <option value="">{all}</option>
              {values.map((value) => (
                <option key={value} value={value}>
                  {oneLine(value, 60)}
                </option>
              ))}
            </select>
          ),
      )}
    </>
  );
}

/** The tests that are shown, by file, and which files are open. */
function useFiles(model: TestRunModel) {
  const toggled = useSignal<ReadonlySet<string>>(new Set());
  const choice = useComputed(() => readChoice(query.value));
  const groups = useComputed(() =>
    groupByFile(model.tests.value.filter((test) => matches(test, choice.value))),
  );
  const isOpen = (group: FileGroup): boolean => {
    const isUsual =
      isNarrowed(choice.value) ||
      model.tests.value.length <= FEW ||
      group.tests.some(({ outcome }) => outcome === "failed" || outcome === "flaky");
    return isUsual !== toggled.value.has(group.file);
  };
  const shown = useComputed(() => groups.value.flatMap((group) => (isOpen(group) ? group.tests : [])));
  return {
    choice,
    groups,
    shown,
    isOpen,
    toggle(file: string): void {
      const next = new Set(toggled.value);
      if (!next.delete(file)) next.add(file);
      toggled.value = next;
    },
  };
}

function Tests({
  model,
  files,
  chosen,
}: {
  model: TestRunModel;
  files: ReturnType<typeof useFiles>;
  chosen: ReadonlySignal<string | null>;
}): JSX.Element {
  const all = model.tests.value;
  const shown = files.groups.value.reduce((sum, group) => sum + group.tests.length, 0);
  const isNarrow = isNarrowed(files.choice.value);
  const totals = model.run.value?.totals;
  // A run that goes on may have told of more since.
  const total = Math.max(
    all.length,
    totals ? Object.values(totals).reduce((sum, count) => sum + count, 0) : 0,
  );
  return (
    <section class="run-tests" aria-label="Tests">
      <div class="run-part-head tests-head">
        <h2>
          Tests{" "}
          <span class="dim">
            {isNarrow ? `${formatCount(shown)} of ${formatCount(total)}` : formatCount(total)}
          </span>
        </h2>
        <QuerySearch label="Search tests" hint="Search titles and files   ( / )" />
        <Narrowing tests={all} />
        {isNarrow && (
          <button type="button" class="button" onClick={() => setQuery(CLEAR)}>
            Show all
          </button>
        )}
      </div>
      {shown === 0 && model.isLoaded.value && (
        <p class="dim run-none">{isNarrow ? "No test is like this." : "No test has been told of yet."}</p>
      )}
      {files.groups.value.map((group) => (
        <FileTests
          key={group.file}
          group={group}
          isOpen={files.isOpen(group)}
          onToggle={() => files.toggle(group.file)}
          chosen={chosen}
        />
      ))}
      {model.next.value !== null && (
        <p class="run-none">
          <button
            type="button"
            class="button"
            disabled={model.isLoadingMore.value}
            onClick={() => void model.loadMore()}
          >
            Show more tests
          </button>{" "}
          <span class="dim" role="status">
            {formatCount(all.length)} of {formatCount(total)} are here; searches look through these.
          </span>
        </p>
      )}
    </section>
  );
}

function Head({ run, now, name }: { run: TestRun | null; now: number; name: string }): JSX.Element {
  return (
    <div class="subbar scenario-title run-title">
      <a class="icon-link" href="/test-runs" aria-label="All test runs" title="All test runs">
        <ChevronLeft />
      </a>
      {run && <RunStatus status={run.status} />}
      <h1 class="ellipsis captured">{name}</h1>
      {run?.status === "running" && <LiveDot />}
      <span class="bar-space" />
      {run && (
        <span class="num dim" title={formatWall(run.started_at)}>
          {runLength(run, now)}, {formatAgo(run.started_at, now)}
        </span>
      )}
    </div>
  );
}

/** One test run: what failed and whether that is new, then every test. Followed while it goes on. */
export function TestRunPage({ shortId }: { shortId: string }): JSX.Element {
  const model = useMemo(() => createTestRunModel(shortId), [shortId]);
  useEffect(() => model.follow(), [model]);
  const run = model.run.value;
  const error = model.error.value;
  const name = run ? runName(run) : "Test run";
  const failed = run?.totals.failed ?? 0;
  useEffect(() => {
    document.title = `${failed > 0 ? `${plural(failed, "failure")} · ` : ""}${name} · Tracedeck`;
  }, [name, failed]);
  const now = useNow(run?.status === "running");
  const files = useFiles(model);
  const active = useRows({
    what: "test",
    count: () => files.shown.value.length,
    href: (index) => {
      const test = files.shown.value[index];
      const trace = test && traceOf(test);
      return trace ? `/traces/${trace}` : undefined;
    },
  });
  const chosen = useComputed(() => files.shown.value[active.value]?.id ?? null);
  useKeys([
    {
      keys: ["f"],
      label: "Show failed tests only, or all",
      group: "Test run",
      run: () => {
        setQuery({ outcome: query.value.get("outcome") === "failed" ? null : "failed" });
        return true;
      },
    },
    {
      keys: ["b"],
      label: "Open the run before on this branch",
      group: "Test run",
      run: () => {
        if (run?.previous_id) navigate(`/test-runs/${run.previous_id}`);
        return Boolean(run?.previous_id);
      },
    },
  ]);
  const body = (): JSX.Element => {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Message title="There is no such test run.">
          <a href="/test-runs">All test runs</a>
        </Message>
      );
    if (error) return <Failed error={error} retry={() => void model.load()} />;
    if (!run) return <Loading label="Loading the test run" />;
    return (
      <div class="test-run-body">
        <div class="test-run-main">
          <Totals run={run} tests={model.tests.value} isPartial={model.next.value !== null} />
          {!isNarrowed(files.choice.value) && (
            <Causes causes={model.causes.value} tests={model.tests.value} />
          )}
          {model.isLoaded.value ? (
            <Tests model={model} files={files} chosen={chosen} />
          ) : (
            <Loading label="Loading the tests" />
          )}
        </div>
        <Overview run={run} tests={model.tests.value} />
      </div>
    );
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main">
        <Head run={run} now={now} name={name} />
        {body()}
      </main>
    </div>
  );
}
