import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { orgApi, type Usage } from "../../api/orgs.ts";
import { formatBytes, formatCount, plural } from "../../ui/format.ts";
import { SettingsSection } from "../../ui/settings-page.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { LoadedPage } from "./parts/loaded.tsx";

interface MeterProps {
  word: string;
  meter: { used: number; limit: number | null };
  show: (value: number) => string;
}

/** How much of a limit is used, in words and as a bar; without a limit only the words. */
function Meter({ word, meter: { used, limit }, show }: MeterProps): JSX.Element {
  const part = limit === null ? null : Math.min(100, (100 * used) / Math.max(1, limit));
  return (
    <li class="plan-meter">
      <span>{word}</span>
      <span class="num">
        <strong>{show(used)}</strong>
        {limit !== null && <span class="dim"> of {show(limit)}</span>}
      </span>
      {part !== null && (
        <span class={`plan-bar${part >= 100 ? " is-full" : ""}`} aria-hidden="true">
          {part > 0 && <span class="plan-used" style={{ width: `${part}%` }} />}
        </span>
      )}
    </li>
  );
}

const month = (iso: string): string =>
  new Date(iso).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
const lastDay = (end: string): string => new Date(Date.parse(end) - 1).toISOString().slice(0, 10);
const minutes = (value: number): string => `${formatCount(Math.round(value))} min`;
const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

function Plan({ usage }: { usage: Usage }): JSX.Element {
  const { limits, period } = usage;
  return (
    <>
      <SettingsSection
        title={`Used in ${month(period.start)}`}
        about={`Counted in UTC, until ${lastDay(period.end)}. What has no limit beside it is not limited.`}
      >
        <ul class="plan-meters" aria-label="Used in this month">
          <Meter word="Runs" meter={usage.runs} show={formatCount} />
          <Meter word="Time of runs" meter={usage.run_minutes} show={minutes} />
          <Meter word="Traces uploaded" meter={usage.ingests} show={formatCount} />
          <Meter word="Chats about traces" meter={usage.debugger_cents} show={dollars} />
        </ul>
      </SettingsSection>
      <SettingsSection title="Used now">
        <ul class="plan-meters" aria-label="Used now">
          <Meter word="Storage" meter={usage.storage_bytes} show={formatBytes} />
          <Meter word="Members" meter={usage.members} show={formatCount} />
          <Meter word="Replays under way" meter={usage.replays} show={formatCount} />
        </ul>
        <p class="dim settings-note">
          What takes the room stands in <a href="/storage">Storage</a>.
        </p>
      </SettingsSection>
      <SettingsSection
        title="Limits"
        about={
          <>
            The plan is <strong>{usage.plan}</strong>. It and what differs from it are set in{" "}
            <code>settings.json</code> of the data folder.
          </>
        }
      >
        <dl class="settings-facts plan-limits">
          <dt>One upload</dt>
          <dd>{formatBytes(limits.upload_bytes)}</dd>
          <dt>Traces stay hot</dt>
          <dd>{plural(limits.hot_days, "day")}, then they are packed</dd>
          <dt>and warm until</dt>
          <dd>{plural(limits.warm_days, "day")}, then they move to the cold folder</dd>
          <dt>Regions</dt>
          <dd>{formatCount(limits.regions)}</dd>
          <dt>Checks</dt>
          <dd>
            {limits.least_minutes_between_checks === 1
              ? "every minute at most"
              : `every ${plural(limits.least_minutes_between_checks, "minute")} at most`}
          </dd>
          <dt>Requests</dt>
          <dd>
            {formatCount(limits.reads_per_minute)} reads, {formatCount(limits.writes_per_minute)} writes and{" "}
            {formatCount(limits.ingests_per_minute)} uploads a minute
          </dd>
        </dl>
      </SettingsSection>
    </>
  );
}

export function PlanPage(): JSX.Element {
  const revision = useSignal(0);
  const loaded = useLoad("usage", (signal) => orgApi.usage(signal), revision.value);
  return (
    <LoadedPage title="Plan and limits" loaded={loaded} retry={() => void revision.value++}>
      {(usage) => <Plan usage={usage} />}
    </LoadedPage>
  );
}
