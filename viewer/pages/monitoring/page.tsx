import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Cell, CellStatus, Grid } from "../../../server/watch/grid/model.ts";
import { getJson } from "../../api/request.ts";
import { useSignIn } from "../../ui/failing.ts";
import { formatAgo, formatDuration } from "../../ui/format.ts";
import { Failed, Loading, Message } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useNow } from "../../ui/use-now.ts";
import { WatchFirst } from "../../ui/watch-first.tsx";
import { CellStatusSign, cellWord, HistoryStrip } from "./strip.tsx";

const FRESH_MS = 15_000;
/** The worst first. */
const ORDER: CellStatus[] = ["failing", "degraded", "suppressed", "no_data", "running", "paused", "passing"];

/** Broken scenarios stand on top; the others keep their places, whatever runs at the moment. */
function brokenFirst({ scenarios, cells }: Grid): Grid["scenarios"] {
  const rank = new Map<string, number>();
  for (const { scenario_id, status } of cells) {
    const own = status === "failing" ? 0 : status === "degraded" ? 1 : 2;
    rank.set(scenario_id, Math.min(own, rank.get(scenario_id) ?? 2));
  }
  return scenarios.toSorted((one, other) => (rank.get(one.id) ?? 2) - (rank.get(other.id) ?? 2));
}

const hrefOf = ({ incident_id, last_run_id }: Cell): string | null => {
  if (incident_id !== null) return `/incidents/${incident_id}`;
  return last_run_id === null ? null : `/runs/${last_run_id}`;
};

function CellBox({ cell, now }: { cell: Cell; now: number }): JSX.Element {
  const href = hrefOf(cell);
  const { status, region, p50_ms, p99_ms, last_run_at } = cell;
  return (
    <li class="grid-cell">
      <span class="grid-region dim">{region}</span>
      <span class="grid-cell-top">
        {href === null ? (
          <CellStatusSign status={status} />
        ) : (
          <a href={href} class="grid-link">
            <CellStatusSign status={status} />
            <span class="hidden-text">
              in {region}: {cell.incident_id === null ? "its last run" : "its incident"}
            </span>
          </a>
        )}
        {last_run_at !== null && <time class="dim num">{formatAgo(last_run_at, now)}</time>}
      </span>
      <HistoryStrip history={cell.history} />
      <span class="grid-latency dim num">
        {p50_ms === null || p99_ms === null
          ? "No pass yet"
          : `p50 ${formatDuration(p50_ms)} · p99 ${formatDuration(p99_ms)}`}
      </span>
    </li>
  );
}

function Matrix({ grid, now }: { grid: Grid; now: number }): JSX.Element {
  const byScenario = Map.groupBy(grid.cells, ({ scenario_id }) => scenario_id);
  return (
    <div class="grid-scroll">
      <div class="grid-rows" style={{ "--regions": String(grid.regions.length) }}>
        <div class="grid-row grid-head" aria-hidden="true">
          <span>Scenario</span>
          {grid.regions.map((region) => (
            <span key={region}>{region}</span>
          ))}
        </div>
        {brokenFirst(grid).map(({ id, slug, title }) => {
          const cells = new Map(byScenario.get(id)?.map((cell) => [cell.region, cell]));
          return (
            <section key={id} class="grid-row">
              <h2>
                <a class="captured" href={`/checks?scenario=${slug}`}>
                  {oneLine(title || slug, 120)}
                </a>
              </h2>
              <ul class="grid-cells" aria-label={oneLine(title || slug, 120)}>
                {grid.regions.map((region) => {
                  const cell = cells.get(region);
                  return cell ? (
                    <CellBox key={region} cell={cell} now={now} />
                  ) : (
                    <li key={region} class="grid-cell is-empty dim">
                      <span class="grid-region">{region}</span>Not watched
                    </li>
                  );
                })}
              </ul>
            </section>
          );
        })}
      </div>
    </div>
  );
}

function Totals({ cells }: { cells: readonly Cell[] }): JSX.Element {
  const counted = ORDER.map((status) => ({
    status,
    count: cells.filter((cell) => cell.status === status).length,
  })).filter(({ count }) => count > 0);
  return (
    <ul class="grid-totals" aria-label="How many are how">
      {counted.map(({ status, count }) => (
        <li key={status} title={cellWord(status)}>
          <CellStatusSign status={status} /> <strong class="num">{count}</strong>
        </li>
      ))}
    </ul>
  );
}

/** Every watched scenario in each of its regions: how it is, how its last runs ended, and how long they take. */
export function MonitoringPage(): JSX.Element {
  const revision = useSignal(0);
  const { data, error } = useLoad(
    "grid",
    (signal) => getJson<Grid>("/v1/monitoring/grid", signal),
    revision.value,
  );
  const now = useNow(true);
  useSignIn(error);
  useEffect(() => {
    document.title = "Grid · Tracedeck";
    const timer = setInterval(() => (revision.value += 1), FRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const body = (): JSX.Element => {
    if (error) return <Failed error={error} retry={() => (revision.value += 1)} />;
    if (!data) return <Loading label="Loading the grid" />;
    if (data.cells.length === 0)
      return (
        <Message title="Nothing is watched.">
          <p>
            Open a <a href="/scenarios">scenario</a> and choose Watch: it then runs by the clock, and stands
            here.
          </p>
          <WatchFirst />
        </Message>
      );
    return <Matrix grid={data} now={now} />;
  };
  return (
    <div class="page">
      <SiteBar />
      <main class="list-main" aria-busy={data === null && error === null}>
        <div class="subbar grid-bar">
          <h1>Grid</h1>
          {data && <Totals cells={data.cells} />}
        </div>
        {body()}
      </main>
    </div>
  );
}
