import type { AlertPolicy } from "../../../../server/watch/policy.ts";

/** A run of a region; `at` is epoch ms, later than that of the run before. */
export interface Run {
  at: number;
  region: string;
  isSuccess: boolean;
}

interface Open {
  region: string;
  from: number;
  inOutage: boolean;
}
interface Waiting {
  about: string;
  due: number;
}

/**
 * What a check's runs should come to, said as simply as it can be: no suppression, no maintenance, failures alone. `incidents` are
 * `region from-to`, `told` are `at event region`.
 */
export function expected(policy: AlertPolicy, regions: number, runs: readonly Run[]) {
  const incidents: string[] = [];
  const told: string[] = [];
  const known = new Set<string>();
  const history: Record<string, Run[]> = {};
  let open: Open[] = [];
  let outage: number | null = null;
  let waiting: Waiting[] = [];

  const tell = (before: number) => {
    for (const { about, due } of waiting.filter((one) => one.due < before)) {
      told.push(`${due} incident.opened ${about}`);
      known.add(about);
    }
    waiting = waiting.filter((one) => one.due >= before);
  };
  const end = (about: string, from: number, at: number) => {
    incidents.push(`${about} ${from}-${at}`);
    waiting = waiting.filter((one) => one.about !== about);
    if (known.delete(about)) told.push(`${at} incident.resolved ${about}`);
  };
  const fires = (all: Run[], at: number): boolean => {
    const { consecutive_failures: many, failure_rate: rate } = policy;
    if (many !== null && all.length >= many && all.slice(-many).every((run) => !run.isSuccess)) return true;
    if (rate === null) return false;
    const window = all.filter((run) => at - run.at < rate.window_minutes * 60_000);
    const share = window.filter((run) => !run.isSuccess).length / window.length;
    return window.length >= rate.min_samples && share >= rate.percent / 100;
  };

  for (const run of runs) {
    const { at, region, isSuccess } = run;
    tell(at);
    const all = [...(history[region] ?? []), run];
    history[region] = all;
    const mine = open.find((one) => one.region === region);
    if (mine && all.at(-1)!.isSuccess && all.at(-2)?.isSuccess) {
      open = open.filter((one) => one !== mine);
      history[region] = [];
      end(region, mine.from, at);
      if (mine.inOutage && outage !== null && !open.some((one) => one.inOutage)) {
        end("global", outage, at);
        outage = null;
      }
    }
    if (mine || isSuccess || !fires(all, at)) continue;
    open.push({ region, from: at, inOutage: outage !== null });
    if (outage !== null) continue;
    waiting.push({ about: region, due: at + (regions < 3 ? 30_000 : 60_000) });
    const group = open.filter((one) => !one.inOutage && at - one.from <= 60_000);
    if (group.length < 3) continue;
    outage = at;
    for (const one of group) one.inOutage = true;
    const theirs = waiting.filter(({ about }) => group.some((one) => one.region === about));
    waiting = waiting.filter((one) => !theirs.includes(one));
    waiting.push({ about: "global", due: Math.max(at, Math.min(...theirs.map(({ due }) => due))) });
  }
  tell(Number.POSITIVE_INFINITY);
  for (const { region, from } of open) incidents.push(`${region} ${from}-`);
  if (outage !== null) incidents.push(`global ${outage}-`);
  return { incidents: incidents.sort(), told: told.sort() };
}
