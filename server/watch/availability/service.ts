import { findSlo } from "../../../store/records/check-slos.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../http/errors.ts";
import type { Actor } from "../../identity/actor.ts";
import { toIso } from "../../platform/clock.ts";
import { requireCheck } from "../checks/service.ts";
import { addSums, HOUR_MS, noSums, type Sums } from "./hours.ts";
import {
  type Availability,
  type AvailabilityQuery,
  BURN_WINDOWS,
  type Figures,
  type Point,
  type SloAnswer,
  WINDOWS,
} from "./model.ts";
import { type Part, readRecent, readWindow } from "./read.ts";
import { percentilesOf } from "./sketch.ts";

const DAY_MS = 24 * HOUR_MS;

/**
 * How long a check was up, down, or neither, and how long its runs took: in each region and in all together, whole and in parts.
 * @throws AppError `not_found`, `wrong_org`
 */
export async function showAvailability(
  deps: Deps,
  actor: Pick<Actor, "orgId">,
  id: string,
  { days = "7" }: AvailabilityQuery,
): Promise<Availability> {
  const check = await requireCheck(deps, actor, id);
  const now = deps.clock.now();
  const partHours = WINDOWS[days];
  const known = await readWindow(deps.store.records, check, { days: Number(days), partHours, now });
  const regions = known.regions.map(({ region, parts }) => ({ region, ...told(parts) }));
  const all =
    known.regions[0]?.parts.map((_, at) => together(known.regions.map(({ parts }) => parts[at]!))) ?? [];
  return {
    check_id: check.id,
    from: toIso(known.from),
    to: toIso(known.to),
    point_seconds: (partHours * HOUR_MS) / 1000,
    is_whole: known.isWhole,
    total: told(all),
    regions,
  };
}

/** A part of the window with how long it is, of one region or of several. */
type Sized = Part & { length: number };

const sized = (part: Part | Sized): Sized => ({ length: part.to - part.from, ...part });

function together(parts: readonly Part[]): Sized {
  const [first] = parts;
  const whole: Sized = { from: first!.from, to: first!.to, sums: noSums(), rest: 0, length: 0 };
  for (const part of parts.map(sized)) {
    addSums(whole.sums, part.sums);
    whole.rest += part.rest;
    whole.length += part.length;
  }
  return whole;
}

function told(parts: readonly (Part | Sized)[]): Figures & { points: Point[] } {
  const points = parts.map(sized);
  const totals = points.map(split);
  const sums = noSums();
  for (const point of points) addSums(sums, point.sums);
  const add = (key: keyof Split) => totals.reduce((sum, one) => sum + one[key], 0);
  return {
    ...figuresOf(sums, { maintenance: add("maintenance"), paused: add("paused"), noData: add("noData") }),
    points: points.map((point, at) => ({ at: toIso(point.from), ...figuresOf(point.sums, totals[at]!) })),
  };
}

interface Split {
  maintenance: number;
  paused: number;
  noData: number;
}

/** The time that is neither up nor down: what rests is paused, the next is maintenance, and of the rest nothing is known. */
function split({ sums, rest, length }: Sized): Split {
  const left = Math.max(0, length - sums.up - sums.down);
  const paused = Math.min(rest, left);
  const maintenance = Math.min(sums.maintenance, left - paused);
  return { paused, maintenance, noData: left - paused - maintenance };
}

function figuresOf(sums: Sums, { maintenance, paused, noData }: Split): Figures {
  const [p50_ms, p95_ms, p99_ms] = percentilesOf(sums.durations, [50, 95, 99]);
  return {
    availability_percent: percentOf(sums),
    ...{ up_ms: sums.up, down_ms: sums.down },
    ...{ maintenance_ms: maintenance, paused_ms: paused, no_data_ms: noData },
    ...{ passed: sums.passed, failed: sums.failed, errors: sums.errors },
    ...{ p50_ms: p50_ms!, p95_ms: p95_ms!, p99_ms: p99_ms! },
  };
}

/** To a hundred-thousandth: five nines are told from six. */
function percentOf({ up, down }: Pick<Sums, "up" | "down">): number | null {
  return up + down === 0 ? null : rounded((100 * up) / (up + down), 5);
}

const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;

/**
 * What is left of what a check may fail, and how fast it goes: the budget is the part of the measured time that is not promised, so that it
 * is used up exactly when the availability is below its target.
 * @throws AppError `not_found` also without an SLO, `wrong_org`
 */
export async function showSlo(deps: Deps, actor: Pick<Actor, "orgId">, id: string): Promise<SloAnswer> {
  const check = await requireCheck(deps, actor, id);
  const { records } = deps.store;
  const slo = await findSlo(records, check.id);
  if (!slo)
    throw new AppError(
      "not_found",
      'The check has no SLO: PUT /v1/scheduled_checks/{id} sets one, such as {"slo": {"target_percent": 99.9, "window_days": 28}}.',
    );
  const now = deps.clock.now();
  const known = await readWindow(records, check, { days: slo.window_days, partHours: 1, now });
  const recent = await readRecent(records, check, { from: now - 6 * HOUR_MS, to: now });
  const of = (parts: readonly Part[], from: number) => {
    const sums = noSums();
    for (const part of parts) if (part.to > from) addSums(sums, part.sums);
    return sums;
  };
  const all = known.regions.flatMap(({ parts }) => parts);
  const sums = of(all, known.from);
  const allowed = 1 - slo.target_percent / 100;
  const total = (sums.up + sums.down) * allowed;
  const left = total === 0 ? null : 1 - sums.down / total;
  const burn_rates = BURN_WINDOWS.map(({ hours, limit }) => {
    const since = now - hours * HOUR_MS;
    const { up, down } = hours <= 6 ? recent(since) : of(all, since);
    return { hours, limit, rate: up + down === 0 ? null : rounded(down / (up + down) / allowed, 2) };
  });
  const burning = BURN_WINDOWS.find(({ limit }, at) => (burn_rates[at]!.rate ?? 0) >= limit);
  const pace = burn_rates.at(-1)!.rate ?? 0;
  return {
    check_id: check.id,
    slo,
    ...{ from: toIso(known.from), to: toIso(now) },
    state: left === null ? "no_data" : left <= 0 ? "exhausted" : (burning?.state ?? "ok"),
    availability_percent: percentOf(sums),
    measured_ms: sums.up + sums.down,
    budget: {
      ...{ total_ms: Math.round(total), spent_ms: sums.down, left_ms: Math.round(total) - sums.down },
      left_percent: left === null ? null : rounded(left * 100, 2),
    },
    burn_rates,
    exhausted_at:
      left !== null && left > 0 && pace > 1
        ? toIso(Math.round(now + (left * slo.window_days * DAY_MS) / pace))
        : null,
    regions: known.regions.map(({ region, parts }) => {
      const own = of(parts, known.from);
      return { region, availability_percent: percentOf(own), down_ms: own.down };
    }),
  };
}
