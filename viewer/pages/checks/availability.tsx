import type { JSX } from "preact";
import type { Availability, Figures, Point } from "../../../server/watch/availability/model.ts";
import { query, setQuery } from "../../router.ts";
import { formatDuration, formatWall, percentDigits, plural } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { checksApi } from "./api.ts";
import { LatencyChart } from "./latency-chart.tsx";
import { Part } from "./parts.tsx";

const DAYS = [
  { value: "1", label: "Last 24 hours", part: "an hour" },
  { value: "7", label: "Last 7 days", part: "an hour" },
  { value: "30", label: "Last 30 days", part: "6 hours" },
  { value: "90", label: "Last 90 days", part: "a day" },
] as const;
export type Days = (typeof DAYS)[number]["value"];
const USUAL: Days = "7";

/** Times of a state, by what they are called; what is neither up nor down comes after. */
const STATES = [
  { key: "up_ms", word: "up" },
  { key: "down_ms", word: "down" },
  { key: "maintenance_ms", word: "maintenance" },
  { key: "paused_ms", word: "paused" },
  { key: "no_data_ms", word: "no data" },
] as const;

/** Never more than it was: whoever promised 99.9 % has not kept it with 99.89 %. */
export function percentText(percent: number | null): string {
  if (percent === null) return "–";
  const places = percent > 99.99 ? 4 : percent > 99 ? 3 : 2;
  return `${percentDigits(percent, places, Math.floor)} %`;
}

const stateWords = (figures: Figures): string =>
  STATES.filter(({ key }) => figures[key] > 0)
    .map(({ key, word }) => `${word} ${formatDuration(figures[key])}`)
    .join(" · ");

const HEIGHT = 24;
const MOST_WITH_GAPS = 120;

/** What each part of the window was, in layers from below: up, down, maintenance, paused. Where nothing was known lies a dot. */
function Strip({ of, figures }: { of: string; figures: Figures & { points: Point[] } }): JSX.Element {
  const { points } = figures;
  // Where bars are thin, gaps between them would be a haze.
  const gap = points.length > MOST_WITH_GAPS ? 0 : 0.16;
  return (
    <svg
      class="availability-strip"
      role="img"
      aria-label={`${of}: ${percentText(figures.availability_percent)} up; ${stateWords(figures)}`}
      viewBox={`0 0 ${points.length} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {points.map((point, at) => (
        <g key={point.at}>
          <title>{`${formatWall(point.at)}: ${percentText(point.availability_percent)} up; ${stateWords(point)}`}</title>
          <rect class="is-ground" x={at} y={0} width={1} height={HEIGHT} />
          {layersOf(point).map(({ word, y, height }) => (
            <rect key={word} class={`is-${word}`} x={at + gap / 2} y={y} width={1 - gap} height={height} />
          ))}
        </g>
      ))}
    </svg>
  );
}

/** A failure is seen however short it was. */
function layersOf(point: Point): { word: string; y: number; height: number }[] {
  const drawn = STATES.slice(0, 4);
  const whole = STATES.reduce((sum, { key }) => sum + point[key], 0);
  const heights = drawn.map(({ key }) =>
    point[key] === 0 || whole === 0 ? 0 : Math.max(key === "down_ms" ? 4 : 1, (point[key] / whole) * HEIGHT),
  );
  const scale = Math.min(
    1,
    HEIGHT /
      Math.max(
        1,
        heights.reduce((sum, height) => sum + height, 0),
      ),
  );
  let y = HEIGHT;
  return drawn.flatMap(({ word }, index) => {
    const height = heights[index]! * scale;
    y -= height;
    return height > 0 ? [{ word, y, height }] : [];
  });
}

function Line({ name, figures }: { name: string; figures: Figures & { points: Point[] } }): JSX.Element {
  return (
    <li class="availability-line">
      <span class="ellipsis captured">{name}</span>
      <Strip of={name} figures={figures} />
      <strong class="num">{percentText(figures.availability_percent)}</strong>
    </li>
  );
}

/** How a check fared over a window: how long it was up in each region, and how long its runs took. Window and region stand in the address. */
export function CheckAvailability({ id, revision }: { id: string; revision: number }): JSX.Element {
  const days =
    DAYS.find(({ value }) => value === query.value.get("days")) ?? DAYS.find(({ value }) => value === USUAL)!;
  const { data, error } = useLoad(
    `${id} ${days.value}`,
    (signal) => checksApi.availability(id, days.value, signal),
    revision,
  );
  return (
    <>
      <Part
        title="Availability"
        more={
          <select
            class="select"
            aria-label="Window"
            value={days.value}
            onChange={({ currentTarget }) =>
              setQuery(
                { days: currentTarget.value === USUAL ? null : currentTarget.value },
                { replace: true },
              )
            }
          >
            {DAYS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        }
      >
        {error ? (
          <Failed error={error} />
        ) : data ? (
          <Lines data={data} part={days.part} />
        ) : (
          <Loading label="Loading the history" />
        )}
      </Part>
      {data && <Latency data={data} />}
    </>
  );
}

function Lines({ data, part }: { data: Availability; part: string }): JSX.Element {
  const { total, regions } = data;
  if (total.points.length === 0)
    return <p class="dim latency-empty">It was made just now: its first run comes at its next fire.</p>;
  return (
    <div class="availability">
      <ul class="availability-lines" aria-label="Regions">
        {regions.length > 1 && <Line name="All regions" figures={total} />}
        {regions.map(({ region, ...figures }) => (
          <Line key={region} name={region} figures={figures} />
        ))}
      </ul>
      <p class="availability-legend dim">
        {STATES.filter(({ key }) => total[key] > 0).map(({ key, word }) => (
          <span key={key} class="availability-sign">
            <span class={`availability-swatch is-${word.replace(" ", "-")}`} aria-hidden="true" />
            {word} <span class="num">{formatDuration(total[key])}</span>
          </span>
        ))}
      </p>
      <p class="dim">
        Each bar is {part}
        {regions.length > 1 && `, and times are those of ${regions.length} regions together`}. Only up and
        down count; {plural(total.passed, "run")} passed, {total.failed} failed
        {total.errors > 0 && `, ${total.errors} could not be made`}.
        {!data.is_whole && " The newest results are still being added up."}
      </p>
    </div>
  );
}

function Latency({ data }: { data: Availability }): JSX.Element {
  const { regions, total } = data;
  const wanted = query.value.get("region");
  const shown = regions.find(({ region }) => region === wanted);
  const figures = shown ?? total;
  return (
    <Part
      title="How long passed runs took"
      more={
        regions.length > 1 && (
          <select
            class="select"
            aria-label="Region"
            value={shown?.region ?? ""}
            onChange={({ currentTarget }) =>
              setQuery({ region: currentTarget.value || null }, { replace: true })
            }
          >
            <option value="">All regions</option>
            {regions.map(({ region }) => (
              <option key={region} value={region}>
                {region}
              </option>
            ))}
          </select>
        )
      }
    >
      <LatencyChart figures={figures} />
      <History points={figures.points} />
    </Part>
  );
}

/** The same for readers who cannot see the pictures, and for those who want the figures. */
function History({ points }: { points: readonly Point[] }): JSX.Element {
  const ms = (value: number | null) => (value === null ? "–" : formatDuration(value));
  return (
    <details class="availability-table">
      <summary>As a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
      <div class="availability-scroll" tabIndex={0} role="region" aria-label="History">
        <table>
          <thead>
            <tr>
              {["From", "Up of measured", "Down", "No data", "Runs", "p50", "p95", "p99"].map((word) => (
                <th key={word} scope="col">
                  {word}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map((point) => (
              <tr key={point.at}>
                <th scope="row">{formatWall(point.at)}</th>
                <td>{percentText(point.availability_percent)}</td>
                <td>{formatDuration(point.down_ms)}</td>
                <td>{formatDuration(point.no_data_ms)}</td>
                <td>{point.passed + point.failed}</td>
                <td>{ms(point.p50_ms)}</td>
                <td>{ms(point.p95_ms)}</td>
                <td>{ms(point.p99_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
