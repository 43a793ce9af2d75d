import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { StorageAnswer } from "../../../server/trace/storage/model.ts";
import { api } from "../../api/calls.ts";
import { DiskBanner, lastsFor } from "../../ui/disk-banner.tsx";
import { useSignIn } from "../../ui/failing.ts";
import { formatBytes, formatCount, plural } from "../../ui/format.ts";
import { Failed, Loading } from "../../ui/message.tsx";
import { SiteBar } from "../../ui/site-bar.tsx";
import { oneLine } from "../../ui/text.ts";
import { useLoad } from "../../ui/use-load.ts";
import { Largest } from "./largest.tsx";
import { formatDay, Section, Shares } from "./parts.tsx";

const KINDS: Record<StorageAnswer["kinds"][number]["kind"], string> = {
  events: "Events",
  archives: "Playwright archives",
  blobs: "Bodies, pictures, attachments",
  pages: "Recorded pages",
  video: "Videos",
  packs: "Packs of warm and cold traces",
  records: "Records",
  others: "Summaries, lists, reports",
};
const TIERS = { hot: "Hot", warm: "Warm", cold: "Cold" };

function Disk({ storage }: { storage: StorageAnswer }): JSX.Element {
  const { disk, used_bytes, shared_bytes, online, cold_disk } = storage;
  const part = (bytes: number): string => `${Math.min(100, (100 * bytes) / Math.max(1, disk.size_bytes))}%`;
  const others = Math.max(0, disk.size_bytes - disk.free_bytes - used_bytes);
  const pace =
    disk.bytes_per_day === null
      ? "How it grows is known after a whole day."
      : `${formatBytes(disk.bytes_per_day)} came per day (mean of ${plural(disk.basis_days, "whole day")}) and are still kept. ${lastsFor(disk)}`;
  return (
    <section class="storage-disk" aria-label="Disk">
      <p class="storage-head">
        <strong>{formatBytes(used_bytes)}</strong> kept, <strong>{formatBytes(disk.free_bytes)}</strong> free
        of {formatBytes(disk.size_bytes)}
      </p>
      <div class="storage-meter" aria-hidden="true">
        <span class="is-used" style={{ width: part(used_bytes) }} />
        <span class="is-others" style={{ width: part(others) }} />
      </div>
      <p class="dim">{pace}</p>
      {shared_bytes > 0 && (
        <p class="dim">
          {formatBytes(shared_bytes)} are saved because traces with the same bodies and pictures keep them
          once.
        </p>
      )}
      {online.limit_bytes !== null && (
        <p class={online.bytes > online.limit_bytes ? "is-failed" : "dim"}>
          {formatBytes(online.bytes)} of the {formatBytes(online.limit_bytes)} that may stay online. Past it
          the oldest move on early.
        </p>
      )}
      {cold_disk && (
        <p class="dim">
          The cold folder has a disk of its own: {formatBytes(cold_disk.free_bytes)} of{" "}
          {formatBytes(cold_disk.size_bytes)} are free there.
        </p>
      )}
    </section>
  );
}

function Coming({ storage }: { storage: StorageAnswer }): JSX.Element {
  const { retention, moves, expiries, removals } = storage;
  const rows = [
    ...moves.map(({ day, to, bytes, count }) => ({
      day,
      what: `${plural(count, "trace")} to ${to === "warm" ? "warm" : "the cold folder"}`,
      bytes,
    })),
    ...expiries.map(({ day, bytes, count }) => ({
      day,
      what: `${plural(count, "trace")} of checks removed with their runs`,
      bytes,
    })),
    ...removals.map(({ day, bytes, count }) => ({ day, what: `${plural(count, "blob")} removed`, bytes })),
  ].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  return (
    <Section
      title="What moves and goes when"
      note={`Traces are packed after ${plural(retention.hot_days, "day")} and move to the cold folder after ${plural(
        retention.warm_days,
        "day",
      )} unless they are pinned. Those of checks are removed with their runs after ${plural(
        retention.runs_days,
        "day",
      )}; others stay. Blobs that no trace names are removed after ${plural(
        retention.blob_grace_days,
        "day",
      )}.`}
    >
      {rows.length === 0 ? (
        <p>Nothing is due: every trace is pinned or cold.</p>
      ) : (
        <table class="storage-table is-dated" aria-label="What moves and goes when">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">What</th>
              <th scope="col" class="num">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ day, what, bytes }) => (
              <tr key={`${day} ${what}`}>
                <th scope="row">{formatDay(day)}</th>
                <td>{what}</td>
                <td class="num">{formatBytes(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function Days({ days }: { days: StorageAnswer["days"] }): JSX.Element {
  const most = Math.max(1, ...days.map(({ bytes }) => bytes));
  const total = days.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <Section
      title={`Came in ${plural(days.length, "day")}`}
      note={`${formatBytes(total)} that are still kept.`}
    >
      <ul class="storage-days" aria-label="Bytes by day">
        {days.map(({ day, bytes, count }) => {
          const text = `${formatDay(day)}: ${formatBytes(bytes)}, ${plural(count, "trace")}`;
          return (
            <li key={day} title={text}>
              <span class="hidden-text">{text}</span>
              <span class="storage-day" style={{ height: `${(100 * bytes) / most}%` }} />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Parts({ storage, reload }: { storage: StorageAnswer; reload: () => void }): JSX.Element {
  const tiers = storage.tiers.map(({ tier, bytes, count, pinned_bytes, pinned_count }) => ({
    key: tier,
    name: <a href={`/traces?tier=${tier}`}>{TIERS[tier]}</a>,
    bytes,
    count,
    more: pinned_count > 0 ? `${formatCount(pinned_count)} pinned, ${formatBytes(pinned_bytes)}` : "",
  }));
  return (
    <>
      <Disk storage={storage} />
      <div class="storage-parts">
        <Section title="By tier">
          <Shares label="Tier" what="Traces" rows={tiers} />
        </Section>
        <Section title="By kind">
          <Shares
            label="Kind"
            what="Files"
            rows={storage.kinds.map(({ kind, ...rest }) => ({ key: kind, name: KINDS[kind], ...rest }))}
          />
        </Section>
        <Days days={storage.days} />
        <Section title="By scenario">
          <Shares
            label="Scenario"
            what="Traces"
            rows={storage.scenarios.map(({ slug, title, ...rest }) => ({
              key: slug,
              name: <a href={`/traces?scenario=${slug}`}>{oneLine(title || slug, 80)}</a>,
              ...rest,
            }))}
          />
        </Section>
        <Section title="Largest traces">
          <Largest traces={storage.largest} reload={reload} />
        </Section>
        <Coming storage={storage} />
      </div>
    </>
  );
}

/** What is kept, what it takes, how long the disk lasts, and what can go. */
export function StoragePage(): JSX.Element {
  const revision = useSignal(0);
  const shown = useSignal<StorageAnswer | null>(null);
  const { data, error } = useLoad(`storage ${revision.value}`, (signal) => api.storage(signal));
  useEffect(() => {
    document.title = "Storage · Tracedeck";
  }, []);
  useEffect(() => {
    // What was shown stays until the next answer is there.
    if (data) shown.value = data;
  }, [data]);
  useSignIn(error);
  const reload = (): void => {
    revision.value += 1;
  };
  return (
    <div class="page">
      <SiteBar />
      <DiskBanner isLinked={false} />
      <main class="storage">
        <h1 class="hidden-text">Storage</h1>
        {error ? (
          <Failed error={error} retry={reload} />
        ) : shown.value ? (
          <Parts storage={shown.value} reload={reload} />
        ) : (
          <Loading label="Counting" />
        )}
      </main>
    </div>
  );
}
