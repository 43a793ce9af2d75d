import type { ComponentChildren, JSX } from "preact";
import { errorText } from "../../api/request.ts";
import { formatWall } from "../../ui/format.ts";
import { CheckCircle, Clock, Pause, StopCircle } from "../../ui/icons.tsx";
import { statusIcon, statusTone, statusWord } from "../../ui/status.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { type Check, checksApi } from "./api.ts";

/** Whether a check runs, as a sign and a word. */
export function CheckState({ check }: { check: Check }): JSX.Element {
  const { enabled, paused_until } = check;
  const isPaused = enabled && paused_until !== null;
  const StateIcon = !enabled ? StopCircle : isPaused ? Pause : CheckCircle;
  const tone = !enabled ? "is-quiet" : isPaused ? "is-error" : "is-passed";
  return (
    <span class={`status ${tone}`} title={isPaused ? `Until ${formatWall(paused_until)}` : undefined}>
      <StateIcon />
      <span class="status-word">{!enabled ? "Off" : isPaused ? "Paused" : "On"}</span>
    </span>
  );
}

const EVERY = /^\*(?:\/(\d+))? \* \* \* \*$/;

/** A schedule as it would be said, and as cron says it where that is not the same. */
export function scheduleWords({ cron, timezone }: Pick<Check, "cron" | "timezone">): string {
  const [isEvery, minutes = "1"] = EVERY.exec(cron) ?? [];
  const isEven = isEvery !== undefined && 60 % Number(minutes) === 0;
  const words = isEven ? `every ${minutes === "1" ? "minute" : `${minutes} min`}` : cron;
  const said = cron === "@hourly" || cron === "0 * * * *" ? "every hour" : words;
  return timezone === "UTC" || said !== cron ? said : `${said} (${timezone})`;
}

/** The newest run of each region: sign, word and place. */
export function LastRuns({ check, isBrief = false }: { check: Check; isBrief?: boolean }): JSX.Element {
  const ran = new Map(check.last_runs.map((run) => [run.region, run]));
  return (
    <span class="check-regions">
      {check.regions.map((region) => {
        const run = ran.get(region);
        const RunIcon = run ? statusIcon(run.status) : Clock;
        const word = run ? statusWord(run.status) : "No run yet";
        return (
          <span
            key={region}
            class={`check-region ${run ? statusTone(run.status) : "is-quiet"}`}
            title={run ? `${region}: ${word}, ${formatWall(run.scheduled_at)}` : `${region}: ${word}`}
          >
            <RunIcon />
            <span class="hidden-text">{word} in</span>
            {!isBrief && <span class="check-region-name">{region}</span>}
            {isBrief && <span class="hidden-text">{region}</span>}
          </span>
        );
      })}
    </span>
  );
}

/** A part of the page with its name. */
export function Part({
  title,
  more,
  children,
}: {
  title: string;
  more?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="check-part" aria-label={title}>
      <div class="check-part-head">
        <h2>{title}</h2>
        {more}
      </div>
      {children}
    </section>
  );
}

const timeOf = (local: string): string => local.slice(0, 16).replace("T", " ");

/** When a schedule comes next, in its zone, and where its clocks change on the way. */
export function NextFires({
  schedule,
  now,
}: {
  schedule: Pick<Check, "cron" | "timezone">;
  /** Epoch ms: each minute there are others. */
  now: number;
}): JSX.Element {
  const { cron, timezone } = schedule;
  const { data, error } = useLoad(
    `${cron} ${timezone}`,
    (signal) => checksApi.fires({ cron, timezone }, signal),
    Math.floor(now / 60_000),
  );
  if (error)
    return (
      <p class="is-failed captured" role="alert">
        {errorText(error)}
      </p>
    );
  return (
    <div class="fires">
      <ol aria-label="Next runs" aria-busy={data === null}>
        {(data?.fires ?? []).map(({ at, local }) => (
          <li key={at} title={`${formatWall(at)} here`}>
            <time dateTime={at} class="num">
              {timeOf(local)}
            </time>
            <span class="dim num"> {local.slice(16)}</span>
          </li>
        ))}
      </ol>
      {data?.warnings.map((warning) => (
        <p key={warning} class="fires-warning" role="note">
          {warning}
        </p>
      ))}
    </div>
  );
}

/** What a check tells when, in sentences. */
export function policySentences({ alert_policy: policy, shadow_prod }: Check): string[] {
  const { consecutive_failures, failure_rate, latency_p99, retries, remind_minutes, shadow_diff } = policy;
  const times = (count: number) => (count === 1 ? "once" : `${count} times`);
  return [
    ...(retries > 0 ? [`A failed run is tried again ${times(retries)} before it counts.`] : []),
    ...(consecutive_failures === null
      ? []
      : [`An incident opens after ${consecutive_failures} failures in a row in a region.`]),
    ...(failure_rate === null
      ? []
      : [
          `Or when ${failure_rate.percent}% of the runs of ${failure_rate.window_minutes} min fail, of at least ${failure_rate.min_samples}.`,
        ]),
    ...(latency_p99
      ? [`Or when 1 of 100 runs of ${latency_p99.window_minutes} min takes longer than ${latency_p99.ms} ms.`]
      : []),
    ...(remind_minutes
      ? [`What nobody acknowledged is told again after ${remind_minutes} min, while it fails.`]
      : []),
    ...(shadow_prod && shadow_diff ? ["Drift from the clones is told."] : []),
  ];
}

export const titleOf = (check: Check): string => oneLine(check.scenario_title || check.scenario_slug, 200);
