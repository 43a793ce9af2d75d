import type { JSX } from "preact";
import { query, setQuery } from "../../router.ts";
import { formatDuration, formatWall } from "../../ui/format.ts";
import { External } from "../../ui/icons.tsx";
import { oneLine } from "../../ui/text.ts";
import type { Change, TestOfRun, TestRun } from "./api.ts";
import { slowest, traceOf } from "./narrow-tests.ts";
import { Commit } from "./run-parts.tsx";
import { CHANGES, changeWord, OUTCOMES, outcomeTone, outcomeWord, RunStatus, TotalsBar } from "./signs.tsx";
import { TestTitle } from "./test-row.tsx";

const MOST_SLOW = 5;

/** How many tests have each outcome and what changed; each count narrows the tests to its own. */
export function Totals({
  run,
  tests,
  isPartial,
}: {
  run: TestRun;
  tests: readonly TestOfRun[];
  /** The run has more tests than these, so that what changed may be more too. */
  isPartial: boolean;
}): JSX.Element {
  const outcome = query.value.get("outcome");
  const change = query.value.get("change");
  const changed = (one: Change): number => tests.filter((test) => test.change === one).length;
  return (
    <div class="totals">
      <TotalsBar totals={run.totals} />
      <div class="totals-chips">
        {OUTCOMES.filter((one) => run.totals[one] > 0).map((one) => (
          <button
            key={one}
            type="button"
            class={`totals-chip ${outcomeTone(one)}`}
            aria-pressed={outcome === one}
            onClick={() => setQuery({ outcome: outcome === one ? null : one })}
          >
            <b>{run.totals[one]}</b> {outcomeWord(one)}
          </button>
        ))}
        {CHANGES.filter((one) => changed(one) > 0).map((one, at) => (
          <button
            key={one}
            type="button"
            class={`totals-chip is-change${at === 0 ? " is-first" : ""}`}
            aria-pressed={change === one}
            onClick={() => setQuery({ change: change === one ? null : one })}
          >
            <b>{isPartial ? `${changed(one)}+` : changed(one)}</b> {changeWord(one)}
          </button>
        ))}
      </div>
    </div>
  );
}

function Facts({ run }: { run: TestRun }): JSX.Element {
  const list = (name: string, value: string): string =>
    `/test-runs?${new URLSearchParams({ [name]: value })}`;
  const rows: (readonly [string, JSX.Element | string | null])[] = [
    [
      "Branch",
      run.branch && (
        <a class="captured" href={list("branch", run.branch)}>
          {oneLine(run.branch, 200)}
        </a>
      ),
    ],
    ["Commit", run.commit_sha && <a href={list("commit", run.commit_sha)}>{<Commit run={run} />}</a>],
    [
      "Pull request",
      run.pr_number === null ? null : <a href={list("pr", String(run.pr_number))}>#{run.pr_number}</a>,
    ],
    ["CI run", run.ci && <CiRun ci={run.ci} />],
    ["Began", formatWall(run.started_at)],
    [
      "Run before",
      run.previous_id && (
        <a href={`/test-runs/${run.previous_id}`} title="( b )">
          {run.branch ? "on this branch" : "of this name"}
        </a>
      ),
    ],
  ];
  return (
    <dl class="run-facts">
      {rows.map(
        ([name, value]) =>
          value !== null &&
          value !== "" && (
            <div key={name}>
              <dt class="dim">{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function CiRun({ ci }: { ci: NonNullable<TestRun["ci"]> }): JSX.Element {
  const words = oneLine(`${ci.provider} ${ci.run_id}`, 60);
  if (!ci.url || !/^https?:\/\//.test(ci.url)) return <span class="captured">{words}</span>;
  return (
    <a class="captured" href={ci.url} target="_blank" rel="noreferrer noopener">
      {words} <External />
    </a>
  );
}

function Shards({ run }: { run: TestRun }): JSX.Element | null {
  if (run.shards.length === 0) return null;
  const total = Math.max(...run.shards.map((shard) => shard.total));
  return (
    <section aria-label="Shards">
      <h2 class="run-part-head">
        Shards <span class="dim">{total}</span>
      </h2>
      <ul class="shards">
        {Array.from({ length: total }, (_, at) => at + 1).map((index) => {
          const shard = run.shards.find((one) => one.index === index);
          return (
            <li key={index}>
              <span class="num dim">{index}</span>
              {shard ? <RunStatus status={shard.status} /> : <span class="dim">not heard of yet</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Slowest({ tests }: { tests: readonly TestOfRun[] }): JSX.Element | null {
  const slow = slowest(tests, MOST_SLOW);
  if (slow.length === 0) return null;
  return (
    <section aria-label="Slowest tests">
      <h2 class="run-part-head">Slowest tests</h2>
      <ol class="slow-tests">
        {slow.map((test) => {
          const trace = traceOf(test);
          const title = (
            <span class="captured">
              <TestTitle test={test} />
            </span>
          );
          return (
            <li key={test.id}>
              {trace ? (
                <a class="ellipsis" href={`/traces/${trace}`}>
                  {title}
                </a>
              ) : (
                <span class="ellipsis">{title}</span>
              )}
              <span class="num dim">{formatDuration(test.duration_ms)}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** What is known of the run besides its tests. */
export function Overview({ run, tests }: { run: TestRun; tests: readonly TestOfRun[] }): JSX.Element {
  return (
    <aside class="test-run-aside">
      <Facts run={run} />
      <Shards run={run} />
      <Slowest tests={tests} />
    </aside>
  );
}
